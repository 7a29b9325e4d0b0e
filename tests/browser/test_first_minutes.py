"""A learner's first minutes: what `make lab` opens, the first exercise, and the way to the next."""

import nbformat
import pytest
from playwright.sync_api import Page

from benchmarks import first_minutes
from benchmarks.first_minutes import ANSWER
from helpers.course import servers
from helpers.course.settings import Course
from tests.browser.conftest import serving
from tests.common import UNITS, needs_browser

FIRST, SECOND = UNITS[:2]

CURRENT = "#jp-main-dock-panel .lm-mod-current .lm-TabBar-tabLabel"

pytestmark = needs_browser


@pytest.mark.rotating
def test_from_the_door_to_the_second_unit(learner: Course, page: Page) -> None:
    with serving(
        lambda port: servers.lab_command(learner, port, browser=False), learner.work
    ) as address:
        page.set_viewport_size({"width": 1366, "height": 768})
        first_minutes.show(page, f"{address}/lab")
        _walk(page, learner)
        page.close()  # the server would wait for it


def _walk(page: Page, learner: Course) -> None:
    assert page.locator(".jp-DirListing-itemText").all_inner_texts() == [*UNITS, "docs"]
    assert page.locator(CURRENT).inner_text() == f"{FIRST}.ipynb"
    page.locator(".jp-RenderedMarkdown em").filter(
        has_text=f"Unit 00 (1 of {len(UNITS)})"
    ).wait_for()
    assert page.get_by_role("menuitem", name="Nbgrader").count() == 0
    assert page.get_by_text("notified about official Jupyter news").count() == 0

    first_minutes.run_above(page)
    first_minutes.solve(page)
    page.keyboard.press("Control+s")
    page.locator(".jp-mod-dirty").first.wait_for(state="hidden")
    saved = nbformat.read(learner.work / FIRST / f"{FIRST}.ipynb", as_version=4)
    assert any(ANSWER in cell.source for cell in saved.cells)
    assert ANSWER not in (learner.notebooks / FIRST / f"{FIRST}.ipynb").read_text()
    follow = page.get_by_role("link", name="01 · Order-blind")
    follow.scroll_into_view_if_needed()
    follow.click()
    page.get_by_role("heading", name="01 · Order-blind").wait_for()
    assert page.locator(CURRENT).inner_text() == f"{SECOND}.ipynb"

    page.get_by_role("link", name="glossary").locator("visible=true").click()
    page.get_by_role("link", name="02", exact=True).first.click()
    page.get_by_role("heading", name="02 · Sinusoidal encoding").wait_for()
