"""Cells and changes that the reported notebooks share."""

from __future__ import annotations

import json
from typing import Any

import nbformat

from tests.course.everyday.work import (
    Cell,
    Change,
    Work,
    each_cell,
    is_code,
)

THREAD = """\
import threading, time
def told():
    for n in range(20):
        print("step", n); time.sleep(0.1)
threading.Thread(target=told).start()"""
HANDLE = """\
from IPython.display import display
shown = display("step 0", display_id="mine")
for n in range(50):
    shown.update(f"step {n}")"""
OUTPUT = """\
import threading
import ipywidgets as widgets
from IPython.display import clear_output, display
out = widgets.Output()
display(out)
def told():
    with out:
        clear_output(wait=True)
        print("from a thread")
threading.Thread(target=told).start()
with out:
    raise ValueError("shown in the widget")"""
BARS = """\
from tqdm.notebook import tqdm, trange
bar = tqdm(total=10)
for _ in trange(5):
    bar.update(1)
bar.close()"""
LATE = """\
import asyncio
async def late():
    await asyncio.sleep(0.1)
    return 3
asyncio.run(late())"""
SLIDER = """\
from ipywidgets import Button, IntSlider, interact
from IPython.display import display
button = Button(description="again")
button.on_click(lambda _: print("again"))
display(button, IntSlider(3))
@interact(n=(1, 9))
def shown(n=4): print(n)"""
STOP = """\
class Stop(BaseException):
    def _render_traceback_(self): return ["stopped"]
raise Stop"""
KAGGLE = """\
import os
for folder, _, files in os.walk("/kaggle/input"):
    for file in files: print(os.path.join(folder, file))
data = pd.read_csv("/kaggle/input/my-runs/runs.csv")"""
NETWORK = """\
import requests, urllib.request
urllib.request.urlretrieve("http://example.com/", "page.html")
requests.get("http://example.com/", timeout=3).raise_for_status()"""
DEEPER = "def deeper(n):\n    return deeper(n + 1)\ndeeper(0)"
PICTURE = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480 with 1 Axes>"}


def of_colab(cell: Cell) -> None:
    """Write a cell's metadata and outputs as Colab does, with its id among them."""
    cell["metadata"] = {"id": cell.pop("id"), "colab": {"base_uri": "https://localhost:8080/"}}
    if is_code(cell):
        data: dict[str, Any] = {
            "application/vnd.google.colaboratory.intrinsic+json": {"type": "string"}
        }
        data["text/plain"] = "'3'"
        shown = {"output_type": "execute_result", "execution_count": 3, "metadata": {}}
        cell["outputs"] = [shown | {"data": data}]
        cell["metadata"]["outputId"] = "0a1b2c3d-0001"


def without_metadata(cell: Cell) -> None:
    cell["metadata"] = {}
    cell.pop("id", None)


def without_marker(cell: Cell) -> None:
    cell["source"] = cell["source"].partition("\n")[2]


def named_by_editor(cell: Cell) -> None:
    cell["metadata"]["vscode"] = {"languageId": "python"}
    cell["id"] = "1"


def without(*fields: str) -> Change:
    def change(cell: Cell) -> None:
        for field in fields:
            cell.pop(field, None)

    return each_cell(change)


def of_kind(kind: str, cell: Cell) -> None:
    """Make a cell another kind of cell, as a key does that is pressed by accident."""
    cell["cell_type"] = kind
    cell.pop("outputs", None)
    cell.pop("execution_count", None)


def old_format(text: str) -> str:
    """Write a notebook as version 3, which knows neither ids nor nbgrader's newer fields."""
    return nbformat.writes(nbformat.from_dict(json.loads(text)), version=3)


def essay_as_code(work: Work) -> None:
    """Make the essay a cell of code, in which it stands as a comment."""
    essay = next(
        c for c in work.cells if c["metadata"].get("nbgrader", {}).get("grade_id") == "stacking"
    )
    essay["cell_type"] = "code"
    essay["source"] = "\n".join(f"# {line}" for line in essay["source"].split("\n"))
    essay |= {"outputs": [], "execution_count": None}


def large_outputs(cell: Cell) -> None:
    if is_code(cell):
        shown = {"output_type": "stream", "name": "stdout", "text": "a line of it\n" * 2_000}
        cell["outputs"] = [shown, {"output_type": "display_data", "metadata": {}, "data": PICTURE}]
