"""Unit 05, “Positions from gates”: what goes wrong where scores are large, or their digits many."""

from __future__ import annotations

import torch

from helpers.checks.after_bert.counted import BACKWARDS, COUNTS, LARGE, counted, counted_right
from helpers.checks.engine import changed


@counted.mistake(
    "exp overflows for a large score: exp(150) is infinite in float32, and ∞/∞ is not a number. "
    "torch's sigmoid takes care of that.",
    loses=LARGE,
    breaks="so large that exp overflows even in float64",
)
@changed(counted_right, "scores.sigmoid()", "(scores.exp() / (1 + scores.exp()))")
def counted_with_an_overflow(): ...


@counted.mistake(
    "The result is right, but its gradient is nan for large scores: in the backward pass, 0 is "
    "multiplied by infinity, as from an exp that overflows or from a root at 0. torch's "
    "sigmoid has neither.",
    loses=LARGE,
    breaks="no gradient may be nan",
)
@changed(counted_right, "scores.sigmoid()", "(1 / (1 + (-scores).exp()))")
def counted_with_an_overflow_on_the_way_back(): ...


@counted.mistake(
    "The result is right, but its gradient is nan for large scores: torch.where takes one of "
    "two results, but in the backward pass the other one, ∞/∞, still counts as 0 · ∞. torch's "
    "sigmoid takes care of that.",
    loses=LARGE,
)
@changed(
    counted_right,
    "scores.sigmoid()",
    "torch.where(scores > 0, 1 / (1 + (-scores).exp()), scores.exp() / (1 + scores.exp()))",
)
def counted_with_an_overflow_in_the_other_branch(): ...


@counted.mistake(
    "You make large scores smaller before the gate, so that no gate is ever fully open or shut.",
    loses=COUNTS,
)
@changed(counted_right, "scores.sigmoid()", "scores.clamp(-2, 2).sigmoid()")
def counted_with_clamped_scores(): ...


@counted.mistake(
    "You clamp large scores in the tensor that you are given, which changes it for the caller. "
    "A sigmoid needs no limits.",
    loses=LARGE,
    breaks="The scores stay as they are",
)
@changed(
    counted_right,
    "gates = scores",
    "scores.data.clamp_(-50, 50)\n    gates = scores",
)
def counted_with_scores_clamped_in_place(): ...


@counted.mistake(
    "You keep each gate a little away from 0 and 1, and where it is clamped no gradient passes. A "
    "sigmoid needs no limits.",
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


@counted.mistake(
    "As soon as one score is large, no gradient comes back at all, not even to the ordinary "
    "ones. Use one and the same sigmoid for all scores.",
    loses=BACKWARDS,
)
@changed(
    counted_right,
    "scores.sigmoid()",
    "(scores.detach() if scores.abs().max() > 100 else scores).sigmoid()",
)
def counted_without_gradients_where_one_is_large(): ...


@counted.mistake(
    "As soon as one score is large, you make all gates 0 or 1, also those of ordinary scores "
    "beside it. Each score has its own gate, σ(s).",
    loses=LARGE,
)
@changed(
    counted_right,
    "scores.sigmoid()",
    "(scores * (1 if scores.abs().max() < 100 else 1e4)).sigmoid()",
)
def counted_with_hard_gates_where_one_is_large(): ...


@counted.mistake(
    "Your positions are whole numbers: each gate is either open or shut. σ lets a gate be half "
    "open, without which training would have no gradient to follow.",
    loses=COUNTS,
)
@changed(counted_right, "scores.sigmoid()", "(scores > 0).to(scores.dtype)")
def counted_with_hard_gates(): ...


@counted.mistake(
    "You compute in float32 and convert the result to float64 afterwards: of sixteen digits "
    "only seven are left.",
    loses=BACKWARDS,
    breaks="and their precision",
)
@changed(counted_right, "flip(-1).tril()", "float().flip(-1).tril().to(scores.dtype)")
def counted_rounded_to_float32(): ...


@counted.mistake(
    "You return the counts of one sequence of the batch. Return those of all.",
    breaks="returns $p$ of the same shape",
)
@changed(counted_right, "tril()\n    return", "tril()[0]\n    return")
def counted_in_one_sequence(): ...
