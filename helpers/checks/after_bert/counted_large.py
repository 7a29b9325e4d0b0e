"""Unit 05, “Positions from gates”: what goes wrong where scores are large."""

from __future__ import annotations

import torch

from helpers.checks.after_bert.counted import COUNTS, LARGE, counted, counted_right
from helpers.checks.engine import changed


@counted.mistake(
    "exp overflows for a large score: exp(150) is infinite in float32, and ∞/∞ is not a number. "
    "torch's sigmoid takes care of that.",
    loses=LARGE,
    breaks="they may be so large, near",
)
@changed(counted_right, "scores.sigmoid()", "(scores.exp() / (1 + scores.exp()))")
def counted_with_an_overflow(): ...


@counted.mistake(
    "The result is right, but its gradient is nan for large scores: on the way back, 0 meets the "
    "infinity of exp. torch's sigmoid takes care of that.",
    loses=LARGE,
    breaks="gradients, never nan, must reach them",
)
@changed(counted_right, "scores.sigmoid()", "(1 / (1 + (-scores).exp()))")
def counted_with_an_overflow_on_the_way_back(): ...


@counted.mistake(
    "A large score becomes a smaller one before the gate, so that no gate is ever quite open or "
    "shut.",
    loses=COUNTS,
)
@changed(counted_right, "scores.sigmoid()", "scores.clamp(-2, 2).sigmoid()")
def counted_with_clamped_scores(): ...


@counted.mistake(
    "A gate is never quite open or shut in yours: it stops a little before 0 or 1, and gradients "
    "stop there too. A sigmoid needs no limits.",
    loses=LARGE,
    breaks="$p$ must be right all the same",
)
@changed(counted_right, "scores.sigmoid()", "scores.sigmoid().clamp(1e-6, 1 - 1e-6)")
def counted_with_clamped_gates(): ...


@counted.mistake(
    "Where one gradient is nan, you set all of them to 0, and the ordinary scores get none. "
    "torch's sigmoid has a gradient for each score, however large.",
    loses=LARGE,
)
def counted_without_gradients_where_one_is_nan(scores):
    if scores.requires_grad:
        scores.register_hook(lambda g: torch.zeros_like(g) if g.isnan().any() else g)
    gates = (1 / (1 + (-scores).exp())).tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()
