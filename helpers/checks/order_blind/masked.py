"""Unit 01, “Attention with a mask”: what people write instead of what masked_cases.py asks."""

from __future__ import annotations

import torch

from helpers.checks.engine import Exercise, Part
from helpers.checks.order_blind import common, masked_cases

masked = Exercise(
    "masked",
    common.attend,
    (
        Part("a causal mask (T, T)", 0.5, masked_cases.with_causal),
        Part("a padding mask (B, 1, 1, T)", 0.25, masked_cases.with_padding),
        Part("any other mask", 0.25, masked_cases.with_others),
        Part("no mask", 0.25, masked_cases.without),
        Part("large scores", 0.25, masked_cases.hidden_are_largest),
        Part("no weight at all", 0.25, masked_cases.hidden_are_huge),
        Part("dtype and gradients", 0.25, masked_cases.backwards),
    ),
    forbidden=common.ATTENTION,
    explains=("Every query has at least one key that it may look at.",),
)
MASKED = (
    "a causal mask (T, T)",
    "a padding mask (B, 1, 1, T)",
    "any other mask",
    "large scores",
    "no weight at all",
    "dtype and gradients",
)


@masked.mistake(
    "You mask after the softmax: the weights that are left no longer add up to 1, because the "
    "forbidden keys have already taken their share.",
    loses=MASKED,
)
def masked_after_the_softmax(q, k, v, mask=None):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
    return (weights if mask is None else weights * mask) @ v


@masked.mistake(
    "You hide what may be seen and show the rest. masked_fill fills where its mask is True, "
    "and torch.where takes its first value there.",
    loses=MASKED,
    breaks="where `mask` is False, the query gives the key no weight",
)
def masked_where_allowed(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "A forbidden score becomes 0 here (−1e-9 would be no different), and exp(0) = 1: the key "
    "still gets weight. For which score is exp zero?",
    loses=MASKED,
)
def masked_by_multiplying_the_scores(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return (scores if mask is None else scores * mask).softmax(-1) @ v


@masked.mistake(
    "You add True as 1 and False as 0: a forbidden key is hardly at a disadvantage. For which "
    "score is exp zero?",
    loses=MASKED,
)
def masked_by_adding_the_mask(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return (scores if mask is None else scores + mask).softmax(-1) @ v


@masked.mistake(
    "0 · ∞ is not a number, and one such score turns its whole row into nan. Use the mask to "
    "choose between two values instead of multiplying by it.",
    loses=MASKED,
)
def masked_by_infinity_times_zero(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores + (~mask).float() * -torch.inf
    return scores.softmax(-1) @ v


@masked.mistake(
    "The value that you fill in turns every row with a forbidden key into nan, as +∞ and nan "
    "do. With +∞ the forbidden keys have the largest scores of all: is a sign missing?",
    loses=MASKED,
)
def masked_with_plus_infinity(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "scores[mask] needs a mask of the same shape as the scores. Here the mask may have fewer "
    "axes, or axes of size 1; masked_fill and torch.where broadcast.",
    loses=MASKED,
    breaks="The mask may be $(T, S)$",
)
def masked_by_indexing(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask] = -torch.inf
    return scores.softmax(-1) @ v


@masked.mistake(
    "The argument mask changes nothing.",
    loses=MASKED,
)
def masked_by_nothing(q, k, v, mask=None):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v


@masked.mistake(
    "mask may be None, as its default says; then every key may be seen.",
    loses=("no mask", "dtype and gradients"),
    breaks="`mask=None` hides nothing",
)
def masked_always(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ v


@masked.mistake(
    "You transpose the mask before you use it. Its last axis already holds the keys, as in the "
    "scores.",
    loses=MASKED,
)
def masked_on_the_other_side(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.transpose(-2, -1), -torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "The division by √d, which the first exercise had, is missing here.",
    loses=("no mask", *(part for part in MASKED if part != "no weight at all")),
    breaks="as before, but with a boolean `mask`",
)
def masked_without_scale(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "The value that you fill in, −100 or so, is not low enough: where the visible scores are "
    "lower still, the hidden key gets the weight. Only −∞ is below every score.",
    loses=("large scores", "no weight at all"),
    breaks="gives the key no weight, whatever its score",
)
def masked_with_a_number_that_is_too_near(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -100.0)
    return scores.softmax(-1) @ v


@masked.mistake(
    "Your hidden keys still count in a softmax, or in the maximum that you subtract, before "
    "you remove them. Where their scores are by far the largest, all that is left is 0/0.",
    loses=("large scores", "no weight at all", "dtype and gradients"),
)
def masked_after_the_softmax_and_divided_again(q, k, v, mask=None):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
    if mask is not None:
        weights = weights * mask
    return weights / weights.sum(-1, keepdim=True) @ v


@masked.mistake(
    "The number that you fill in, or add, is not low enough: where the visible scores are at "
    "−900,000 and a hidden score is large, the hidden key gets the weight. Only −∞ is below "
    "every score.",
    loses="no weight at all",
)
def masked_with_minus_ten_thousand(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    return scores.softmax(-1) @ v


@masked.mistake(
    "You fill in −1,000,000, as the book does. A visible score can be −999,999, and then the "
    "hidden key, only 1 below it, gets about a third as much weight. Only −∞ is below every "
    "score.",
    loses="no weight at all",
)
def masked_with_minus_a_million(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e6)
    return scores.softmax(-1) @ v


@masked.mistake(
    "exp(150) is too large for float32. Mask the scores, and leave exp and its sum to softmax.",
    loses=("no mask", "large scores", "no weight at all", "dtype and gradients"),
)
def masked_exp_overflows(q, k, v, mask=None):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).exp()
    if mask is not None:
        weights = weights * mask
    return weights / weights.sum(-1, keepdim=True) @ v


@masked.mistake(
    "You subtract one maximum for all queries. For a query whose scores are far below it, "
    "every exponential is 0, which gives 0/0. Each query needs its own maximum.",
    loses="large scores",
)
def masked_with_one_maximum_for_all(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = (scores - scores.max()).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@masked.mistake(
    "You clamp the scores, so that all scores beyond the limit become equal. Scores may be as "
    "large as a million, and their differences matter there as well; softmax can handle them.",
    loses=("no mask", "no weight at all"),
    breaks="Scores lie between $-10^6$ and $10^6$",
)
def masked_with_scores_cut_off(q, k, v, mask=None):
    scores = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).clamp(-1e4, 1e4)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "You take one row of the mask for all queries. A mask may have a row for each query, as a "
    "causal one does.",
    loses=("a causal mask (T, T)", "any other mask"),
)
def masked_by_its_first_row(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None and mask.dim() > 1:
        mask = mask[..., :1, :]
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "You multiply the scores by the mask and hide whatever is 0. A visible score can be 0 as "
    "well: decide by the mask, not by the score.",
    loses="a causal mask (T, T)",
)
def masked_where_the_score_is_zero(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = (scores * mask).masked_fill(scores * mask == 0, -torch.inf)
    return scores.softmax(-1) @ v


@masked.mistake(
    "Your numbers are right, but not the gradients: exp of a hidden score is infinite, and in "
    "the backward pass it is multiplied by 0, which gives nan. Hide the scores before you take "
    "exp.",
    loses="dtype and gradients",
)
def masked_behind_exp(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    seen = torch.ones_like(scores).bool() if mask is None else mask.expand(scores.shape)
    largest = scores.masked_fill(~seen, -torch.inf).amax(-1, keepdim=True)
    weights = torch.where(seen, (scores - largest).exp(), 0.0)
    return weights / weights.sum(-1, keepdim=True) @ v
