"""Pictures, sliders, figures in JupyterLab: as it runs, opened again, on a phone, in the dark."""

import io
from pathlib import Path

import matplotlib.image
import nbformat
import pytest
from nbformat import v4
from playwright.sync_api import Locator, Page

from benchmarks import sliders
from helpers import widgets
from helpers.course.authoring.notebook import METADATA
from tests.browser.conftest import darken, end_kernels, inaccessible, jupyterlab, opened, run
from tests.common import needs_browser
from tests.web.figures import complaints

CELLS = (
    """\
import matplotlib.pyplot as plt
import pandas as pd
from helpers import explorable, runtime, widgets
from helpers.pictures import clock""",
    """\
def draw(n):
    figure, ax = plt.subplots(figsize=(9, 3))
    ax.plot(range(n))
    return figure, f"a line of {n} points"
widgets.explore(draw, n=("points n", 1, 99, 40))""",
    "pd.DataFrame([[0.12345] * 20])",
    "explorable.show('clock', *clock.clocks(3))",
    "for _ in runtime.bar(range(20), desc='some steps'): pass",
)
OUTPUTS = ".jp-OutputArea"

pytestmark = needs_browser


def _ground(picture: Locator) -> float:
    """How light the corner of a picture is, from 0 to 1."""
    seen = matplotlib.image.imread(io.BytesIO(picture.screenshot()))
    return float(seen[2, 2, :3].mean())


def _drag(page: Page) -> str:
    """Drag the slider to and fro, and leave it elsewhere; gives its last value."""
    handle = page.get_by_role("slider", name="points n")  # axe asks for a name, too
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.locator(".widget-readout").inner_text()
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(30):
        page.mouse.move(x + 2 * step, y)
    # It is not released yet.
    page.get_by_alt_text(f"a line of {before} points").wait_for(state="detached")
    page.mouse.up()
    value = page.locator(".widget-readout").inner_text()
    page.get_by_alt_text(f"a line of {value} points").wait_for()
    return value


def _press(page: Page) -> None:
    """Move the figure by keys, which JupyterLab would take for its own, and save by another."""
    handle = page.get_by_role("slider", name="Move all eight words on by")
    for key in ("ArrowRight", "ArrowUp"):
        handle.press(key)
    page.locator(".says").get_by_text("To move on by 5, every clock").wait_for()
    assert handle.evaluate("each => each === document.activeElement")
    page.keyboard.press("Control+s")
    page.locator(".jp-mod-dirty").first.wait_for(state="hidden")


@pytest.mark.rotating
def test_pictures_stay_when_the_notebook_is_closed(tmp_path: Path, page: Page) -> None:
    path = tmp_path / "a.ipynb"
    nbformat.write(v4.new_notebook(cells=[*map(v4.new_code_cell, CELLS)], metadata=METADATA), path)
    wrong = complaints(page)
    with jupyterlab(tmp_path) as address:
        opened(page, f"{address}/lab/tree/a.ipynb")
        run(page, page.get_by_text("20/20"))
        assert sliders.measure(page, "points n", presses=2, seconds=0.5)["pictures"] > 0
        value = _drag(page)
        _press(page)
        assert inaccessible(page, OUTPUTS) == []
        assert wrong == []
        while "image/png" not in path.read_text(encoding="utf-8"):  # it comes to rest
            page.keyboard.press("Control+s")
            page.wait_for_timeout(500)
        end_kernels(page)

        opened(page, f"{address}/lab/tree/a.ipynb")
        picture = page.get_by_alt_text(f"a line of {value} points")
        picture.wait_for()
        drawn = picture.get_attribute("src") or ""
        assert drawn.startswith("data:image/svg+xml")  # sharp on a screen of any density
        page.get_by_text("20/20").wait_for()
        page.locator("figure.ready[data-theme=light]").wait_for()  # it asks no kernel
        gone = page.get_by_text("model not found")
        gone.wait_for(state="attached")
        assert not gone.is_visible()
        says = "each => getComputedStyle(each, '::after').content"
        assert gone.evaluate(says) == f'"{widgets.AGAIN}"'
        assert _ground(picture) > 0.9
        darken(page)
        assert _ground(picture) < 0.1
        page.locator("figure.ready[data-theme=dark]").wait_for()
        assert inaccessible(page, OUTPUTS) == []

        page.keyboard.press("Control+b")  # the list of files would take all of a phone
        page.set_viewport_size({"width": 360, "height": 2000})
        for each in ("img.order-matters", "figure.ready", "figure.ready .clocks"):
            page.wait_for_function(f"document.querySelector('{each}').clientWidth < 360")
        assert inaccessible(page, OUTPUTS) == []
        page.set_viewport_size({"width": 1280, "height": 2000})

        # Somebody else's notebook is not trusted: JupyterLab shows of it what can do no harm.
        notebook = nbformat.read(path, as_version=4)
        notebook.cells[1].outputs[0].data["text/plain"] += " "
        notebook.cells[3].outputs[0].data["text/plain"] += " "
        nbformat.write(notebook, tmp_path / "b.ipynb")
        opened(page, f"{address}/lab/tree/b.ipynb")
        picture.wait_for()
        page.get_by_text(widgets.AGAIN).wait_for()
        page.get_by_alt_text("Eight clock faces for positions 3 to 10").wait_for()
        assert page.locator("figure.ready").count() == 0
    assert [each for each in wrong if "widget model not found" not in each] == []
