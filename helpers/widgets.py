"""Sliders and text boxes that act on the learner's own function.

The picture is an ordinary output, which stays when the notebook is closed and shows where no widget
can live (GitHub, a page, a test run). Only what ipywidgets 7 and 8 share is used.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping
from typing import Any

from IPython.display import display
from matplotlib.figure import Figure

from helpers.plots import LiveOutput

VIEW = "application/vnd.jupyter.widget-view+json"
AGAIN, TYPE = "To move the sliders, run this cell.", "To type here, run this cell."
CHOOSE = "To choose here, run this cell."
REST = 0.3  # seconds without a new value after which the picture is drawn with all care
# JupyterLab puts an error where widgets were whose kernel has gone, and gives handles no name.
GONE = (
    "<style>.jp-OutputArea-output.jupyter-widgets:not(:has(*))"
    "{visibility:hidden;font-size:0}"
    ".jp-OutputArea-output.jupyter-widgets:not(:has(*))::after"
    f"{{visibility:visible;font-size:var(--jp-content-font-size1);content:'{AGAIN}'}}</style>"
)
AROUND = (
    f"{GONE}<script>setTimeout(()=>document.querySelectorAll('.widget-slider').forEach(each=>"
    "each.querySelector('.noUi-handle')?.setAttribute('aria-label',"
    "each.querySelector('label').textContent)),500)</script>"
)
GONE_BOX, GONE_CHOICES = (
    f"<span class='order-matters-{kind}'></span><style>"
    f".jp-OutputArea-child:has(~.jp-OutputArea-child .order-matters-{kind}) "
    f".jp-OutputArea-output.jupyter-widgets:not(:has(*))::after{{content:'{text}'}}</style>"
    for kind, text in (("box", TYPE), ("choices", CHOOSE))
)
AROUND_A_BOX = AROUND + GONE_BOX
# A long choice goes on below itself; ipywidgets cuts it.
AROUND_CHOICES = (
    f"{GONE}{GONE_CHOICES}<style>.widget-radio-box{{max-width:100%}}.widget-radio-box label"
    "{display:flex;height:auto;flex-direction:row-reverse;justify-content:flex-end;"
    "white-space:normal}.widget-radio-box input{flex:none}</style>"
)
Draw = Callable[..., tuple[Figure, str]]
Slider = tuple[str, float, float, float]
Box = tuple[str, str]


def explore(draw: Draw, **controls: Slider | Box) -> None:
    """Show `draw(**values)` with a slider or a text box for each of its arguments.

    Args:
        draw: gives a figure and the text that describes it.
        controls: argument name → (label, lowest, highest, first value) for a slider, of whole
            numbers if all three are; or (label, first text) for a box, read while one types.
    """
    figure, alt = draw(**{name: first for name, (*_, first) in controls.items()})
    typed = any(len(control) == 2 for control in controls.values())
    place = LiveOutput(AROUND_A_BOX if typed else AROUND)
    try:
        panel = _panel(draw, controls, place)
    except ImportError:
        what = "The text box needs" if typed else "The sliders need"
        print(f"{what} ipywidgets (pip install ipywidgets); here is the first picture.")
    else:
        _display(panel, TYPE if typed else AGAIN)
    place.show(figure, alt)


def ask(choices: Mapping[str, str], said: str, answered: Callable[[str], None]) -> None:
    """Show what can be chosen, or a box for a number where nothing can.

    Args:
        choices: letter → text.
        said: what has been answered so far; "" if nothing.
        answered: gets the letter that is chosen, or what is typed.

    Raises:
        ImportError: there is no ipywidgets.
    """
    import ipywidgets

    if choices:
        options = [(f"{letter}) {text}", letter) for letter, text in choices.items()]
        control = ipywidgets.RadioButtons(options=options, value=said or None)
        control.layout.width = "100%"
    else:
        control = ipywidgets.Text(said, description="Your number", continuous_update=False)
        control.style.description_width = "initial"
    control.observe(lambda change: answered(change["new"]), names="value")
    _display(control, CHOOSE)


def _display(control: Any, gone: str) -> None:
    """Display a widget; `gone` stands where it is no more."""
    # ipywidgets 7 only displays it, without a text.
    view = {"version_major": 2, "version_minor": 0, "model_id": control.model_id}
    display({VIEW: view, "text/plain": gone}, raw=True)


def _panel(draw: Draw, controls: dict[str, Slider | Box], place: LiveOutput) -> Any:
    import ipywidgets

    shown = {name: _control(*control) for name, control in controls.items()}
    # What is there will stay: to search it for garbage takes as long as every third picture.
    gc.freeze()

    def redraw(sketch: bool) -> None:
        try:
            figure, alt = draw(**{name: control.value for name, control in shown.items()})
            place.show(figure, alt, sketch)
        except Exception as error:  # a learner's function may fail at any value
            place.say(f"{type(error).__name__}: {error}")

    resting: asyncio.TimerHandle | None = None

    def moved(_change: Any) -> None:
        # While one drags or types, the front end sends the next value when this one is drawn, and
        # of those that came meanwhile only the last.
        nonlocal resting
        redraw(sketch=True)
        if resting:
            resting.cancel()
        resting = asyncio.get_running_loop().call_later(REST, redraw, False)

    for control in shown.values():
        control.observe(moved, names="value")
    return ipywidgets.VBox([*shown.values()])


def _control(label: str, *values: Any) -> Any:
    import ipywidgets

    options: dict[str, Any] = {
        "value": values[-1],
        "description": label,
        "style": {"description_width": "initial"},
        "layout": {"width": "30em", "max_width": "100%"},
    }
    if len(values) == 1:
        options["layout"]["width"] = "100%"
        return ipywidgets.Text(continuous_update=True, **options)
    whole = all(isinstance(value, int) for value in values)
    kind = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
    return kind(min=values[0], max=values[1], **options)
