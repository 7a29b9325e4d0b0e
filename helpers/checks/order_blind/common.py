"""Unit 01: what several of its exercises draw and ask with."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from numbers import Real
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers.checks.engine import Answer, ArgumentChangedError, Case, compare
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


def finite_too(case: Case) -> Case:
    """The same question, and whether there are infinite or missing numbers in the result."""

    def ask(answer: Answer) -> Any:
        found = case.ask(answer)
        tensor = compare.as_tensor(found)
        if tensor is None or tensor.isfinite().all():
            return {FINITE: True, RESULT: found}
        return {FINITE: False, RESULT: tensor.nan_to_num(nan=0.0)}  # as nan is unlike itself

    return case.asking(ask)


def of_a_single_key(q: Tensor, k: Tensor, v: Tensor) -> Case:
    """How far the results are from the one value there is, times 20.

    So it shows when the weights do not quite add up to 1.
    """
    one = v[..., :1, :]

    def ask(answer: Answer) -> Any:
        found = answer(q.clone(), k[..., :1, :].clone(), one.clone())
        tensor = compare.as_tensor(found)
        return found if tensor is None or tensor.dim() != v.dim() else 20 * (tensor - one.double())

    label = f"{tuple(q.shape)}, {tuple(k[..., :1, :].shape)} and {tuple(one.shape)}"
    return Case(f"20 times the difference from the only value, for shapes {label}", ask)


def normal_numbers(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float32."""
    return torch.randn(shape, generator=Generator().manual_seed(rng.randrange(2**31)))


def random_sizes(rng: Random) -> tuple[int, int, int, int]:
    """T, S, d and e, all different, and all other than 1."""
    return rng.randint(3, 4), rng.randint(5, 6), rng.randint(7, 9), rng.randint(10, 12)


def queries_keys_values(rng: Random, *lead: int) -> tuple[Tensor, Tensor, Tensor]:
    """q (…, T, d), k (…, S, d) and v (…, S, e)."""
    queries, keys, width, value_width = random_sizes(rng)
    return (
        normal_numbers(rng, *lead, queries, width),
        normal_numbers(rng, *lead, keys, width),
        normal_numbers(rng, *lead, keys, value_width),
    )


def many_keys(rng: Random, *lead: int) -> tuple[Tensor, Tensor, Tensor]:
    """As `queries_keys_values`, with more keys than a byte can count."""
    keys = rng.randint(260, 290)
    shapes = ((3, 4), (keys, 4), (keys, 5))
    q, k, v = (normal_numbers(rng, *lead, *shape) for shape in shapes)
    return q, k, v


def as_number(found: Any) -> Any:
    """A plain number as a tensor, so that float, fraction and tensor are equally welcome."""
    plain = isinstance(found, Real | Decimal) and not isinstance(found, bool)
    return torch.tensor(float(found), dtype=torch.float64) if plain else found


def is_number(found: Any) -> Any:
    """Whether it is a number, as a message may say, and which."""
    if found is None:  # for which there is a message of its own
        return None
    number = as_number(found)
    return {"your result is a number": type(number) in compare.ARRAYS, "the result": number}


def order_case(label: str, f: Function, x: Tensor, order: Tensor) -> Case:
    """What the answer measures of `f` when x is put in this order; f, x and order stay."""

    def ask(answer: Answer) -> Any:
        given, given_order = x.clone(), order.clone()
        found = as_number(answer(f, given, given_order))
        if not torch.equal(given, x):
            raise ArgumentChangedError("x")
        if not torch.equal(given_order, order):
            raise ArgumentChangedError("order")
        return found

    shown = order.tolist() if len(order) < 12 else f"{order[:6].tolist()}…"
    return Case(f"f = {label}, x of shape {tuple(x.shape)}, order = {shown}", ask)


def magnified(case: Case) -> Case:
    """The same question about a tiny change, which is compared a million times as large."""

    def ask(answer: Answer) -> Any:
        found = case.ask(answer)
        tensor = compare.as_tensor(found)
        return found if tensor is None else tensor * 1e6

    return Case(f"a million times the result for {case.label}", ask)


def exact_case(label: str, x: Tensor, order: Tensor) -> Case:
    """Whether f is given numbers as exact as those of x, which is float64 here."""
    double = x.double()

    def ask(answer: Answer) -> Any:
        exact = []

        def f(given: Tensor) -> Tensor:
            exact.append(given.dtype == torch.float64)
            return given.cumsum(1)

        # An answer may put x in order by a float32 matrix, and then it cannot be asked.
        with contextlib.suppress(RuntimeError):
            answer(f, double.clone(), order.clone())
        return {"f is given float64 where x is float64": all(exact)}

    return Case(f"f = {label}, x of shape {tuple(x.shape)} in float64", ask)


def random_order(rng: Random, size: int) -> Tensor:
    """A permutation that moves the first, and that its inverse does not equal."""
    while True:
        order = torch.tensor(rng.sample(range(size), size))
        if order[0] and not torch.equal(order, order.argsort()):
            return order


def random_batch(rng: Random) -> Tensor:
    """(B, T, D) with B < D < T."""
    return normal_numbers(rng, 3, rng.randint(7, 9), 6)


def batches_of_like_sizes(rng: Random) -> Iterator[Tensor]:
    """(B, T, D) with one sequence; with B = T; with B = T − 1; with T = D; and with T − 1 = D."""
    for batch, length in ((1, 8), (5, 5), (6, 7), (3, 6), (2, 7), (6, 6)):
        yield normal_numbers(rng, batch, length, 6)


def large_batch(rng: Random) -> tuple[Tensor, Tensor]:
    """Many sequences, all but the last zeros, many tokens, many features; and an order.

    The last feature is far the largest. The order moves nothing from the first 64 places, or the
    first 104, to those behind them.
    """
    x = normal_numbers(rng, 18, 110, 70)
    x[..., -1] *= 20
    x[:-1] = 0
    order = torch.cat([first + random_order(rng, n) for first, n in ((0, 64), (64, 40), (104, 6))])
    return x, order


def largest_in_each(x: Tensor) -> Iterator[Tensor]:
    """x with the largest numbers, and so the largest change, in each of its sequences once."""
    for largest in range(len(x)):
        factors = torch.full((len(x), 1, 1), 0.3)
        factors[largest] = 3.0
        yield factors * x


def from_behind(x: Tensor) -> Tensor:
    """The sum of each token and all behind it: in the last row the token alone, ten times."""
    y = x.flip(1).cumsum(1).flip(1)
    y[:, -1] *= 10
    return y


def summed_at_the_last(x: Tensor) -> Tensor:
    """At the last place the sum of all tokens, each times its place; nothing at any other."""
    y = torch.zeros_like(x)
    y[:, -1] = (x * torch.arange(x.shape[1])[:, None]).sum(1)
    return y


def mixing_sequences(y: Tensor) -> Tensor:
    """Each sequence and the squares up to it, times B: no other batch, in no other order."""
    return (y + y.square().cumsum(0)) * len(y)


def attention_layers(rng: Random, layers: int, causal: bool) -> Function:
    """Layers of attention in two heads with a skip connection, for a width of 6."""
    weights = [normal_numbers(rng, 4, 6, 6) * 6**-0.5 for _ in range(layers)]

    def f(x: Tensor) -> Tensor:
        lengths = torch.full(x.shape[:1], x.shape[1])
        mask = attention_mask(lengths, x.shape[1], causal)
        for layer in weights:
            w_q, w_k, w_v, w_o = layer.to(x.dtype)
            x = x + multi_head(x, w_q, w_k, w_v, w_o, num_heads=2, mask=mask)
        return x

    return f
