"""A person's way through JupyterLab: run a unit from top to bottom, read a check, move a slider."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page

from helpers import checks
from helpers.course import synthetic
from helpers.course.settings import Course
from tests.browser.conftest import serving
from tests.common import needs_browser

UNIT = "02-sinusoidal"

pytestmark = needs_browser


@pytest.fixture
def lab(course: Course, tmp_path: Path) -> Iterator[str]:
    """JupyterLab on a copy of the unit with one answer wrong; gives the notebook's address."""
    notebook = nbformat.read(course.solutions / UNIT / f"{UNIT}.ipynb", as_version=4)
    wrong = next(m for m in checks.exercises(UNIT)["shift"].mistakes if "backwards" in m.name)
    notebook = synthetic.answered(notebook, {"shift": wrong.answer})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, tmp_path / f"{UNIT}.ipynb")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.root_dir={tmp_path}", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with serving(lambda port: [*command, f"--port={port}"], tmp_path) as address:
        yield f"{address}/lab/tree/{UNIT}.ipynb"


def test_a_unit_runs_and_its_slider_moves(lab: str, page: Page) -> None:
    page.goto(lab)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.locator(".jp-Notebook .jp-Cell").first.click()
    # Without a kernel JupyterLab runs a cell by doing nothing.
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    report = page.locator("[role=status]").filter(has_text="shift: 0 of 2 points").first
    report.wait_for()
    assert "it moves a row back by k" in report.inner_text()
    assert page.locator(".MathJax, mjx-container").count() > 5

    picture = page.locator(".widget-html img, .jupyter-widgets img").first
    picture.wait_for()
    before = picture.get_attribute("src")
    assert "base" not in (picture.get_attribute("alt") or "") and picture.get_attribute("alt")
    handle = page.locator(".widget-slider .noUi-handle, .jupyter-widgets .noUi-handle").first
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "old => document.querySelector('.jupyter-widgets img').src !== old", arg=before
    )
    if shot := os.environ.get("ORDER_MATTERS_SCREENSHOT"):
        page.screenshot(path=shot)
