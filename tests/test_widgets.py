"""Sliders redraw the learner's function, and leave a picture where no slider can live."""

from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from helpers import book, plots, recorded, runtime, widgets


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a notebook would display."""
    outputs: list[Any] = []
    for module in (plots, widgets):
        monkeypatch.setattr(
            module, "display", lambda data, **options: outputs.append((data, options))
        )
    return outputs


def _draw(n: int) -> tuple[Figure, str]:
    if n == 3:
        raise ValueError("three is <too> much")
    figure, ax = plt.subplots()
    ax.plot(range(n))
    return figure, f"a line of {n} points"


def test_a_slider_redraws_and_a_failing_function_says_so(
    shown: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of this, ipywidgets 7 has nothing: Colab's version displays widgets in another way.
    monkeypatch.delattr(ipywidgets.Widget, "_repr_mimebundle_")
    panel = widgets._panel(_draw, {"n": (1, 9, 4)}, "", "the first picture")
    monkeypatch.setattr(widgets, "_panel", lambda *_arguments: panel)
    widgets.explore(_draw, n=(1, 9, 4))
    data, options = shown[0]
    assert data["text/plain"] == "a line of 4 points" == options["metadata"]["image/png"]["alt"]
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id != ""
    slider, image = panel.children
    assert isinstance(slider, ipywidgets.IntSlider)
    first = image.value
    slider.value = 5
    assert "a line of 5 points" in image.value != first
    slider.value = 3
    assert "ValueError: three is &lt;too&gt; much" in image.value


def test_figures_are_the_same_bytes_and_carry_their_text(shown: list[Any]) -> None:
    assert plots.png(_draw(4)[0]) == plots.png(_draw(4)[0])
    plots.show(_draw(4)[0], "a line")
    assert shown[0][1]["metadata"] == {"image/png": {"alt": "a line"}}
    assert not plt.get_fignums()


def test_what_is_not_there_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="make study"):
        recorded.load("no-such-study")
    with pytest.raises(ModuleNotFoundError, match="pip install --no-deps d2l"):
        book.MissingBook("gone").PositionalEncoding  # noqa: B018
    assert not book.MissingBook("gone")
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "slow")
    with pytest.raises(ValueError, match="ORDER_MATTERS_PROFILE='slow'"):
        runtime.profile()


def test_a_recorded_result_says_where_it_comes_from() -> None:
    study = recorded.load("lag3")
    assert "make study" in study.note
    assert study.table.groupby("encoding")["seed"].nunique().min() >= 3


def test_the_recorded_race_shows_what_the_lessons_say_of_it() -> None:
    table = recorded.load("lag3").table
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
