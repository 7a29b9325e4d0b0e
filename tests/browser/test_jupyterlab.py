"""A person's way through JupyterLab: run a unit, read its checks, move a slider, reopen it."""

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from playwright.sync_api import Page

from helpers import checks
from helpers.checks.engine import Finding, Report, render
from helpers.course import synthetic
from helpers.course.settings import Course
from tests.browser.conftest import darken, end_kernels, inaccessible, jupyterlab, opened, run
from tests.common import needs_browser

UNIT = "02-sinusoidal"
MOVED = "The table for T=65"
REPORT = ".jp-OutputArea [role=status]"

pytestmark = needs_browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The address of JupyterLab, one for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ORDER_MATTERS_PROFILE", "dry")
        with jupyterlab(folder) as address:
            yield address


@pytest.fixture
def lab(course: Course, server: str, folder: Path) -> str:
    """The address of a copy of the unit with one answer wrong."""
    notebook = nbformat.read(course.solutions / UNIT / f"{UNIT}.ipynb", as_version=4)
    wrong = next(m for m in checks.exercises(UNIT)["shift"].mistakes if "backwards" in m.name)
    notebook = synthetic.answered(notebook, {"shift": wrong})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, folder / f"{UNIT}.ipynb")
    return f"{server}/lab/tree/{UNIT}.ipynb"


@pytest.mark.rotating
def test_a_unit_runs_its_slider_moves_and_its_picture_stays(
    lab: str, page: Page, folder: Path
) -> None:
    opened(page, lab)
    report = page.locator("[role=status]").filter(has_text="The matrix that moves by k").first
    run(page, report)
    assert "it moves a row back by k" in report.inner_text()
    assert page.locator(".MathJax, mjx-container").count() > 5

    page.get_by_alt_text("The table for T=64").first.wait_for()
    page.get_by_role("slider", name="length T").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_alt_text(MOVED).first.wait_for()
    if shot := os.environ.get("ORDER_MATTERS_SCREENSHOT"):
        page.screenshot(path=shot)

    assert page.locator(REPORT).filter(has_text="Hint:").count() == 1
    assert inaccessible(page, REPORT) == []
    darken(page)
    assert inaccessible(page, REPORT) == []

    saved = folder / f"{UNIT}.ipynb"
    while MOVED not in saved.read_text(encoding="utf-8"):
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
    end_kernels(page)
    cells = nbformat.read(saved, as_version=4).cells
    [first, *_] = [n for n, cell in enumerate(cells) if "# CHECK" in cell.source]
    [drawn] = [n for n, cell in enumerate(cells) if MOVED in str(cell.get("outputs"))]
    assert first < drawn  # nothing of it has run when the notebook is opened again

    opened(page, lab)
    page.locator(".jp-CodeCell").filter(
        has_text="its code is folded"
    ).first.scroll_into_view_if_needed()
    picture = page.get_by_alt_text(MOVED)
    picture.wait_for()
    assert picture.evaluate("each => each.complete && each.naturalWidth > 100")
    page.get_by_role("slider", name="length T").wait_for(state="detached")

    page.add_style_tag(content=f"{REPORT} li {{ color: #555 }}")  # what axe sees in the dark
    assert {rule for rule, _ in inaccessible(page, REPORT)} == {"color-contrast"}


@pytest.fixture
def reports(server: str, folder: Path) -> str:
    """The address of a notebook that is not trusted, with a report of long words in it."""
    evil = "<img src=x onerror=alert(1)>"
    long = Finding(
        f"part {evil}", 1, 0, "w" * 300, "a hint of " + "w" * 300, "line 3: " + "w" * 300
    )
    report = Report("any", [Finding("first", 1, 1), long], "A title", so_far="This unit so far: 1")
    output = v4.new_output("execute_result", report._repr_mimebundle_(), execution_count=1)
    nbformat.write(
        v4.new_notebook(cells=[v4.new_code_cell("check.any(answer)", outputs=[output])]),
        folder / "reports.ipynb",
    )
    return f"{server}/doc/tree/reports.ipynb"


def test_a_report_keeps_its_look_where_a_notebook_is_not_trusted(reports: str, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(reports)
    report = page.locator(".jp-RenderedHTML > div").first
    report.get_by_text("A title").wait_for()
    assert "✗ part <img src=x onerror=alert(1)>: not yet, 0 of 1" in report.inner_text()
    assert report.locator("img").count() == 0

    style = "(element, name) => getComputedStyle(element)[name]"
    colours = [render.COLOURS[state] for state in ("partly", "right", "wrong")]
    border = report.evaluate(style, "borderLeftColor")
    marks = [each.evaluate(style, "color") for each in report.locator("span").all()]
    assert [border, *marks] == [_rgb(colours[0]), *map(_rgb, colours)]
    hint = report.get_by_text("Hint:").locator("..")
    assert hint.evaluate(style, "borderTopColor") == _rgb(colours[0])
    assert hint.evaluate(style, "backgroundColor") == "rgba(127, 127, 127, 0.12)"
    assert report.evaluate("element => element.scrollWidth <= element.clientWidth")


def _rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"
