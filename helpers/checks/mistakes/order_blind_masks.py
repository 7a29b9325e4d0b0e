"""Unit 01: what people write instead of masks, and instead of attention with a mask."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def masks_inverted(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    hidden = (places >= lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return hidden | (places > places[:, None]) if causal else hidden


def masks_hide_queries(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, :, None].expand(-1, 1, -1, num_tokens)
    return mask & (places <= places[:, None]) if causal else mask


def masks_hide_queries_as_well(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    real = places < lengths[:, None]
    mask = real[:, None, :, None] & real[:, None, None, :]
    return mask & (places <= places[:, None]) if causal else mask


def masks_show_the_future(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places >= places[:, None]) if causal else mask


def masks_without_the_diagonal(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places < places[:, None]) if causal else mask


def masks_one_into_the_future(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places <= places[:, None] + 1) if causal else mask


def masks_one_token_too_long(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places <= lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask & (places <= places[:, None]) if causal else mask


def masks_never_causal(lengths, num_tokens, causal=False):
    real = torch.arange(num_tokens) < lengths[:, None]
    return real[:, None, None].expand(-1, 1, num_tokens, -1)


def masks_causal_without_padding(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    if causal:
        return (places <= places[:, None]).expand(len(lengths), 1, -1, -1)
    return (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)


def masks_of_either_kind(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return mask | (places <= places[:, None]) if causal else mask


def masks_of_ones_and_zeros(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None, None].expand(-1, 1, num_tokens, -1)
    return (mask & (places <= places[:, None]) if causal else mask).float()


def masks_without_an_axis_for_heads(lengths, num_tokens, causal=False):
    places = torch.arange(num_tokens)
    mask = (places < lengths[:, None])[:, None].expand(-1, num_tokens, -1)
    return mask & (places <= places[:, None]) if causal else mask


_PADDING, _CAUSAL = "padding", "padding and causal"
MASKS = (
    Mistake(
        masks_inverted,
        "Your mask is True where looking is forbidden. Libraries differ in this; here True means "
        "that the query may look.",
        (_PADDING, _CAUSAL),
    ),
    Mistake(
        masks_hide_queries,
        "You switch off the rows of padded tokens. Rows are queries; what nobody may look at is a "
        "padded *key*, a column.",
        (_PADDING, _CAUSAL),
    ),
    Mistake(
        masks_hide_queries_as_well,
        "You switch off padded rows as well. A query that may look nowhere ends in 0/0; its output "
        "is not used anyway, so leave its row alone.",
        (_PADDING, _CAUSAL),
    ),
    Mistake(
        masks_show_the_future,
        "Your causal mask lets a token see what comes after it. Row i is a query: it sees keys at "
        "or before i.",
        (_CAUSAL,),
    ),
    Mistake(
        masks_without_the_diagonal,
        "A token cannot see itself in your causal mask, and the first token sees nobody. The "
        "diagonal belongs to what may be seen.",
        (_CAUSAL,),
    ),
    Mistake(
        masks_one_into_the_future,
        "Your causal mask reaches one token too far: row 0 sees key 1, which comes after it.",
        (_CAUSAL,),
    ),
    Mistake(
        masks_one_token_too_long,
        "One padded token can still be seen. A sequence of n real tokens has the positions "
        "0, …, n − 1.",
        (_PADDING, _CAUSAL),
    ),
    Mistake(
        masks_never_causal,
        "The argument causal changes nothing in your mask.",
        (_CAUSAL,),
    ),
    Mistake(
        masks_causal_without_padding,
        "With causal=True the padding can be seen again. Both rules hold at once.",
        (_CAUSAL,),
    ),
    Mistake(
        masks_of_either_kind,
        "You allow what *one* of the rules allows. A key must be real and not in the future.",
        (_CAUSAL,),
    ),
    Mistake(
        masks_of_ones_and_zeros,
        "The pattern is right, but these are numbers. A boolean mask cannot be mistaken for "
        "something to add or to multiply by; a comparison such as a < b gives one.",
        (_PADDING, _CAUSAL),
    ),
    Mistake(
        masks_without_an_axis_for_heads,
        "Your mask is (B, T, T). Beside scores of (B, H, T, T) its batch would be taken for heads; "
        "give the heads an axis of size 1.",
        (_PADDING, _CAUSAL),
    ),
)


def masked_after_the_softmax(q, k, v, mask=None):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
    return (weights if mask is None else weights * mask) @ v


def masked_where_allowed(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    return scores.softmax(-1) @ v


def masked_by_multiplying_the_scores(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return (scores if mask is None else scores * mask).softmax(-1) @ v


def masked_by_adding_the_mask(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return (scores if mask is None else scores + mask).softmax(-1) @ v


def masked_by_infinity_times_zero(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores + (~mask).float() * -torch.inf
    return scores.softmax(-1) @ v


def masked_with_plus_infinity(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.inf)
    return scores.softmax(-1) @ v


def masked_by_indexing(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask] = -torch.inf
    return scores.softmax(-1) @ v


def masked_by_nothing(q, k, v, mask=None):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v


def masked_always(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ v


def masked_on_the_other_side(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.transpose(-2, -1), -torch.inf)
    return scores.softmax(-1) @ v


def masked_without_scale(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


_SQUARE, _REAL, _NONE = "a causal mask (T, T)", "a padding mask (B, 1, 1, T)", "no mask"
MASKED = (
    Mistake(
        masked_after_the_softmax,
        "You mask after the softmax: the weights that are left no longer add up to 1, because the "
        "forbidden keys have already taken their share.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_where_allowed,
        "You hide what may be seen and show the rest: masked_fill fills where its mask is True.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_by_multiplying_the_scores,
        "A forbidden score becomes 0 here (−1e-9 would be no different), and exp(0) = 1: it still "
        "gets its share. Which score makes exp vanish?",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_by_adding_the_mask,
        "You add True as 1 and False as 0: what is forbidden is hardly disadvantaged. Which score "
        "makes exp vanish?",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_by_infinity_times_zero,
        "0 · ∞ is not a number, and one such score spoils its whole row. Choose by the mask, "
        "instead of multiplying by it.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_with_plus_infinity,
        "Your forbidden keys have the largest scores of all. The sign is missing.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_by_indexing,
        "scores[mask] wants a mask of the scores' own shape. Here it may have fewer axes, or axes "
        "of size 1; masked_fill and torch.where broadcast.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_by_nothing,
        "The argument mask changes nothing.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_always,
        "mask may be None, as its default says; then every key may be seen.",
        (_NONE,),
    ),
    Mistake(
        masked_on_the_other_side,
        "You turn the mask round before use. Its last axis is the keys already, as in the scores.",
        (_SQUARE, _REAL),
    ),
    Mistake(
        masked_without_scale,
        "The scale √d got lost on the way from the first exercise.",
        (_SQUARE, _REAL, _NONE),
    ),
)
