"""Unit 01: what people write instead of attention, with one head and with several."""

from __future__ import annotations

import torch.nn.functional as F
from torch.nn.functional import scaled_dot_product_attention as sdpa

from helpers.checks.exercise import Mistake


def attention_without_scale(q, k, v):
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


def attention_divided_by_d(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1]).softmax(-1) @ v


def attention_multiplied_by_root_d(q, k, v):
    return (q @ k.transpose(-2, -1) * q.shape[-1] ** 0.5).softmax(-1) @ v


def attention_scaled_by_the_number_of_keys(q, k, v):
    return (q @ k.transpose(-2, -1) / k.shape[-2] ** 0.5).softmax(-1) @ v


def attention_scaled_by_the_width_of_the_values(q, k, v):
    return (q @ k.transpose(-2, -1) / v.shape[-1] ** 0.5).softmax(-1) @ v


def attention_scaled_after_the_softmax(q, k, v):
    return (q @ k.transpose(-2, -1)).softmax(-1) / q.shape[-1] ** 0.5 @ v


def attention_softmax_over_queries(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-2) @ v


def attention_softmax_over_axis_1(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(1) @ v


def attention_softmax_without_an_axis(q, k, v):
    return F.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5) @ v


def attention_scaled_by_axis_1(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[1] ** 0.5).softmax(-1) @ v


def attention_without_softmax(q, k, v):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 @ v


def attention_returns_the_weights(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)


def attention_transposes_every_axis(q, k, v):
    return (q @ k.permute(*range(k.dim() - 1, -1, -1)) / q.shape[-1] ** 0.5).softmax(-1) @ v


def attention_exp_overflows(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


_ONE, _BATCH, _LARGE = "one sequence", "a batch, with and without heads", "large scores"
_ALL = (_ONE, _BATCH, _LARGE)
ATTENTION = (
    Mistake(
        attention_without_scale,
        "The scale is missing: your scores grow with the width of a query, and the softmax of "
        "large scores is nearly all on one key.",
        _ALL,
    ),
    Mistake(
        attention_divided_by_d,
        "Your scores are divided by d, the formula divides by its square root. Has each of q and "
        "k been scaled, and so the product twice?",
        _ALL,
    ),
    Mistake(
        attention_multiplied_by_root_d,
        "You multiply by √d where the formula divides: scores of wide vectors should get smaller.",
        _ALL,
    ),
    Mistake(
        attention_scaled_by_the_number_of_keys,
        "You scale by the number of keys. A score is a sum over the features of a query, and it is "
        "their number that makes it large.",
        _ALL,
    ),
    Mistake(
        attention_scaled_by_the_width_of_the_values,
        "You scale by the width of the values, e. They take no part in the scores; the width of "
        "queries and keys is d.",
        _ALL,
    ),
    Mistake(
        attention_scaled_after_the_softmax,
        "You divide the weights, not the scores, so a query's weights no longer add up to 1. "
        "Scale before the softmax.",
        _ALL,
    ),
    Mistake(
        attention_softmax_over_queries,
        "Your softmax runs over the queries: each key hands out one unit of attention. Each "
        "*query* should have weights that add up to 1, so it runs over the keys.",
        _ALL,
    ),
    Mistake(
        attention_softmax_over_axis_1,
        "Axis 1 is the keys only as long as there is no batch. Count from the end: the keys are "
        "always the last axis of the scores.",
        (_BATCH,),
    ),
    Mistake(
        attention_softmax_without_an_axis,
        "Without dim, PyTorch guesses the softmax's axis from the number of axes, and for a batch "
        "of sequences it takes the batch. Say that it is the last.",
        (_BATCH,),
    ),
    Mistake(
        attention_scaled_by_axis_1,
        "Axis 1 of q is d only as long as there is no batch. Count from the end: d is its last "
        "axis.",
        (_BATCH,),
    ),
    Mistake(
        attention_without_softmax,
        "These are values added up with the bare scores as weights. Between the two belongs what "
        "makes weights positive and lets them add up to 1.",
        _ALL,
    ),
    Mistake(
        attention_returns_the_weights,
        "You return the weights, T × S. What a query takes home is the average of the values "
        "with those weights.",
        _ALL,
    ),
    Mistake(
        attention_transposes_every_axis,
        "k.T turns round all axes, a batch included. Only the last two should change places.",
        (_BATCH,),
    ),
    Mistake(
        attention_exp_overflows,
        "exp(150) is too large for float32. A softmax does not change when a number is subtracted "
        "from all scores of a query; torch's softmax makes use of that.",
        (_LARGE,),
    ),
)


def heads_split_without_transpose(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    b, t, width = x.shape
    q, k, v = ((x @ w).reshape(b, num_heads, t, width // num_heads) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).reshape(b, t, width) @ w_o


def heads_split_without_transpose_then_merged_with(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    b, t, width = x.shape
    q, k, v = ((x @ w).reshape(b, num_heads, t, width // num_heads) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).reshape(b, t, width) @ w_o


def heads_merged_without_transpose(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).reshape(x.shape) @ w_o


def heads_take_every_hth_column(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (-1, num_heads)).movedim(-1, 1) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).movedim(1, -1).flatten(2) @ w_o


def heads_take_every_hth_column_then_stand_side_by_side(
    x, w_q, w_k, w_v, w_o, num_heads, mask=None
):
    q, k, v = ((x @ w).unflatten(-1, (-1, num_heads)).movedim(-1, 1) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


def heads_scaled_by_the_model_width(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    context = sdpa(q, k, v, mask, scale=x.shape[-1] ** -0.5)
    return context.transpose(1, 2).flatten(2) @ w_o


def heads_without_the_last_weights(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2)


def heads_with_transposed_weights(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o.T


def heads_ignore_the_mask(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v).transpose(1, 2).flatten(2) @ w_o


def heads_are_one_head(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w)[:, None] for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask)[:, 0] @ w_o


def heads_look_at_each_other(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v).flatten(2) @ w_o


def heads_share_the_first_columns(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    d = x.shape[-1] // num_heads
    q, k, v = ((x @ w)[:, None, :, :d].expand(-1, num_heads, -1, -1) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


_SINGLE, _SEVERAL, _MASKED = "one head", "several heads", "several heads and a mask"
_MANY = (_SEVERAL, _MASKED)
HEADS = (
    Mistake(
        heads_split_without_transpose,
        "A view of (B, T, D) as (B, H, T, d) cuts the rows at the wrong places: a head gets some "
        "tokens whole instead of some columns of every token. Split the last axis first, then "
        "move the heads to the front.",
        _MANY,
    ),
    Mistake(
        heads_split_without_transpose_then_merged_with,
        "The merge is right, the split is not: a view as (B, H, T, d) mixes tokens and columns. "
        "Split the last axis into (H, d), then let H and T change places.",
        _MANY,
    ),
    Mistake(
        heads_merged_without_transpose,
        "The split is right, the merge is not: H still stands before T when you flatten, so the "
        "columns of one token come from several tokens.",
        _MANY,
    ),
    Mistake(
        heads_take_every_hth_column,
        "Your head h takes the columns h, h + H, h + 2H, …. Asked are neighbours: head 0 the first "
        "d columns, head 1 the next d, and so on. See the order of H and d where you split.",
        _MANY,
    ),
    Mistake(
        heads_take_every_hth_column_then_stand_side_by_side,
        "You split the columns as (d, H) and merge them as (H, d), so they come back in another "
        "order. Head 0 takes the first d columns.",
        _MANY,
    ),
    Mistake(
        heads_scaled_by_the_model_width,
        "Your scores are divided by √D. Each head adds up d = D/H products only.",
        _MANY,
    ),
    Mistake(
        heads_without_the_last_weights,
        "The heads stand side by side and have not been mixed yet: w_o is missing.",
        (_SINGLE, *_MANY),
    ),
    Mistake(
        heads_with_transposed_weights,
        "You multiply by the transposed weights, as nn.Linear does with its own. Here a weight "
        "is used as x @ w.",
        (_SINGLE, *_MANY),
    ),
    Mistake(
        heads_ignore_the_mask,
        "The mask does not reach the attention: it changes nothing.",
        (_MASKED,),
    ),
    Mistake(
        heads_are_one_head,
        "num_heads changes nothing: all D columns are compared at once, in a single softmax.",
        _MANY,
    ),
    Mistake(
        heads_look_at_each_other,
        "Your scores compare the heads of one token, not the tokens of one head. The last two axes "
        "of q must be T and d when they meet kᵀ.",
        (_SINGLE, *_MANY),
    ),
    Mistake(
        heads_share_the_first_columns,
        "All your heads work on the first d columns. Each should have columns of its own.",
        _MANY,
    ),
)
