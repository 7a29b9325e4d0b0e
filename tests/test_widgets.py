"""Sliders redraw the learner's function; the picture is an output that stays."""

import asyncio
import base64
import sys
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from helpers import book, plots, results, runtime, widgets


class Notebook:
    """What a notebook shows, output by output, and how often a picture was drawn anew."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, str]] = []
        self.metadata: list[dict[str, Any]] = []
        self.updates = 0

    def display(self, data: dict[str, str], display_id: bool = False, **options: Any) -> Any:
        place = len(self.outputs)
        self.outputs.append(data)
        self.metadata.append(options.get("metadata", {}))
        return type("Handle", (), {"update": lambda _, *given, **also: self._put(place, *given)})()

    def _put(self, place: int, data: dict[str, str]) -> None:
        self.outputs[place] = data
        self.updates += 1


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


def test_a_slider_redraws_while_it_moves_and_with_care_when_it_rests(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of this, ipywidgets 7 has nothing: Colab's version displays widgets in another way.
    monkeypatch.delattr(ipywidgets.Widget, "_repr_mimebundle_")
    monkeypatch.setattr(widgets, "REST", 0.05)
    widgets.explore(_draw, n=("points n", 1, 9, 4))
    view, picture = notebook.outputs
    assert view["text/plain"] == widgets.AGAIN
    panel = _models()[view[widgets.VIEW]["model_id"]]  # type: ignore[index]
    (slider,) = panel.children
    assert isinstance(slider, ipywidgets.IntSlider)
    assert slider.description == "points n"
    assert slider.continuous_update
    assert 'alt="a line of 4 points"' in picture["text/html"]
    assert "image/png" in picture

    async def drag() -> None:
        for n in (5, 6):
            slider.value = n
            assert f'alt="a line of {n} points"' in notebook.outputs[1]["text/html"]
            assert "image/png" not in notebook.outputs[1]
        assert notebook.updates == 2
        await asyncio.sleep(0.2)
        assert notebook.updates == 3
        assert "image/png" in notebook.outputs[1]
        slider.value = 3
        assert "ValueError: three is &lt;too&gt; much" in notebook.outputs[1]["text/html"]

    asyncio.run(drag())
    assert len(notebook.outputs) == 2


def test_a_text_box_is_read_while_one_types(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(ipywidgets.Widget, "_repr_mimebundle_")
    monkeypatch.setattr(widgets, "REST", 0.05)
    widgets.explore(lambda text: _draw(len(text)), text=("a text", "four"))
    view, picture = notebook.outputs
    assert view["text/plain"] == widgets.TYPE and widgets.TYPE in picture["text/html"]
    (box,) = _models()[view[widgets.VIEW]["model_id"]].children  # type: ignore[index]
    assert isinstance(box, ipywidgets.Text)
    assert (box.description, box.value, box.continuous_update) == ("a text", "four", True)
    assert 'alt="a line of 4 points"' in picture["text/html"]

    async def typed() -> None:
        for text in ("four,", "four, s"):
            box.value = text
            assert f'alt="a line of {len(text)} points"' in notebook.outputs[1]["text/html"]
        assert "image/png" not in notebook.outputs[1]
        await asyncio.sleep(0.2)
        assert "image/png" in notebook.outputs[1]

    asyncio.run(typed())
    assert len(notebook.outputs) == 2


def test_without_ipywidgets_the_first_picture_is_shown(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    widgets.explore(lambda text: _draw(len(text)), text=("a text", "four"))
    assert "The text box needs ipywidgets" in capsys.readouterr().out
    (picture,) = notebook.outputs
    assert 'alt="a line of 4 points"' in picture["text/html"]


def _models() -> dict[str, Any]:
    """ipywidgets' own list has another name in version 7."""
    every = getattr(ipywidgets.Widget, "_instances", None) or ipywidgets.Widget.widgets
    return dict(every)


def test_a_figure_is_the_same_each_time_and_carries_its_text(notebook: Notebook) -> None:
    assert plots.png(_draw(4)[0]) == plots.png(_draw(4)[0])
    assert plots.svg(_draw(4)[0]) == plots.svg(_draw(4)[0])
    plots.show(_draw(4)[0], 'a "line"')
    assert notebook.metadata == [{"image/png": {"alt": 'a "line"'}}]
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


def test_a_wide_table_can_be_moved_by_the_keyboard() -> None:
    shown = plots.scrolling(pd.DataFrame({"loss": [0.5]}))
    assert shown.startswith('<div role="group" aria-label="Table" tabindex="0"')
    assert "<td>0.5</td>" in shown


def test_what_is_not_there_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="make study"):
        results.load("no-such-study")
    with pytest.raises(ModuleNotFoundError, match="pip install --no-deps d2l"):
        book.MissingBook("gone").PositionalEncoding  # noqa: B018
    assert not book.MissingBook("gone")
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "slow")
    with pytest.raises(ValueError, match="ORDER_MATTERS_PROFILE='slow'"):
        runtime.profile()


def test_a_recorded_result_says_where_it_comes_from() -> None:
    study = results.load("lag3")
    assert "make study" in study.note
    assert study.table.groupby("encoding")["seed"].nunique().min() >= 3


def test_the_recorded_race_shows_what_the_lessons_say_of_it() -> None:
    table = results.load("lag3").table
    loss = table.groupby(["encoding", "length"])["loss"].mean()
    limit = table.groupby("length")["limit"].mean()
    assert limit[24] < loss["sinusoidal", 24] < limit[24] + 0.05  # near the limit
    assert loss["sinusoidal", 48] > 4 * limit[48]  # far above it
    assert loss["sinusoidal", 96] > loss["none", 96] > 4 * limit[96]  # worse than none
    spread = table.groupby(["encoding", "length"])["loss"].std()
    assert loss["sinusoidal", 96] - loss["none", 96] > 2 * spread["sinusoidal", 96]


def test_the_runtime_check_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "✗" not in runtime.check()
    monkeypatch.setattr(runtime, "_has", lambda module: module != "d2l")
    assert "✗ d2l" in runtime.check()
