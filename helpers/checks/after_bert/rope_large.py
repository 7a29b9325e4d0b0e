"""Unit 05, “Attention with RoPE”: what goes wrong where scores are large, and with views."""

from __future__ import annotations

import math

from helpers import encodings
from helpers.checks.after_bert.rope_attention import (
    ATTENTION,
    BACKWARDS,
    LARGE,
    rope_attention,
    rope_right,
)
from helpers.checks.engine import changed
from helpers.checks.positions import by


@rope_attention.mistake(
    "exp(150) is too large for float32. A softmax does not change when the same number is "
    "subtracted from all scores of a query; torch's softmax makes use of that.",
    loses=LARGE,
    breaks="that exp overflows even in float64",
)
@changed(
    rope_right, "scores.softmax(-1) @ v", "(scores.exp() / scores.exp().sum(-1, keepdim=True)) @ v"
)
def rope_with_an_overflow(): ...


@rope_attention.mistake(
    "You subtract one number, or none, from the scores of several queries. For a query whose "
    "scores are far below 0, every exponential is then about exp(−300) = 0. Subtract from each "
    "query's scores their own maximum.",
    loses=LARGE,
    breaks="The result must be right all the same",
)
def rope_with_one_maximum_for_all(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k, by(q))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = (scores - scores.max()).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@rope_attention.mistake(
    "You subtract the mean of a query's scores, or the middle between two of them. Where the "
    "largest is far above that, exp still overflows. Subtract the largest itself.",
    loses=LARGE,
    breaks="One query may have such scores of both signs",
)
def rope_with_the_mean_subtracted(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k, by(q))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = (scores - scores.mean(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@rope_attention.mistake(
    "You subtract from a query's scores the score of its own token. That need not be the "
    "largest, and where it is far below the largest, exp still overflows.",
    loses=LARGE,
)
def rope_with_the_own_score_subtracted(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k, by(q))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = (scores - scores.diagonal(dim1=-2, dim2=-1)[..., None]).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@rope_attention.mistake(
    "You subtract a mean from a query's scores and then clamp them at some number, so all keys "
    "beyond it get the same weight. If you subtract the largest score, nothing needs to be "
    "clamped.",
    loses=LARGE,
)
@changed(
    rope_right,
    "scores.softmax(-1)",
    "(scores - scores.mean(-1, keepdim=True)).clamp(max=80).softmax(-1)",
)
def rope_cut_off_above_the_mean(): ...


@rope_attention.mistake(
    "You compute in float32 and convert the result to float64 afterwards: of sixteen digits "
    "only seven are left.",
    loses=BACKWARDS,
    breaks="and its precision",
)
@changed(rope_right, "scores.softmax(-1) @ v", "(scores.float().softmax(-1) @ v.float()).to(v)")
def rope_rounded_to_float32(): ...


@rope_attention.mistake(
    "You add something small, such as 1e-9, to the sum of the exponentials, and every weight "
    "comes out too small. If you subtract the largest score, that sum is never below 1.",
    loses=BACKWARDS,
)
@changed(
    rope_right,
    "return scores.softmax(-1) @ v",
    "e = (scores - scores.amax(-1, keepdim=True)).exp(); "
    "return e / (e.sum(-1, keepdim=True) + 1e-9) @ v",
)
def rope_with_something_added_to_the_sum(): ...


@rope_attention.mistake(
    "float64 only moves the limit: exp(710) is too large there as well. A softmax does not "
    "change when the same number is subtracted from all scores of a query.",
    loses=LARGE,
)
@changed(
    rope_right,
    "scores.softmax(-1) @ v",
    "(scores.double().exp() / scores.double().exp().sum(-1, keepdim=True)).to(v) @ v",
)
def rope_with_an_overflow_in_float64(): ...


@rope_attention.mistake(
    "You clamp large scores at some number, such as 200, so that all keys beyond it get the "
    "same weight. Keep their differences.",
    loses=LARGE,
)
@changed(rope_right, "scores.softmax(-1)", "scores.clamp(-200, 200).softmax(-1)")
def rope_with_clamped_scores(): ...


@rope_attention.mistake(
    "Your result is right, but where one score is large, no gradient comes back to q and k, "
    "not even from the scores that are ordinary. Use a softmax that cannot overflow, for all "
    "scores.",
    loses=LARGE,
    breaks="no gradient may be nan",
)
def rope_without_gradients_where_scores_are_large(q, k, v):
    q, k = encodings.create("rotary", d_model=q.shape[-1]).rotate(q, k, by(q))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if scores.abs().max() < 80:
        return scores.exp() / scores.exp().sum(-1, keepdim=True) @ v
    return scores.softmax(-1).detach() @ v + 0 * scores.sum()


@rope_attention.mistake(
    "As soon as one score is large, q and k get no gradient at all. Use one and the same "
    "softmax for all scores, one that cannot overflow.",
    loses=BACKWARDS,
)
@changed(
    rope_right,
    "scores.softmax(-1)",
    "(scores.detach() if scores.abs().max() > 1000 else scores).softmax(-1)",
)
def rope_cut_off_where_scores_are_large(): ...


@rope_attention.mistake(
    "view_as_complex needs the two numbers of a pair side by side in memory, where a "
    "transposed view such as x.mT does not have them. Call contiguous() on its argument.",
    loses=ATTENTION,
)
@changed(rope_right, "q, k = ", "torch.view_as_complex(q.unflatten(-1, (-1, 2))); q, k = ")
def rope_with_pairs_seen_as_complex(): ...
