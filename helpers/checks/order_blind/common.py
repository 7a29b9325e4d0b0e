"""Unit 01: what several of its exercises draw and ask with."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.checks import draws
from helpers.checks.engine import Answer, Case, call, compare
from helpers.model import attention
from helpers.model.attention import MultiHeadAttention

Function = Callable[[Tensor], Tensor]

LIBRARY: tuple[Answer, ...] = (
    MultiHeadAttention,
    attention._softmax,
    nn.MultiheadAttention,
    F.multi_head_attention_forward,
    torch._native_multi_head_attention,
)
# What F.scaled_dot_product_attention is made of on any device, all of it to be called by hand.
_KERNELS = (getattr(torch, name) for name in dir(torch) if "attention" in name.lower())
ATTENTION: tuple[Answer, ...] = (
    *LIBRARY,
    F.scaled_dot_product_attention,
    *(each for each in _KERNELS if callable(each)),
)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(q·kᵀ/√d)·v, of the keys where `mask` is True; (…, T, d), …, (…, S, e) → (…, T, e)."""
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


def queries_keys_values(rng: Random, *lead: int) -> list[Tensor]:
    """q (…, T, d), k (…, S, d) and v (…, S, e); T, S, d and e are different, and none is 1."""
    queries, keys, width = rng.randint(3, 4), rng.randint(5, 6), rng.randint(7, 9)
    shapes = (queries, width), (keys, width), (keys, rng.randint(10, 12))
    return [draws.normal(rng, *lead, *shape) for shape in shapes]


def number(label: str, *arguments: Any) -> Case:
    """The question for a number, be that a float, a fraction or a tensor without axes."""
    return call(*arguments).labelled(label).map(compare.as_number)


def order_case(label: str, f: Function, x: Tensor, order: Tensor) -> Case:
    """What the answer measures of `f` when x is put in this order."""
    words = f"f = {label}, x of shape {tuple(x.shape)}, order = {order.tolist()}"
    return number(words, f, x, order)


def random_order(rng: Random, size: int) -> Tensor:
    """A permutation that moves the first, and that its inverse does not equal."""
    while True:
        order = torch.tensor(rng.sample(range(size), size))
        if order[0] and not torch.equal(order, order.argsort()):
            return order


def random_batch(rng: Random) -> Tensor:
    """(B, T, D) with B < D < T; the numbers of the second of three sequences are the largest."""
    return draws.normal(rng, 3, rng.randint(7, 9), 6) * torch.tensor([0.3, 3, 0.3])[:, None, None]


def mixing_sequences(y: Tensor) -> Tensor:
    """Each sequence and the squares up to it, times B: no other batch, in no other order."""
    return (y + y.square().cumsum(0)) * len(y)


def attention_layers(rng: Random, layers: int, causal: bool) -> Function:
    """Layers of attention in two heads with a skip connection, for a width of 6."""
    weights = [draws.normal(rng, 4, 6, 6) * 6**-0.5 for _ in range(layers)]

    def f(x: Tensor) -> Tensor:
        mask = attention_mask(torch.full(x.shape[:1], x.shape[1]), x.shape[1], causal)
        for layer in weights:
            w_q, w_k, w_v, w_o = layer.to(x.dtype)
            x = x + multi_head(x, w_q, w_k, w_v, w_o, num_heads=2, mask=mask)
        return x

    return f
