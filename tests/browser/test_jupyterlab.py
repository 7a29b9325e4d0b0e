"""Reports of checks and predictions in JupyterLab, and what a notebook keeps of them."""

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from playwright.sync_api import Page

from helpers import checks
from helpers.checks.engine.report import COLOURS, Finding, Report
from helpers.course import demo
from helpers.course.authoring.notebook import METADATA
from helpers.course.settings import Course
from tests.browser.conftest import darken, end_kernels, inaccessible, jupyterlab, opened, run
from tests.common import needs_browser

UNIT = "02-sinusoidal"
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


@pytest.mark.rotating
def test_a_wrong_answer_gets_its_hint_where_everybody_can_read_it(
    course: Course, server: str, folder: Path, page: Page
) -> None:
    notebook = nbformat.read(course.solutions / UNIT / f"{UNIT}.ipynb", as_version=4)
    wrong = next(m for m in checks.exercises(UNIT)["shift"].mistakes if "backwards" in m.name)
    notebook = demo.answered(notebook, {"shift": wrong})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, folder / f"{UNIT}.ipynb")
    opened(page, f"{server}/lab/tree/{UNIT}.ipynb")
    report = page.locator("[role=status]").filter(has_text="The matrix that moves by k").first
    run(page, report)
    assert "it moves a row back by k" in report.inner_text()
    assert page.locator(REPORT).filter(has_text="Hint:").count() == 1
    assert page.locator(".MathJax, mjx-container").count() > 5
    assert inaccessible(page, REPORT) == []
    darken(page)
    assert inaccessible(page, REPORT) == []


def test_a_prediction_is_made_by_keyboard_and_kept(server: str, folder: Path, page: Page) -> None:
    asks = 'predict("far", "Is it?", a="no", b="yes", answer="")'
    cell = v4.new_code_cell(f"from helpers.predict import predict\n{asks}")
    nbformat.write(v4.new_notebook(cells=[cell], metadata=METADATA), folder / "asks.ipynb")
    opened(page, f"{server}/lab/tree/asks.ipynb")
    told = page.locator(REPORT)
    run(page, told)
    page.get_by_label("a) no").focus()
    for key in ("Tab", "Space"):
        page.keyboard.press(key)
    told.filter(has_text="You predict b) yes.").wait_for()
    assert inaccessible(page, ".jp-OutputArea") == []
    page.keyboard.press("Control+s")
    page.locator(".jp-mod-dirty").wait_for(state="detached")
    end_kernels(page)
    opened(page, f"{server}/lab/tree/asks.ipynb")
    told.filter(has_text="You predict b) yes.").wait_for()
    assert page.get_by_text("model not found").locator("visible=true").count() == 0


@pytest.fixture
def reports(server: str, folder: Path) -> str:
    """The address of a notebook that is not trusted, with a report of long words in it."""
    evil, w = "<img src=x onerror=alert(1)>", "w" * 300
    long = Finding(f"part {evil}", 1, 0, w, f"a hint of {w}", f"line 3: {w}")
    report = Report("any", [Finding("first", 1, 1), long], "A title", so_far="This unit so far: 1")
    output = v4.new_output("execute_result", report._repr_mimebundle_(), execution_count=1)
    cell = v4.new_code_cell("check.any(answer)", outputs=[output])
    nbformat.write(v4.new_notebook(cells=[cell]), folder / "reports.ipynb")
    return f"{server}/doc/tree/reports.ipynb"


def test_a_report_keeps_its_look_where_a_notebook_is_not_trusted(reports: str, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(reports)
    report = page.locator(".jp-RenderedHTML > div").first
    report.get_by_text("A title").wait_for()
    assert "✗ part <img src=x onerror=alert(1)>: not yet, 0 of 1" in report.inner_text()
    assert report.locator("img").count() == 0

    style = "(element, name) => getComputedStyle(element)[name]"
    colours = [_rgb(COLOURS[state]) for state in ("partly", "right", "wrong")]
    assert report.evaluate(style, "borderLeftColor") == colours[0]
    assert [each.evaluate(style, "color") for each in report.locator("span").all()] == colours
    assert report.evaluate("element => element.scrollWidth <= element.clientWidth")


def _rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"
