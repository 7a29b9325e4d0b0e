"""Units in JupyterLab as a learner begins them: to the first exercise, saved, opened again.

Then they are handed in as they are, and graded: one by day, all at night.
"""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page

from helpers import checks
from helpers.course import servers
from helpers.course.authoring import source
from helpers.course.grading import grade
from helpers.course.settings import Course
from tests.browser.conftest import end_kernels, opened, run, serving
from tests.common import ISOLATED, UNITS, needs_browser
from tests.tiers import sample
from tests.web.figures import complaints

pytestmark = [needs_browser, pytest.mark.rotating]
OPENED = sample(UNITS, len(UNITS))


def _first(course: Course, unit: str) -> tuple[str, str]:
    """The name of a unit's first exercise, and an answer to it."""
    name = next(cell.name for cell in source.read(course.text(unit)) if cell.kind == "solution")
    solved = nbformat.read(course.solutions / unit / f"{unit}.ipynb", as_version=4)
    [answer] = [cell.source for cell in solved.cells if cell.id == name]
    return name, answer


def _selected(page: Page, first_line: str) -> Locator:
    """The cell of code with this line, after a click into it."""
    cell = page.locator(".jp-CodeCell").filter(has_text=first_line).first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-line").last.click()
    return cell


def _begin(page: Page, name: str, answer: str) -> Locator:
    """Write the answer to an exercise and run all up to its check; gives the report."""
    written = _selected(page, f"# EXERCISE {name}:")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(answer)
    _selected(page, f"# CHECK {name}:")
    ran = written.locator(".jp-InputPrompt").filter(has_text=re.compile(r"\[\d+\]"))
    run(page, ran, "Run All Above Selected Cell")
    check = _selected(page, f"# CHECK {name}:")
    page.keyboard.press("Shift+Enter")
    return check.locator("[role=status]")


def _whole(page: Page) -> None:
    """No picture is missing, and no slider stands there as what only a kernel could fill."""
    page.wait_for_function(
        "[...document.querySelectorAll('.jp-OutputArea img')]"
        ".every(each => each.complete && each.naturalWidth > 0)"
    )
    assert page.get_by_text("model not found").locator("visible=true").count() == 0


def test_each_unit_is_begun_saved_opened_again_and_graded(
    course: Course, learner: Course, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "dry")  # tests of notebooks train
    wrong = complaints(page)
    first = {unit: _first(course, unit) for unit in OPENED}
    with serving(
        lambda port: servers.lab_command(learner, port, browser=False), learner.work
    ) as address:
        for unit, (name, answer) in first.items():
            place = f"{address}/lab/tree/{unit}/{unit}.ipynb"
            opened(page, place)
            report = _begin(page, name, answer)
            report.get_by_text(re.compile("^right · ")).wait_for()
            _whole(page)
            page.keyboard.press("Control+s")
            page.locator(".jp-mod-dirty").first.wait_for(state="hidden")
            end_kernels(page)

            opened(page, place)
            _selected(page, f"# CHECK {name}:")
            report.get_by_text(re.compile("^right · ")).wait_for()
            _whole(page)
            # ipywidgets says so of every slider in a notebook that was opened again.
            assert [each for each in wrong if "widget model not found" not in each] == [], unit
            end_kernels(page)

    handed_in = tmp_path / "handed in"
    for unit in OPENED:
        shutil.copytree(learner.work / unit, handed_in / "ada" / unit)
    rows = grade.grade(course, handed_in, tmp_path / "out", isolated=ISOLATED)
    assert dict(zip(rows.unit, rows.score, strict=True)) == {
        unit: checks.exercises(unit)[name].points for unit, (name, _) in first.items()
    }
