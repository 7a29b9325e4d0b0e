"""Unit 01, “Multi-head attention”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as sdpa

from helpers.checks.engine import (
    Answer,
    Case,
    Exercise,
    Part,
    call,
    differentiated,
    without_gradients,
)
from helpers.checks.engine.faults import NO_GRADIENT
from helpers.checks.order_blind import common, heads_large

# H, d, B and T: B = T, B = H, H = T, all three, one column for each head, one sequence, one token.
ALIKE = ((2, 3, 5, 5), (3, 2, 3, 5), (4, 2, 3, 4), (3, 2, 3, 3), (5, 1, 2, 4), (2, 3, 1, 4),
         (2, 3, 3, 1))  # fmt: skip


def _layer(
    rng: Random, heads: int, width: int, batch: int = 2, length: int = 0
) -> tuple[Tensor, list[Tensor]]:
    """x (B, T, D), and the four weights (D, D), of a size that keeps the numbers near 1."""
    x = common.normal_numbers(rng, batch, length or rng.randint(5, 7), heads * width)
    return x, [
        common.normal_numbers(rng, heads * width, heads * width) * x.shape[2] ** -0.5
        for _ in range(4)
    ]


def _heads_case(
    rng: Random, heads: int, width: int, mask: Tensor | None = None, batch: int = 2, length: int = 0
) -> Case:
    x, weights = _layer(rng, heads, width, batch, length)
    given = () if mask is None else (mask[..., : x.shape[1], : x.shape[1]],)
    shape = f", a mask {tuple(given[0].shape)}" if given else ""
    label = f"(x of shape {tuple(x.shape)}, four weights, num_heads={heads}{shape})"
    return common.finite_too(Case(label, partial(_ask_heads, x, weights, heads, given)))


def _ask_heads(
    x: Tensor, weights: list[Tensor], heads: int, given: tuple[Tensor, ...], answer: Answer
) -> Any:
    return call(x, *weights, heads, *given).ask(answer)


def _one_head(rng: Random) -> Iterator[Case]:
    x, weights = _layer(rng, 1, rng.randint(8, 10))
    label = f"(x of shape {tuple(x.shape)}, four weights, num_heads=1)"
    for order in (weights, weights[::-1]):  # the same shapes twice
        yield common.finite_too(Case(label, partial(_ask_heads, x, order, 1, ())))
    turned = [weight.T for weight in weights]  # as those of nn.Linear, which have no flat view
    label += ", with weights that are transposed tensors"
    yield common.finite_too(Case(label, partial(_ask_heads, x, turned, 1, ())))


def _several_heads(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 3, 4)
    yield without_gradients(_heads_case(rng, 3, 4))
    yield _heads_case(rng, 2, 3, batch=2, length=rng.randint(130, 150))
    yield _heads_case(rng, 4, rng.choice([2, 3]))
    yield _heads_case(rng, 2, 3, batch=rng.randint(17, 20))
    yield _heads_case(rng, rng.randint(10, 12), 12, length=3)
    x, weights = _layer(rng, 2, 3)
    label = "(one sequence, four weights, num_heads=2)"
    yield common.finite_too(Case(label, partial(_ask_heads, x[:1], weights, 2, ())))
    label = "(sequences of one token, four weights, num_heads=2)"
    yield common.finite_too(Case(label, partial(_ask_heads, x[:, :1], weights, 2, ())))
    for heads, width, batch, length in ALIKE:
        yield _heads_case(rng, heads, width, None, batch, length)
    yield from heads_large.large_scores(rng)


def _heads_masked(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 3, 4, torch.ones(7, 7).tril().bool())
    real = common.attention_mask(torch.tensor([rng.randint(3, 4), rng.randint(1, 2)]), 7)
    yield _heads_case(rng, 3, 4, real[:, :, :1])
    yield _heads_case(rng, 4, 3, real.flip(0)[:, :, :1])
    long = torch.ones(140, 140).tril().bool()
    yield _heads_case(rng, 2, 3, long, length=rng.randint(130, 140))
    for heads, width, batch, length in ALIKE:
        lengths = torch.tensor([rng.randint(1, length) for _ in range(batch)])
        padding = common.attention_mask(lengths, length)[:, :, :1]
        causal = common.attention_mask(torch.tensor([length]), length, causal=True)[0, 0]
        for mask in (padding, causal):
            yield _heads_case(rng, heads, width, mask, batch, length)
    yield from heads_large.hidden_scores(rng)


def _backwards(rng: Random) -> Iterator[Case]:
    x, (w_q, w_k, w_v, w_o) = _layer(rng, 1, rng.randint(8, 10))
    hides_nothing = torch.ones(x.shape[1], x.shape[1]).bool()  # who ignores it loses nothing here
    for mask in (None, hides_nothing):
        label = "" if mask is None else ", with a mask that hides nothing"
        yield differentiated(label, x=x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, num_heads=1, mask=mask)


heads = Exercise(
    "heads",
    common.multi_head,
    (
        Part("one head", 0.5, _one_head),
        Part("several heads", 0.5, _several_heads),
        Part("several heads and a mask", 0.5, _heads_masked),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=common.LIBRARY,
    explains=("You may use `attend(q, k, v, mask)`",),
    generic={
        "gradients must reach `x` and all four weights": NO_GRADIENT,
    },
)


@heads.mistake(
    "A view of (B, T, D) as (B, H, T, d) cuts the rows at the wrong places: a head gets some "
    "tokens whole instead of some columns of every token. Split the last axis first, then "
    "move the heads to the front.",
    loses=("several heads", "several heads and a mask"),
)
def heads_split_without_transpose(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    b, t, width = x.shape
    q, k, v = ((x @ w).reshape(b, num_heads, t, width // num_heads) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).reshape(b, t, width) @ w_o


@heads.mistake(
    "The merge is right, the split is not: a view as (B, H, T, d) mixes tokens and columns. "
    "Split the last axis into (H, d), then swap H and T.",
    loses=("several heads", "several heads and a mask"),
)
def heads_split_without_transpose_then_merged_with(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    b, t, width = x.shape
    q, k, v = ((x @ w).reshape(b, num_heads, t, width // num_heads) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).reshape(b, t, width) @ w_o


@heads.mistake(
    "The split is right, the merge is not: H still stands before T when you flatten, so the "
    "columns of one token come from several tokens.",
    loses=("several heads", "several heads and a mask"),
)
def heads_merged_without_transpose(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).reshape(x.shape) @ w_o


@heads.mistake(
    "Your head h takes the columns h, h + H, h + 2H, …. They should be neighbours: head 0 takes "
    "the first d columns, head 1 the next d, and so on. Look at the order of H and d where you "
    "split.",
    loses=("several heads", "several heads and a mask"),
)
def heads_take_every_hth_column(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (-1, num_heads)).movedim(-1, 1) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).movedim(1, -1).flatten(2) @ w_o


@heads.mistake(
    "You split the columns as (d, H) and merge them as (H, d), so they come back in another "
    "order. Head 0 takes the first d columns.",
    loses=("several heads", "several heads and a mask"),
)
def heads_take_every_hth_column_then_stand_side_by_side(
    x, w_q, w_k, w_v, w_o, num_heads, mask=None
):
    q, k, v = ((x @ w).unflatten(-1, (-1, num_heads)).movedim(-1, 1) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "Your scores are divided by √D. In a head, a score sums only d = D/H products.",
    loses=("several heads", "several heads and a mask"),
    breaks="The scale is that of a head",
)
def heads_scaled_by_the_model_width(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    context = sdpa(q, k, v, mask, scale=x.shape[-1] ** -0.5)
    return context.transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "Your scores are divided by √H, the root of the number of heads. What makes a score large "
    "is the number of products that it sums, and in a head there are d = D/H of them.",
    breaks="The scale is that of a head",
)
def heads_scaled_by_their_number(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask, scale=num_heads**-0.5).transpose(1, 2).flatten(2) @ w_o


@heads.mistake("The heads stand side by side and have not been mixed yet: w_o is missing.")
def heads_without_the_last_weights(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2)


@heads.mistake(
    "You multiply by the transposed weights, as nn.Linear does with its own. Here a weight "
    "is used as x @ w.",
    breaks="used as `x @ w`",
)
def heads_with_transposed_weights(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o.T


@heads.mistake(
    "You multiply x by the transposed w_q, w_k and w_v, as nn.Linear does with its own weights. "
    "Here each is used as x @ w."
)
def heads_with_three_transposed_weights(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "Your scores are divided by √d twice, once by you and once by the attention that you call, or "
    "by d instead of √d."
)
def heads_scaled_twice(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q / q.shape[-1] ** 0.5, k, v, mask).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "num_heads changes nothing: all D columns are compared at once, in a single softmax.",
    loses=("several heads", "several heads and a mask"),
)
def heads_are_one_head(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w)[:, None] for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask)[:, 0] @ w_o


@heads.mistake(
    "Your scores compare the heads of one token, not the tokens of one head. The last two axes "
    "of q must be T and d when q is multiplied by kᵀ."
)
def heads_look_at_each_other(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v).flatten(2) @ w_o


@heads.mistake(
    "All your heads work on the first d columns. Each should have columns of its own.",
    loses=("several heads", "several heads and a mask"),
    breaks="heads of D/H columns each",
)
def heads_share_the_first_columns(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    d = x.shape[-1] // num_heads
    q, k, v = ((x @ w)[:, None, :, :d].expand(-1, num_heads, -1, -1) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "Queries and keys are swapped: x @ w_q gives the queries, which are the rows of the scores."
)
def heads_with_queries_for_keys(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    k, q, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


@heads.mistake(
    "You add x to the result. That residual connection is put around the attention later."
)
def heads_with_the_input_added(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return x + sdpa(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o
