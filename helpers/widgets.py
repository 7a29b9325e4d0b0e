"""Sliders that act on the learner's own function.

Where no slider can live (GitHub, a page, a test run) the same output shows its first picture.
Only what ipywidgets 7 and 8 share is used.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Callable
from typing import Any

from IPython.display import display
from matplotlib.figure import Figure

from helpers import plots

VIEW = "application/vnd.jupyter.widget-view+json"
Draw = Callable[..., tuple[Figure, str]]


def explore(draw: Draw, **sliders: tuple[float, float, float]) -> None:
    """Show `draw(**values)` with a slider for each of its arguments.

    Args:
        draw: gives a figure and the text that describes it.
        sliders: argument name → (lowest, highest, first value); whole numbers if all three are.
    """
    picture, alt = _drawn(draw, {name: first for name, (_, _, first) in sliders.items()})
    data: dict[str, Any] = {"image/png": picture, "text/plain": alt}
    try:
        data[VIEW] = _view(_panel(draw, sliders, picture, alt))
    except ImportError:
        print("The sliders need ipywidgets (pip install ipywidgets); here is the first picture.")
    display(data, metadata={"image/png": {"alt": alt}}, raw=True)


def _view(panel: Any) -> dict[str, Any]:
    """What a notebook needs to show a widget; ipywidgets 7 only displays it, without a picture."""
    return {"version_major": 2, "version_minor": 0, "model_id": panel.model_id}


def _drawn(draw: Draw, values: dict[str, float]) -> tuple[str, str]:
    figure, alt = draw(**values)
    return base64.b64encode(plots.png(figure)).decode(), alt


def _panel(
    draw: Draw, sliders: dict[str, tuple[float, float, float]], picture: str, alt: str
) -> Any:
    import ipywidgets

    image = ipywidgets.HTML(_image(picture, alt))
    controls = {}
    for name, (low, high, first) in sliders.items():
        whole = all(isinstance(value, int) for value in (low, high, first))
        kind = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
        controls[name] = kind(
            value=first, min=low, max=high, description=name, continuous_update=False
        )

    def redraw(_change: Any) -> None:
        try:
            image.value = _image(*_drawn(draw, {n: c.value for n, c in controls.items()}))
        except Exception as error:  # a learner's function may fail at any value of the sliders
            image.value = f"<p role='alert'>{type(error).__name__}: {html.escape(str(error))}</p>"

    for control in controls.values():
        control.observe(redraw, names="value")
    return ipywidgets.VBox([*controls.values(), image])


def _image(picture: str, alt: str) -> str:
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{picture}">'
