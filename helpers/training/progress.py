"""Show how a training gets on: a progress bar, and in a notebook a loss curve that grows."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from helpers import plots, runtime
from helpers.plots.losses import WINDOW, draw_baselines


class Progress:
    """Shows the last loss beside its baselines in a bar, and on demand a live curve.

    Args:
        done: steps that a stopped run has made already.
        steps: of the whole run.
        label: of bar and curve; without one there is no bar.
        baselines: losses to be compared with, by name.
        live: whether to draw the curve.
        shown: False in all but one of several processes.
    """

    def __init__(
        self,
        done: int,
        steps: int,
        label: str,
        baselines: Mapping[str, float],
        live: bool,
        shown: bool,
    ) -> None:
        self.baselines = baselines
        self.curve = LiveCurve(steps, baselines, label) if live and shown else None
        silent = {} if shown and label else {"disable": True}  # else TQDM_DISABLE decides
        options: dict[str, Any] = {"desc": label, "unit": "step", "mininterval": 0.5} | silent
        self.bar = runtime.bar(total=steps, initial=done, **options)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def show(self, losses: Sequence[float]) -> None:
        """Show the losses of all steps that are done."""
        numbers = {"loss": losses[-1], **self.baselines}
        self.bar.set_postfix({k: f"{value:.2f}" for k, value in numbers.items()}, refresh=False)
        self.bar.update(len(losses) - self.bar.n)
        if self.curve:
            self.curve.show(losses)


class LiveCurve:
    """Losses so far beside baselines, drawn anew every `seconds`; nothing outside a notebook.

    Args:
        steps: where the axis of steps ends.
        baselines: losses to be compared with, by name.
        title: of the figure.
        seconds: between two pictures.
    """

    def __init__(
        self, steps: int, baselines: Mapping[str, float], title: str, seconds: float = 3.0
    ) -> None:
        self.steps, self.baselines, self.title, self.seconds = steps, baselines, title, seconds
        self.place = plots.LiveOutput()
        self.drawn = -math.inf  # the first loss is drawn at once

    def show(self, losses: Sequence[float]) -> None:
        """Draw, if a picture is due or this is the last step."""
        due = time.monotonic() - self.drawn >= self.seconds or len(losses) == self.steps
        if not (runtime.in_notebook() and due):
            return
        last = np.mean(losses[-WINDOW:])
        alt = f"{self.title}: the loss after {len(losses)} of {self.steps} steps is {last:.2f} nats"
        self.place.show(self._figure(losses), alt, sketch=len(losses) < self.steps)
        self.drawn = time.monotonic()

    def _figure(self, losses: Sequence[float]) -> Figure:
        figure, ax = plt.subplots(figsize=(7, 2.4))
        ax.plot(losses, color=plots.COLOURS[4], linestyle="-", linewidth=0.5)
        ends = range(WINDOW, len(losses) + 1)
        ax.plot(ends, [np.mean(losses[end - WINDOW : end]) for end in ends])
        draw_baselines(ax, self.baselines)
        ax.set(xlabel="step", ylabel="loss (nats)", title=self.title, xlim=(0, self.steps))
        return figure
