"""The site in a browser: accessible, narrow, dark, without scripts, and silent to other hosts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.common import UNITS, needs_browser
from tests.tiers import NIGHTLY
from tests.web.axe import COLOURS, refused
from tests.web.conftest import Site

pytestmark = [needs_browser, pytest.mark.slow]

KINDS = (
    "index.html",
    "units/index.html",
    "units/02-sinusoidal.html",
    "encodings/index.html",
    "encodings/rotary.html",
    "explore/index.html",
    "claims.html",
    "glossary.html",
    "more/benchmarks.html",
    "more/grading.html",
    "search.html?q=skew",
)

# How something is drawn; axe needs scripts.
DRAWN = "([what, how]) => getComputedStyle(document.querySelector(what))[how]"


class Watch:
    """What goes wrong while a page is open."""

    def __init__(self, page: Page, site: Site) -> None:
        self.site, self.wrong = site, list[str]()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.site.address, "data:", "blob:")):
            self.wrong.append(request.url)


def width(page: Page) -> int:
    """How wide the content is, in pixels; the theme lets its column scroll, not the body."""
    parts = "html, body, .bd-article-container"
    wide = "Math.max(...[...document.querySelectorAll(parts)].map(each => each.scrollWidth))"
    return int(page.evaluate(f"parts => {wide}", parts))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_page_light_and_dark_wide_and_narrow(
    site: Site, page: Page, kind: str
) -> None:
    watch = Watch(page, site)
    _open(page, site, kind)
    assert _inaccessible(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert width(page) <= 360
    assert watch.wrong == []


def test_all_other_pages_are_narrow_and_silent(site: Site, page: Page) -> None:
    watch = Watch(page, site)
    page.set_viewport_size({"width": 360, "height": 740})
    for path in site.pages:
        name = path.relative_to(site.folder).as_posix()
        if name not in KINDS:
            _open(page, site, name)
            assert width(page) <= 360, name
            assert not NIGHTLY or _inaccessible(page) == [], name
    assert watch.wrong == []


def _open(page: Page, site: Site, name: str) -> None:
    """Go to a page, and unfold all that is folded."""
    page.emulate_media(color_scheme="light")
    page.goto(site.address + name)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")


def _inaccessible(page: Page) -> list[tuple[str, str]]:
    """What axe refuses in the light theme, and in the dark one."""
    light = refused(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    return light + refused(page, rules=COLOURS)


def test_a_page_with_a_fault_of_each_sort_is_noticed(site: Site, page: Page) -> None:
    watch = Watch(page, site)
    page.goto(site.address + "glossary.html")
    page.set_viewport_size({"width": 360, "height": 740})
    assert watch.wrong == [] and width(page) <= 360
    page.evaluate(
        """() => {
            const article = document.querySelector("article");
            article.insertAdjacentHTML("beforeend", "<img src='http://192.0.2.1/a.png'>");
            article.insertAdjacentHTML("beforeend", "<div style='width: 500px'>wide</div>");
            console.error("a fault");
        }"""
    )
    assert "image-alt" in dict(refused(page)) and width(page) > 360
    assert {"http://192.0.2.1/a.png", "a fault"} <= set(watch.wrong)


def test_the_search_finds_a_word_in_its_unit(site: Site, page: Page) -> None:
    page.goto(f"{site.address}search.html?q=skew")
    expect(page.locator("#search-results a[href*='04-relative']").first).to_be_visible()


def test_it_is_read_and_walked_through_without_scripts(site: Site, browser: Browser) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 740}, color_scheme="dark"
    )
    page = context.new_page()
    page.goto(site.address)
    assert page.evaluate(DRAWN, ["body", "backgroundColor"]) == "rgb(20, 24, 30)"
    assert page.evaluate(DRAWN, [".bd-header", "backgroundColor"]) == "rgb(34, 40, 50)"
    assert page.evaluate(DRAWN, [".bd-header p", "color"]) == "rgb(206, 214, 221)"
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


def test_the_keyboard_reaches_the_first_unit(site: Site, page: Page) -> None:
    page.goto(site.address)
    for _ in range(40):
        page.keyboard.press("Tab")
        if "Begin with unit" in page.evaluate("document.activeElement.textContent"):
            break
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(UNITS[0]))
