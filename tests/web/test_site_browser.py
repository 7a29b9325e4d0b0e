"""The site in a browser: accessible, narrow, dark, without scripts, and silent to other hosts."""

import re
from typing import Any
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.common import UNITS, needs_browser
from tests.tiers import NIGHTLY, sample
from tests.web.axe import COLOURS, refused
from tests.web.conftest import Site
from tests.web.figures import complaints

pytestmark = [needs_browser, pytest.mark.rotating("site")]

KINDS = (
    "index.html",
    "units/02-sinusoidal.html",
    "encodings/rotary.html",
    "explore/index.html",
    "claims.html",
    "more/benchmarks.html",
    "search.html?q=skew",
)

# How wide the content is, in pixels; the theme lets its column scroll, not the body.
WIDTH = """Math.max(...[...document.querySelectorAll("html, body, .bd-article-container")]
    .map(each => each.scrollWidth))"""
WEIGHT = """performance.getEntries().reduce((sum, each) => sum + (each.decodedBodySize ?? 0), 0)"""
# How something is drawn; axe needs scripts.
DRAWN = "([what, how]) => getComputedStyle(document.querySelector(what))[how]"


@pytest.fixture
def wrong(page: Page, site: Site) -> list[str]:
    """What goes wrong while a page is open."""
    found = complaints(page)
    own = (site.address, "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(own) else found.append(r.url))
    return found


def test_every_page_suits_everybody_light_and_dark_wide_and_narrow(
    site: Site, page: Page, wrong: list[str]
) -> None:
    """But for the night one or two of `KINDS`, and some that are made in the same way as these."""
    names = [path.relative_to(site.folder).as_posix() for path in site.pages]
    for name in [*sample(KINDS, 5), *sample([name for name in names if name not in KINDS], 11)]:
        # No colour is on its way to another when it is read.
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        page.set_viewport_size({"width": 1366, "height": 900})
        page.goto(site.address + name)
        page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
        # With all that belongs to it, unpacked; on some pages models answer, and the search has the
        # text of all pages.
        heaviest = 3 if page.locator("[data-module=live]").count() else 1
        heaviest += name.startswith("search")
        assert page.evaluate(WEIGHT) <= heaviest * 1_000_000, name
        if name in KINDS or NIGHTLY:
            assert refused(page) == [], name
            page.emulate_media(color_scheme="dark")
            page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
            assert refused(page, rules=COLOURS) == [], name
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate(WIDTH) <= 360, name
    assert wrong == []


# How much of what was seen has moved by itself (cumulative layout shift), read to the end.
SHIFTED = """async () => {
    let sum = 0;
    const add = (list) => list.getEntries().forEach((each) => (sum += each.value));
    new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
    for (let y = 0; y < document.documentElement.scrollHeight; y += 500) {
        scrollTo(0, y);
        await new Promise((then) => setTimeout(then, 100));
    }
    return sum;
}"""
CUT_OFF = """[...document.querySelectorAll("article pre")].filter((each) => each.checkVisibility()
    && each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"""


@pytest.mark.parametrize("size", [(1366, 800), (360, 740)])
def test_nothing_moves_while_a_page_loads_and_no_code_is_cut_off(
    site: Site, page: Page, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    units = [f"units/{unit}.html" for unit in UNITS]
    for name in ["index.html", "explore/live.html", *sample(units, 3)]:
        page.goto(site.address + name)
        assert page.evaluate(SHIFTED) <= 0.05, name
        assert page.evaluate(CUT_OFF) == [] or size[0] < 1366, name


# A question, and where its answer begins.
ANSWERED = {
    "skew": "units/04-relative.html#exercise-8-skew",
    "why 10000": "units/02-sinusoidal.html#exercise-1-wavelengths",
    "Why 10,000?": "units/02-sinusoidal.html#exercise-1-wavelengths",
    "why sqrt(d)": "units/01-order-blind.html#why-the-scale",
    "learned vs sinusoidal": "units/03-learned.html#how-large-is-a-position-vector",
    "longer than training": "units/10-longer.html",
    "what is ALiBi": "units/05-after-bert.html#alibi-a-penalty-that-grows-with-the-distance",
    "how does RoPE work": "units/05-after-bert.html",
    "why not just number the words": "units/02-sinusoidal.html#why-not-just-number-the-words",
    "position interpolation": "encodings/interpolated.html",
    "relative versus absolute": "units/04-relative.html#three-tasks",
    "next sentence": "units/07-bert-inputs.html#is-it-the-next-sentence",
    "rotary": "encodings/rotary.html",
}


def test_the_search_finds_the_section_that_answers_among_the_first_three(
    site: Site, page: Page
) -> None:
    for asked, answer in ANSWERED.items():
        page.goto(f"{site.address}search.html?q={quote_plus(asked)}")
        links = page.locator("#search-results a").all()[:3]
        assert answer in [each.get_attribute("href") for each in links], asked
    for one, several in [("word", "words"), ("encoding", "encodings"), ("mask", "masked")]:
        found = []
        for asked in (one, several):
            page.goto(f"{site.address}search.html?q=vector+{asked}")
            links = page.locator("#search-results a").all()
            found.append([each.get_attribute("href") for each in links])
        assert found[0] and found[0] == found[1], several
    page.goto(f"{site.address}search.html?q=xyzzy")
    expect(page.get_by_role("status")).to_have_text("No section has any of these words.")


def test_formulas_have_a_mathematical_font_of_the_site(site: Site, page: Page) -> None:
    page.goto(f"{site.address}units/02-sinusoidal.html")
    fonts = "document.fonts.ready.then((all) => [...all].map((each) => [each.family, each.status]))"
    assert ["STIX Two Math", "loaded"] in [[a.strip('"'), b] for a, b in page.evaluate(fonts)]


def test_pages_that_were_opened_as_files_move_and_search(site: Site, page: Page) -> None:
    page.goto((site.folder / "index.html").as_uri())
    page.locator("figure.ready").wait_for()
    page.get_by_role("link", name="Begin with unit").click()
    page.wait_for_url("**/units/*")  # loaded, with what listens to keys
    page.keyboard.press("Control+k")
    page.keyboard.type("clock")
    page.keyboard.press("Enter")
    page.locator("#search-results a[href='explore/clock.html']").click()
    page.locator("figure.ready").wait_for()
    assert page.url.startswith("file:")


def test_it_is_read_and_walked_through_without_scripts(site: Site, browser: Browser) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 740}, color_scheme="dark"
    )
    page = context.new_page()
    page.goto(site.address)
    assert page.evaluate(DRAWN, ["body", "backgroundColor"]) == "rgb(20, 24, 30)"
    assert page.evaluate(DRAWN, [".bd-header", "backgroundColor"]) == "rgb(20, 24, 30)"
    assert page.evaluate(DRAWN, [".bd-header p", "color"]) == "rgb(241, 236, 225)"
    assert page.evaluate(DRAWN, ["article li a", "color"]) == "rgb(125, 185, 245)"
    page.get_by_role("link", name="Begin with unit").click()
    for unit in UNITS[:3]:
        expect(page).to_have_url(re.compile(rf"{unit}\.html"))
        expect(page.locator("article h1")).to_be_visible()
        summary = page.locator("summary").first
        summary.click()
        expect(page.locator("details").first).to_have_attribute("open", "")
        page.locator("a.right-next").click()
    context.close()


# The colours of a word's numbers on the front page, without positions or with them.
NUMBERS = """row => [...document.querySelectorAll(".swap .column")].map(word =>
    [...word.querySelectorAll("rect")].slice(16 * row, 16 * (row + 1))
        .map(each => each.getAttribute("fill")).join())"""


def test_a_swap_is_seen_with_positions_only_and_the_keyboard_reaches_the_first_unit(
    site: Site, page: Page
) -> None:
    page.goto(site.address)
    page.locator("figure.ready").wait_for()
    before = [page.evaluate(NUMBERS, row) for row in (0, 1)]
    page.get_by_role("button", name="Swap dog and man").press("Enter")
    without, with_positions = (page.evaluate(NUMBERS, row) for row in (0, 1))
    assert without == before[0]
    assert all(now != then for now, then in zip(with_positions, before[1], strict=True))
    page.evaluate("document.activeElement.blur()")
    for _ in range(40):
        page.keyboard.press("Tab")
        if "Begin with unit" in page.evaluate("document.activeElement.textContent"):
            break
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(UNITS[0]))


@pytest.mark.parametrize(("wanted", "seconds"), [("reduce", "0s"), ("no-preference", "0.9s")])
def test_words_change_places_at_once_for_who_wants_little_motion(
    site: Site, page: Page, wanted: Any, seconds: str
) -> None:
    page.emulate_media(reduced_motion=wanted)
    page.goto(f"{site.address}index.html")
    column = page.locator(".swap .column").first
    assert column.evaluate("(each) => getComputedStyle(each).transitionDuration") == seconds


def test_a_prediction_opens_what_was_measured(site: Site, page: Page, wrong: list[str]) -> None:
    """Chosen by a button, or a number, which may be 0."""
    page.goto(f"{site.address}units/09-claim-lab.html")
    number = page.locator("fieldset.prediction:has(input)").first
    number.get_by_role("button").click()
    expect(number.locator(".reveals")).to_be_empty()
    number.get_by_role("spinbutton").fill("0")
    number.get_by_role("button").click()
    expect(number.locator(".reveals")).to_contain_text("Measured: ")
    choice = page.locator("fieldset.prediction:not(:has(input))").first
    choice.get_by_role("button").first.click()
    for asked in (number, choice):
        measured = page.locator(f"#measured-{asked.get_attribute('data-name')}")
        found = measured.get_attribute("data-measured")
        expect(asked.locator(".reveals")).to_contain_text(f"Measured: {found}.")
        expect(measured).to_have_attribute("open", "")
    assert wrong == []
