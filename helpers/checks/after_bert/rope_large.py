"""Unit 05, “Attention with RoPE”: what goes wrong where scores are large."""

from __future__ import annotations

import math

from helpers import encodings
from helpers.checks.after_bert.rope_attention import LARGE, rope_attention, rope_right
from helpers.checks.engine import changed


@rope_attention.mistake(
    "exp(150) is too large for float32. A softmax does not change when a number is subtracted "
    "from all scores of a query; torch's softmax makes use of that.",
    loses=LARGE,
    breaks="Scores may be so large, near",
)
@changed(
    rope_right, "scores.softmax(-1) @ v", "(scores.exp() / scores.exp().sum(-1, keepdim=True)) @ v"
)
def rope_with_an_overflow(): ...


@rope_attention.mistake(
    "One number, or none, is taken off the scores of several queries. A query whose scores are far "
    "below 0 then has nothing but exp(−300) = 0 left. Each query needs its own maximum taken off.",
    loses=LARGE,
    breaks="the result must be right all the same",
)
def rope_with_one_maximum_for_all(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = (scores - scores.max()).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@rope_attention.mistake(
    "float64 only moves the limit: exp(710) is too large there as well. A softmax does not change "
    "when a number is subtracted from all scores of a query.",
    loses=LARGE,
)
@changed(
    rope_right,
    "scores.softmax(-1) @ v",
    "(scores.double().exp() / scores.double().exp().sum(-1, keepdim=True)).to(v) @ v",
)
def rope_with_an_overflow_in_float64(): ...


@rope_attention.mistake(
    "Large scores are cut off at some number, such as 200, so that keys beyond it all get the same "
    "weight. Their differences must be kept.",
    loses=LARGE,
)
@changed(rope_right, "scores.softmax(-1)", "scores.clamp(-200, 200).softmax(-1)")
def rope_with_clamped_scores(): ...


@rope_attention.mistake(
    "Your result is right, but where one score is large, no gradient comes back to q and k, not "
    "even from the scores that are ordinary. Let a softmax that cannot overflow do it for all.",
    loses=LARGE,
    breaks="no gradient nan",
)
def rope_without_gradients_where_scores_are_large(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if scores.abs().max() < 80:
        return scores.exp() / scores.exp().sum(-1, keepdim=True) @ v
    return scores.softmax(-1).detach() @ v + 0 * scores.sum()
