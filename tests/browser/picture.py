"""README's picture of JupyterLab: `python -m tests.browser.picture`.

A unit with a usual mistake in it: on the left its check with the hint, on the right what the next
cell shows, a picture that sliders move.
"""

import io
import os
import tempfile
from pathlib import Path

import nbformat
from PIL import Image
from playwright.sync_api import Locator, Page, ViewportSize, sync_playwright

from helpers import checks
from helpers.course import demo, servers, settings
from tests.browser.conftest import jupyterlab, opened, run
from tests.common import CHROMIUM, ROOT

PATH = ROOT / "docs" / "jupyterlab.png"
UNIT, EXERCISE, MISTAKE = "02-sinusoidal", "table", "base forgotten"
SLIDER, PICTURE = "log10_base=", "The table for T=64"
SIZE = ViewportSize(width=1280, height=480)
COLOURS = 256  # a picture of a page needs no more, and is a third as large


def taken(page: Page, address: str) -> bytes:
    """Run the unit, put the slider's picture beside the check, and take it."""
    opened(page, address)
    page.keyboard.press("Control+b")  # the list of files
    report = page.locator("[role=status]").filter(has_text="any other base").first
    run(page, report)
    page.get_by_alt_text(PICTURE).click(button="right")
    page.get_by_text("Create New View for Cell Output").click()
    page.set_viewport_size(SIZE)
    view = page.locator(".jp-LinkedOutputView")
    view.get_by_alt_text(PICTURE).wait_for()
    beside(page, page.locator("#jp-main-dock-panel .lm-TabBar-tab").filter(has_text="Output View"))
    report.evaluate("each => each.closest('.jp-Cell').scrollIntoView()")
    page.mouse.move(0, 0)
    page.wait_for_timeout(2000)  # pictures are painted a little later
    return page.screenshot()


def beside(page: Page, tab: Locator) -> None:
    """Drag a tab to the right edge, so that what it shows stands beside the notebook."""
    tab.hover()
    page.mouse.down()
    page.mouse.move(SIZE["width"] / 2, SIZE["height"] / 2, steps=10)
    page.mouse.move(SIZE["width"] - 50, SIZE["height"] / 2, steps=10)
    page.mouse.up()


def main() -> None:
    """Write docs/jupyterlab.png."""
    course = settings.find(ROOT)
    notebook = nbformat.read(course.solutions / UNIT / f"{UNIT}.ipynb", as_version=4)
    mistakes = checks.exercises(UNIT)[EXERCISE].mistakes
    [wrong] = [each for each in mistakes if each.name == MISTAKE]
    notebook = demo.answered(notebook, {EXERCISE: wrong})
    last = next(n for n, cell in enumerate(notebook.cells) if SLIDER in cell.source)
    del notebook.cells[last + 1 :]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    os.environ.update(servers.configuration())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        nbformat.write(notebook, Path(folder) / f"{UNIT}.ipynb")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": SIZE["width"], "height": 4000})
        page.set_default_timeout(120_000)
        with jupyterlab(Path(folder)) as address:
            shot = taken(page, f"{address}/lab/tree/{UNIT}.ipynb")
            browser.close()  # the server would wait for it
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLOURS).save(PATH, optimize=True)
    print(f"{PATH}: {PATH.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
