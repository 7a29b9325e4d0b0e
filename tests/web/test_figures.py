"""Each figure in a browser: drawn, moved by key and finger, told in words, kept in the address."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

from helpers import plots, results
from helpers.encodings import REGISTRY
from tests import changed, tiers
from tests.common import ROOT, UNITS, needs_browser
from tests.web.axe import COLOURS, refused
from tests.web.figures import CONTENTS, FIGURES, NAMES, PHONE, opened

CHANGED = [name for name in NAMES if f"web/figures/{name}.js" in changed.paths()]
TRIED = sorted({*tiers.sample(NAMES, 5), *CHANGED})
HANDLES = ":is(input[type=range], [role=slider], .words .chip)"
# Parts of the figure that reach beyond its sides, but for what can be scrolled.
BEYOND = """() => {
    const {left, right} = document.querySelector('figure').getBoundingClientRect();
    return [...document.querySelectorAll('figure :is(.stage, .controls, .says) :not(svg *)')]
        .filter(each => !each.closest('.scrolls *'))
        .map(each => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.left < left || box.right > right))
        .map(([what]) => what);
}"""
REST = 400  # milliseconds after which the address and the words are written


pytestmark = needs_browser


def test_curves_are_recorded_and_look_as_in_the_course_s_pictures() -> None:
    text = (ROOT / "web" / "figures" / "loss-by-length.js").read_text(encoding="utf-8")
    [begin] = re.findall(r"^const BEGIN = (\[.*\]);$", text, re.MULTILINE)
    assert {*json.loads(begin)} <= {*results.load("lag3").table["encoding"]}
    [styles] = re.findall(r"^const STYLES = (\{.*?\});$", text, re.MULTILINE | re.DOTALL)
    assert plots.STYLES.items() <= {name: (*at,) for name, at in json.loads(styles).items()}.items()


@pytest.fixture
def page(phone: Page) -> Page:
    return phone


def told(page: Page) -> str:
    """What a screen reader is told, which is what everybody may read."""
    page.clock.run_for(REST)
    text = page.locator("figure .told").text_content()
    assert text and text == page.locator("figure .says").text_content()
    return text


def test_contents_name_every_figure() -> None:
    for each in CONTENTS.values():
        assert set(each["units"]) <= set(UNITS) and set(each["encodings"]) <= set(REGISTRY)
    modules = {path.stem for path in FIGURES.glob("*.js") if "new Explorable" in path.read_text()}
    assert modules == set(NAMES)


@pytest.mark.parametrize("name", TRIED)
def test_a_figure_suits_everybody(name: str, page: Page, address: str) -> None:
    opened(page, f"{address}/{name}.html")
    assert not page.locator(".fallback").is_visible()
    assert page.locator(".told").get_attribute("aria-live") == "polite"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.clock.run_for(100)
    switched = page.locator(".stage").screenshot()
    for each in page.locator("details").all():
        each.locator("summary").click()
    assert refused(page, "figure") == []
    page.add_init_script("addEventListener('DOMContentLoaded', "
                         "() => document.documentElement.dataset.theme = 'dark')")  # fmt: skip
    opened(page, page.url)
    assert page.locator(".stage").screenshot() == switched
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    page.clock.run_for(100)
    for each in page.locator("details").all():
        each.locator("summary").click()
    assert refused(page, "figure", COLOURS) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(BEYOND) == []


@pytest.mark.parametrize("name", TRIED)
def test_the_keyboard_moves_every_handle(name: str, page: Page, address: str) -> None:
    opened(page, f"{address}/{name}.html")
    handles = page.locator(f"figure {HANDLES}")
    assert handles.count() or name == "loss-by-length"  # which has buttons of its own
    for n in range(handles.count()):
        before, value = told(page), _value(handles.nth(n))
        _reach(page, handles.nth(n))
        page.keyboard.press("ArrowRight")
        if told(page) == before:  # it stands at its end, or two equal words have changed places
            page.keyboard.press("ArrowLeft")
            page.keyboard.press("ArrowLeft")
        after = told(page)
        assert after != before and _value(handles.nth(n)) != value, value
        _ends(page, handles.nth(n))
    _same_from_the_address(page, told(page))
    if name == "loss-by-length":
        page.get_by_text("23 more").click()
        page.get_by_role("button", name="Shaw keys, k = 2").press("Enter")  # escaped in addresses
        _same_from_the_address(page, told(page))
        assert "Shaw keys, k = 2" in told(page)
        page.get_by_role("radio", name="backwards").press("Space")
        after = told(page)
        assert "backwards" in after and "k = 2" not in after
        _same_from_the_address(page, after)


def _ends(page: Page, handle: Locator) -> None:
    """Home and End lead to the ends of a slider that is not a browser's own."""
    if handle.get_attribute("role") == "slider":
        values = []
        for key in ("Home", "ArrowRight", "ArrowLeft", "End"):
            page.keyboard.press(key)
            page.clock.run_for(REST)
            values.append(float(handle.get_attribute("aria-valuenow") or "nan"))
        low, step, back, high = values
        assert low == back < step < high
        assert float(handle.get_attribute("aria-valuemin") or "nan") <= low
        assert float(handle.get_attribute("aria-valuemax") or "nan") >= high


def _value(handle: Locator) -> str:
    """What a screen reader says of it."""
    found = handle.get_attribute("aria-valuetext") or handle.get_attribute("aria-label")
    assert found
    return found


def _reach(page: Page, handle: Locator) -> None:
    """Tab until it has the focus."""
    for _ in range(60):
        if handle.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab never comes to it")


def _same_from_the_address(page: Page, words: str) -> None:
    """Opened anew at the address that the page has now, it says the same."""
    again = page.context.new_page()
    opened(again, page.url)
    assert told(again) == words, page.url
    again.close()


@pytest.mark.parametrize("name", TRIED)
def test_a_finger_moves_every_part(name: str, page: Page, address: str) -> None:
    opened(page, f"{address}/{name}.html")
    page.add_style_tag(content="body { padding-bottom: 2000px; }")  # room to scroll
    finger = page.context.new_cdp_session(page)
    for part in page.locator("figure :is(.handle, .words .chip)").all():
        page.evaluate(f"location.hash = '{name}:'")  # as it began
        before = told(page)
        part.scroll_into_view_if_needed()
        # A part of a picture is where its knob is, not in the middle of a long line.
        knob = part.locator(".knob, .bar")
        box: Any = (knob if knob.count() else part).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        to = 80 if x < PHONE["width"] / 2 else -80
        at = page.evaluate("scrollY")
        # First down, as if one scrolled.
        for kind, dx, dy in (
            ("Start", 0, 0), ("Move", 0, 20), ("Move", 0, 40), ("Move", to / 2, 40),
            ("Move", to, 20), ("End", 0, 0),
        ):  # fmt: skip
            points = [] if kind == "End" else [{"x": x + dx, "y": y + dy}]
            finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        assert told(page) != before, part.get_attribute("aria-label")
        assert page.evaluate("scrollY") == at


def test_an_address_may_say_anything(page: Page, address: str) -> None:
    opened(page, f"{address}/clock.html#clock:k=1e9,zz=1,%E0%A4%A")
    assert "by 60" in told(page)
    for wrong in ("clock:k=", "clock:k=many", "clock:k=NaN", "clock:k=%E0%A4%A", "other:k=9"):
        opened(page, f"{address}/clock.html#{wrong}")
        assert "by 3" in told(page), wrong
    opened(page, f"{address}/move-a-word.html#move-a-word:order=0~0~1,start=4")
    assert "the man bites the dog" in told(page) and "4 positions" in told(page)


# What a figure says in a state away from where it begins.
SAYS = {
    "clock:k=2": "the second by 11°, the third by 1.1°, the slowest by 0.1°.",
    "patches:row=1,down=-3,right=-2": "looks for 3 up and 2 to the left, which lies outside the "
    "picture: the highest score is at the edge, row 0, column 1.",
    "patches:row=3,column=11,order=line": "goes on where a row ends",
    "patches:row=0,column=1,down=0,right=0,order=line": "the end of its row is nearer",
    "similarity:a=0.5,d=0.5,k=5": "can tell them apart. It looks 5 positions to the left.",
    "similarity:b=0.3,c=-0.3": "a sine to 1.00 and −0.30, a cosine to 0.30 and 1.00. Still stripes",
    "skew:T=5,done=3": "Row 2 is read 2 places further left: its offset −2 now stands under key 0.",
    "slopes:heads=4,query=9,form=directional": "Head 1 has the steepest slope, 1/4: nine tenths of "
    "its weight lie on 12 words. Head 4, with 1/256, spreads it over 30 words.",
    "turning:i=2,j=5": "3 to the right of the query, and their score is 0.07.",
    "turning:i=1,j=0": "has turned once by 0.3 radians, the key at 0 has turned 0 times",
    "unseen-angles:far=clipped": "The same weights",
    "yarn:factor=4": "is to read 16,384. Kept are the pairs that turn at least 32 times",
    "yarn:length=9,fast=128": "(1 of 64; the fastest always is)",
}


def test_figures_say_what_is_so(page: Page, address: str) -> None:
    shown = ""
    for state, says in SAYS.items():
        if (name := state.split(":")[0]) != shown:
            opened(page, f"{address}/{name}.html#{state}")
        page.evaluate("state => { location.hash = state; }", state)
        assert says in told(page), state
        shown = name


def test_tab_follows_the_words_where_they_have_moved(page: Page, address: str) -> None:
    opened(page, f"{address}/move-a-word.html")
    page.locator(".words .chip").first.focus()
    page.keyboard.press("End")
    assert told(page).startswith("“man bites the dog the”")
    order = "[...document.querySelectorAll('.words .chip')].map(each => each.textContent)"
    assert page.evaluate(order) == ["man", "bites", "the", "dog", "the"]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "the, place 5 of 5"
    )


def test_a_part_stays_under_the_finger_that_holds_it(page: Page, address: str) -> None:
    opened(page, f"{address}/turning.html")
    before = told(page)
    bar: Any = page.locator(".bar").bounding_box()
    page.mouse.move(bar["x"] + 3, bar["y"] + 3)
    page.mouse.down()
    page.mouse.move(bar["x"] + 4, bar["y"] + 3)
    page.mouse.up()
    assert told(page) == before


def test_figures_share_an_address(page: Page, address: str) -> None:
    opened(page, f"{address}/clock.html#skew:T=4&clock:k=7")
    assert "by 7" in told(page)
    page.get_by_role("slider").press("ArrowRight")
    assert "by 8" in told(page)
    assert page.url.endswith("#skew:T=4&clock:k=8")
    page.evaluate("location.hash = 'clock:k=12'")  # a link within the page
    assert "by 12" in told(page)


def test_without_scripts_the_words_are_there(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for name in NAMES:
        page.goto(f"{address}/{name}.html")
        assert page.locator(".fallback").is_visible()
    context.close()
