"""Unit 01, attention from scratch: what its first four exercises ask and look at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers.attention import MultiHeadAttention
from helpers.checks import compare
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mistakes import order_blind_attention as mistakes
from helpers.checks.mistakes import order_blind_masks

LIBRARY = (MultiHeadAttention, nn.MultiheadAttention, F.multi_head_attention_forward)
ATTENTION = (*LIBRARY, F.scaled_dot_product_attention)
FINITE, RESULT = "every number is finite", "the result"


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(q·kᵀ/√d)·v: (…, T, d), (…, S, d), (…, S, e) → (…, T, e); a query sees some key.

    Args:
        mask: True where a query may look at a key, whatever broadcasts to (…, T, S).
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ v


def attention_mask(lengths: Tensor, num_tokens: int, causal: bool = False) -> Tensor:
    """True where query i may look at key j: real, and not later if causal; (B, 1, T, T)."""
    real = torch.arange(num_tokens) < lengths[:, None]  # (B, T)
    mask = real[:, None, None, :].expand(-1, 1, num_tokens, -1)
    return mask & torch.ones(num_tokens, num_tokens).tril().bool() if causal else mask


def multi_head(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor,
    num_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention in H heads, each on its own d = D/H columns; (B, T, D) → (B, T, D)."""
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return attend(q, k, v, mask).transpose(1, 2).flatten(2) @ w_o


def finite(case: Case) -> Case:
    """The same question, and whether there are infinite or missing numbers in the result."""

    def ask(answer: Answer) -> Any:
        found = case.ask(answer)
        tensor = compare.as_tensor(found)
        if tensor is None or tensor.isfinite().all():
            return {FINITE: True, RESULT: found}
        return {FINITE: False, RESULT: tensor.nan_to_num(nan=0.0)}  # as nan is unlike itself

    return Case(case.label, ask)


def numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers."""
    return torch.randn(shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def _sizes(rng: Random) -> tuple[int, int, int, int]:
    """T, S, d and e, all different, and all other than 1."""
    return rng.randint(3, 4), rng.randint(5, 6), rng.randint(7, 9), rng.randint(10, 12)


def _triple(rng: Random, *lead: int) -> tuple[Tensor, Tensor, Tensor]:
    """q (…, T, d), k (…, S, d) and v (…, S, e)."""
    queries, keys, width, value_width = _sizes(rng)
    return (
        numbers(rng, *lead, queries, width),
        numbers(rng, *lead, keys, width),
        numbers(rng, *lead, keys, value_width),
    )


def _single(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield finite(call(*_triple(rng)))


def _batches(rng: Random) -> Iterator[Case]:
    yield finite(call(*_triple(rng, rng.randint(2, 3))))
    yield finite(call(*_triple(rng, 2, rng.randint(13, 14))))


def _large(rng: Random) -> Iterator[Case]:
    """All scores near 150, where exp is beyond float32, their differences as ever."""
    q, k, v = _triple(rng)
    q[:, 0], k[:, 0] = math.sqrt(q.shape[-1]), 150
    case = call(q, k, v)
    yield finite(Case(case.label + " with scores near 150", case.ask))


attention = Exercise(
    "attention",
    attend,
    (
        Part("one sequence", 1, _single),
        Part("a batch, with and without heads", 0.5, _batches),
        Part("large scores", 0.5, _large),
    ),
    mistakes.ATTENTION,
    forbidden=ATTENTION,
)


def _lengths(rng: Random, num_tokens: int) -> Tensor:
    """Of B sequences, the longest full and the shortest of one token, B other than T."""
    between = [rng.randint(2, num_tokens - 1) for _ in range(rng.randint(1, 2))]
    lengths = [num_tokens, 1, *between]
    rng.shuffle(lengths)
    return torch.tensor(lengths)


def _mask_case(rng: Random, causal: bool) -> Case:
    num_tokens = rng.randint(6, 9)
    lengths = _lengths(rng, num_tokens)
    shape = (len(lengths), 1, num_tokens, num_tokens)
    arguments = (lengths, num_tokens, True) if causal else (lengths, num_tokens)

    def ask(answer: Answer) -> Any:
        found = call(*arguments).ask(answer)
        tensor = compare.as_tensor(found)
        if tensor is None:
            return found
        try:
            tensor = tensor.expand(shape)  # what broadcasts to the shape is as good
        except RuntimeError:
            return tensor
        true_or_false = str(found.dtype).endswith("bool")
        return {"it holds True and False": true_or_false, "who may look at whom": tensor}

    return Case(f"({lengths.tolist()}, {num_tokens}{', causal=True' if causal else ''})", ask)


def _padding(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield _mask_case(rng, causal=False)


def _causal(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield _mask_case(rng, causal=True)


masks = Exercise(
    "masks",
    attention_mask,
    (Part("padding", 0.5, _padding), Part("padding and causal", 0.5, _causal)),
    order_blind_masks.MASKS,
)


def _square(rng: Random) -> tuple[Tensor, Tensor, Tensor]:
    """q, k (B, H, T, d) and v (B, H, T, e), with B, H, T, d and e all different."""
    batch, heads, length = 2, 3, rng.randint(6, 8)
    shapes = [(batch, heads, length, width) for width in (4, 4, 5)]
    q, k, v = (numbers(rng, *shape) for shape in shapes)
    return q, k, v


def _with_causal(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    length = q.shape[2]
    mask = attention_mask(torch.tensor([length]), length, causal=True)[0, 0]
    yield finite(call(q, k, v, mask))
    yield finite(call(q[0, 0], k[0, 0], v[0, 0], mask))


def _with_padding(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    length = q.shape[2]
    lengths = torch.tensor([rng.randint(2, length - 2), length - 1])
    yield finite(call(q, k, v, attention_mask(lengths, length)[:, :, :1]))


def _without(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    yield finite(call(q, k, v))
    yield finite(call(*_triple(rng, 2), None))


masked = Exercise(
    "masked",
    attend,
    (
        Part("a causal mask (T, T)", 1, _with_causal),
        Part("a padding mask (B, 1, 1, T)", 0.5, _with_padding),
        Part("no mask", 0.5, _without),
    ),
    order_blind_masks.MASKED,
    forbidden=ATTENTION,
)


def _layer(rng: Random, heads: int, width: int) -> tuple[Tensor, list[Tensor]]:
    """x (B, T, D), and the four weights (D, D), of a size that keeps the numbers near 1."""
    x = numbers(rng, 2, rng.randint(5, 7), heads * width)
    return x, [numbers(rng, heads * width, heads * width) * x.shape[2] ** -0.5 for _ in range(4)]


def _heads_case(rng: Random, heads: int, width: int, mask: Tensor | None = None) -> Case:
    x, weights = _layer(rng, heads, width)
    given = () if mask is None else (mask[..., : x.shape[1], : x.shape[1]],)
    shape = f", a mask {tuple(given[0].shape)}" if given else ""
    label = f"(x of shape {tuple(x.shape)}, four weights, num_heads={heads}{shape})"
    return finite(Case(label, partial(_ask_heads, x, weights, heads, given)))


def _ask_heads(
    x: Tensor, weights: list[Tensor], heads: int, given: tuple[Tensor, ...], answer: Answer
) -> Any:
    return call(x, *weights, heads, *given).ask(answer)


def _one_head(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 1, rng.randint(8, 10))


def _several_heads(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 3, 4)
    yield _heads_case(rng, 4, rng.choice([2, 3]))


def _heads_masked(rng: Random) -> Iterator[Case]:
    yield _heads_case(rng, 3, 4, torch.ones(7, 7).tril().bool())
    real = attention_mask(torch.tensor([3, rng.randint(1, 4)]), 7)[:, :, :1]
    yield _heads_case(rng, 3, 4, real)


heads = Exercise(
    "heads",
    multi_head,
    (
        Part("one head", 0.5, _one_head),
        Part("several heads", 1, _several_heads),
        Part("several heads and a mask", 0.5, _heads_masked),
    ),
    mistakes.HEADS,
    forbidden=LIBRARY,
)
