"""Unit 01, “Multi-head attention”: what people do with the mask."""

from __future__ import annotations

from torch.nn.functional import scaled_dot_product_attention as sdpa

from helpers.checks.order_blind.heads import heads


@heads.mistake(
    "Where scores are large, a forbidden key gets weight: what you fill in, −10,000 say, is above "
    "the scores of the keys that may be seen. What is below every score?",
    loses="several heads and a mask",
)
def heads_with_too_small_a_fill(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "The mask does not reach the attention: it changes nothing.",
    loses="several heads and a mask",
    breaks="`mask` is $(T, T)$",
)
def heads_ignore_the_mask(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "Your mask works the wrong way round: a query looks at the keys that are hidden from it. True "
    "means that it may look.",
    loses=("several heads and a mask", "dtype and gradients"),
)
def heads_with_the_mask_turned_round(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "Your mask works the wrong way round: with ~mask or masked_fill(mask, −1e9), a query looks at "
    "just the keys that are hidden from it. True means that it may look.",
    loses=("several heads and a mask", "dtype and gradients"),
)
def heads_with_a_large_fill_where_the_mask_is_true(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "You pass on ~mask, so a query looks at the keys that are hidden from it. In "
    "scaled_dot_product_attention, too, True means that it may look.",
    loses=("several heads and a mask", "dtype and gradients"),
)
def heads_with_the_opposite_mask(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, None if mask is None else ~mask).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "You hide keys after the softmax: the weights that are left no longer add up to 1. Hide the "
    "scores, before it.",
    loses="several heads and a mask",
)
def heads_with_the_mask_after_the_softmax(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    if mask is not None:
        weights = weights * mask
    return (weights @ v).transpose(1, 2).flatten(2) @ w_o
