"""Sliders in JupyterLab: from a key to the picture painted, and pictures a second in a drag.

One slider of each of eight units, in Chromium, with the kernel, the server and the browser on one
machine. Prints the targets and whether they are met; writes sliders.json and .txt.
"""

from __future__ import annotations

import os
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import nbformat
import pandas as pd
from nbformat import NotebookNode
from playwright.sync_api import Page
from tqdm import tqdm

from helpers import results
from helpers.course import settings
from tests.browser.conftest import end_kernels, jupyterlab, opened, run
from tests.web.figures import browsing

SLIDERS = {
    "01-order-blind": "key width d",
    "02-sinusoidal": "length T",
    "03-learned": "new length",
    "04-relative": "length T",
    "05-after-bert": "preferred offset m",
    "06-stacking": "sharpness α",
    "07-bert-inputs": "chosen words (%)",
    "09-claim-lab": "how random W is",
}
COURSE = settings.find(Path(__file__).parent)
HERTZ = 60  # moves of the mouse, as many as a screen shows
REST = 800  # milliseconds, behind which the picture has also been drawn with all care
# Notes in the page when a key was pressed, and when each new picture was painted.
WATCH = """() => {
    window.pressed = 0;
    window.painted = [];
    addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
    const seen = async image => {
        await image.decode();
        requestAnimationFrame(() => window.painted.push(performance.now()));
    };
    new MutationObserver(changes => {
        for (const { addedNodes } of changes) for (const node of addedNodes)
            if (node.matches?.("img.order-matters")) seen(node);
            else node.querySelectorAll?.("img.order-matters").forEach(seen);
    }).observe(document.body, { childList: true, subtree: true });
}"""


def upto(unit: str, label: str) -> NotebookNode:
    """The code of a unit's solution, up to the cell that has the slider."""
    notebook = nbformat.read(COURSE.solutions / unit / f"{unit}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    last = next(n for n, cell in enumerate(code) if f'("{label}"' in cell.source)
    for cell in code:
        cell.outputs = []
    notebook.cells = code[: last + 1]
    return notebook


def measure(page: Page, label: str, presses: int = 8, seconds: float = 4.0) -> dict[str, float]:
    """Milliseconds from a key to the picture, median and largest; pictures a second in a drag."""
    page.evaluate(WATCH)
    keys = islice(cycle(("ArrowRight", "ArrowLeft")), presses)
    waits = pd.Series([_wait(page, label, key) for key in keys])
    pictures = _drag(page, label, seconds)
    return {"median": waits.median(), "largest": waits.max(), "pictures": pictures}


def _wait(page: Page, label: str, key: str) -> float:
    """Milliseconds from a key to the first picture after it."""
    page.evaluate("window.painted = []")
    page.get_by_role("slider", name=label, exact=True).press(key)
    page.wait_for_function("window.painted.length")
    page.wait_for_timeout(REST)
    return float(page.evaluate("window.painted[0] - window.pressed"))


def _drag(page: Page, label: str, seconds: float) -> float:
    """Pictures painted a second while the handle is drawn to and fro."""
    handle = page.get_by_role("slider", name=label, exact=True)
    way = handle.locator("xpath=ancestor::*[contains(@class, 'noUi-base')]")
    box, track = handle.bounding_box(), way.bounding_box()
    assert box and track
    y, step = box["y"] + box["height"] / 2, track["width"] / 20
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.evaluate("window.painted = []")
    begun, n = time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < seconds:
        n += 1
        page.mouse.move(track["x"] + step * abs(n % 40 - 20), y)
        page.wait_for_timeout(1000 / HERTZ)
    painted = page.evaluate("window.painted.length")
    page.mouse.up()
    page.wait_for_timeout(REST)
    return float(painted / passed)


def targets(table: pd.DataFrame) -> list[str]:
    """A line for each target; it begins with "met" or "missed"."""
    slowest = table.sort_values("median").iloc[-1]
    fewest = table.sort_values("pictures").iloc[0]
    soon = "met   " if slowest["median"] <= 150 else "missed"
    often = "met   " if fewest["pictures"] >= 8 else "missed"
    return [
        f"{soon} a picture {slowest['median']:.0f} ms after a key in the slowest, "
        f"{slowest['unit']} (at most 150)",
        f"{often} {fewest['pictures']:.1f} pictures a second in a drag in the slowest, "
        f"{fewest['unit']} (at least 8)",
    ]


def main() -> None:
    """Measure, print, and store."""
    os.environ["ORDER_MATTERS_PROFILE"] = "dry"
    rows = []
    with tempfile.TemporaryDirectory() as name, browsing() as browser:
        folder = Path(name)
        for unit, label in tqdm(SLIDERS.items(), desc="slider"):
            nbformat.write(upto(unit, label), folder / f"{unit}.ipynb")
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            with jupyterlab(folder) as address:
                opened(page, f"{address}/lab/tree/{unit}.ipynb")
                handle = page.get_by_role("slider", name=label, exact=True)
                run(page, handle)
                handle.scroll_into_view_if_needed()
                page.wait_for_timeout(5 * REST)
                rows.append({"unit": unit, "slider": label, **measure(page, label)})
                end_kernels(page)
                page.close()  # the server would wait for it
    table = pd.DataFrame(rows)
    lines = targets(table)
    print(table.round(1).to_string(index=False), *lines, sep="\n")
    path = results.save("sliders", table, "make bench")
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
