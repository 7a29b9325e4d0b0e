"""Sliders redraw the learner's function; the picture is an output that stays."""

import asyncio
import base64
import inspect
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.figure import Figure

from helpers import book, plots, results, runtime, widgets


class Notebook:
    """What a notebook shows, output by output, and how often a picture was drawn anew."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.metadata: list[dict[str, Any]] = []
        self.updates = 0

    def display(self, data: dict[str, Any], display_id: bool = False, **options: Any) -> Any:
        place = len(self.outputs)
        self.outputs.append(data)
        self.metadata.append(options.get("metadata", {}))
        return SimpleNamespace(update=partial(self._put, place))

    def _put(self, place: int, data: dict[str, Any], **_options: Any) -> None:
        self.outputs[place] = data
        self.updates += 1


def widget_of(output: dict[str, Any]) -> Any:
    """The widget that an output shows."""
    # ipywidgets' own list has another name in version 7.
    models = getattr(ipywidgets.Widget, "_instances", None) or ipywidgets.Widget.widgets
    return models[output[widgets.VIEW]["model_id"]]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    shown = Notebook()
    plt.close("all")  # another test of this process may have left a figure open
    for module in (plots, widgets):
        monkeypatch.setattr(module, "display", shown.display)
    return shown


def _draw(n: int) -> tuple[Figure, str]:
    if n == 3:
        raise ValueError("three is <too> much")
    figure, ax = plt.subplots()
    ax.plot(range(n))
    return figure, f"a line of {n} points"


def _of_text(text: str) -> tuple[Figure, str]:
    return _draw(len(text))


@pytest.mark.parametrize(
    ("draw", "control", "kind", "again", "moves"),
    [
        (_draw, ("points", 1, 9, 4), ipywidgets.IntSlider, widgets.AGAIN, {5: 5, 6: 6}),
        (_of_text, ("points", "four"), ipywidgets.Text, widgets.TYPE, {"four,": 5, "four, s": 7}),
    ],
)
def test_a_picture_is_redrawn_while_one_moves_or_types_and_with_care_when_one_rests(
    draw: Any, control: Any, kind: Any, again: str, moves: dict[Any, int],
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # Of this, ipywidgets 7 has nothing: Colab's version displays widgets in another way.
    monkeypatch.delattr(ipywidgets.Widget, "_repr_mimebundle_")
    monkeypatch.setattr(widgets, "REST", 0.05)
    [name] = inspect.signature(draw).parameters
    widgets.explore(draw, **{name: control})
    view, picture = notebook.outputs
    assert view["text/plain"] == again
    (moved,) = widget_of(view).children
    assert isinstance(moved, kind)
    assert (moved.description, moved.continuous_update) == ("points", True)
    assert 'alt="a line of 4 points"' in picture["text/html"] and "image/png" in picture

    async def move() -> None:
        for value, points in moves.items():
            moved.value = value
            assert f'alt="a line of {points} points"' in notebook.outputs[1]["text/html"]
            assert "image/png" not in notebook.outputs[1]
        await asyncio.sleep(0.2)
        assert notebook.updates == len(moves) + 1
        assert "image/png" in notebook.outputs[1]
        moved.value = 3 if draw is _draw else "123"
        assert "ValueError: three is &lt;too&gt; much" in notebook.outputs[1]["text/html"]

    asyncio.run(move())
    assert len(notebook.outputs) == 2


def test_without_ipywidgets_the_first_picture_is_shown(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    widgets.explore(lambda text: _draw(len(text)), text=("a text", "four"))
    assert "The text box needs ipywidgets" in capsys.readouterr().out
    (picture,) = notebook.outputs
    assert 'alt="a line of 4 points"' in picture["text/html"]


def test_a_figure_is_the_same_each_time_and_carries_its_text(notebook: Notebook) -> None:
    assert plots.png(_draw(4)[0]) == plots.png(_draw(4)[0])
    assert plots.svg(_draw(4)[0]) == plots.svg(_draw(4)[0])
    plots.show(_draw(4)[0], 'a "line"')
    told = {"alt": 'a "line"', "width": 672, "height": 307}
    assert notebook.metadata == [{"image/png": told}]
    (output,) = notebook.outputs
    assert output["text/plain"] == 'a "line"'
    assert 'alt="a &quot;line&quot;"' in output["text/html"]
    assert 'width="672"' in output["text/html"]
    assert not plt.get_fignums()


def test_ink_and_paper_of_a_figure_follow_the_page() -> None:
    drawn = base64.b64decode(plots.svg(_draw(4)[0]).split(",")[1]).decode()
    assert drawn.count("currentColor") > 5
    assert "fill: var(--paper)" in drawn
    assert plots.INK not in drawn and plots.PAPER not in drawn
    assert "prefers-color-scheme:dark" in drawn


def test_a_sketch_keeps_the_axes_where_they_were(notebook: Notebook) -> None:
    place, boxes = plots.LiveOutput(), []
    for top, sketch in ((9, False), (10**6, True), (10**6, False)):
        figure, ax = plt.subplots()
        ax.plot([0, top])
        ax.ticklabel_format(style="plain")
        place.show(figure, "a line", sketch)
        boxes.append(ax.get_position().bounds)
    assert boxes[0] == boxes[1] != boxes[2]


def test_what_is_not_there_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="make study"):
        results.load("no-such-study")
    with pytest.raises(ModuleNotFoundError, match="pip install --no-deps d2l"):
        book.MissingBook("gone").PositionalEncoding  # noqa: B018
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "slow")
    with pytest.raises(ValueError, match="ORDER_MATTERS_PROFILE='slow'"):
        runtime.profile()


def test_the_runtime_check_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "✗" not in runtime.check()
    if not torch.cuda.is_available():
        assert "✓ training runs on the CPU\n" in runtime.check() + "\n"
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
        assert "✓ training runs on the CPU; Apple's GPU stays unused" in runtime.check()
    monkeypatch.setattr(runtime, "_has", lambda module: module != "d2l")
    assert "✗ d2l" in runtime.check()
