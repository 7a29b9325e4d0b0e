"""Unit 06, “Attention as a convolution”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare, differentiated
from helpers.checks.engine.hints import DTYPE, IN_PLACE, NO_GRADIENT
from helpers.checks.stacking import common

MARGIN = 8  # so far from an edge, the edge changes less than 1e-4


def convolution_by_attention(x: Tensor, kernel: Tensor, alpha: float) -> Tensor:
    """Head h looks where j − i is near h − K//2; (T, C), (C', C, K) → (T, C')."""
    taps = kernel.shape[2]
    places = torch.arange(len(x))
    offsets = places[None, :] - places[:, None]
    centres = torch.arange(taps) - taps // 2
    weights = (-alpha * (offsets - centres[:, None, None]).square()).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def _drawn(rng: Random, length: int, taps: int, *channels: int) -> tuple[Tensor, Tensor]:
    """x (T, C) and a kernel (C', C, K); where not given, C is above C' as often as below."""
    inputs, outputs = channels or rng.sample((2, 3, 4, 5), 2)
    x = common.normal_numbers(rng, length, inputs)
    return x, common.normal_numbers(rng, outputs, inputs, taps)


def _rows(rng: Random, inside: bool) -> Iterator[Case]:
    sizes: tuple[tuple[int, ...], ...] = ((3,), (5,), (5, 3, 3), (7,))
    rows = "without" if inside else "only"
    asked_rows = f"{rows} {MARGIN} rows at each end (the others shown as 0)"
    for size in sizes:
        x, kernel = _drawn(rng, rng.randint(20, 26), *size)
        alpha = rng.choice((rng.uniform(0.6, 0.8), rng.uniform(1.3, 1.9)))

        asked = torch.full((len(x), len(kernel)), not inside)
        asked[MARGIN:-MARGIN] = inside
        case = call(x, kernel, alpha).labelled(f"({_shapes(x, kernel, alpha)})")
        yield case.map(partial(common.only, asked, asked_rows))


def _shapes(x: Tensor, kernel: Tensor, alpha: float) -> str:
    return f"x {tuple(x.shape)}, kernel {tuple(kernel.shape)}, alpha={alpha:g}"


def _extremes(rng: Random) -> Iterator[Case]:
    def asked(length: int, taps: int, alpha: float, *channels: int) -> Case:
        return call(*_drawn(rng, length, taps, *channels), alpha)

    yield asked(rng.randint(4, 6), 1, rng.uniform(0.1, 1))
    yield asked(rng.randint(3, 4), rng.choice((9, 11)), rng.uniform(0.1, 1))
    yield asked(1, 5, rng.uniform(0.1, 1))
    yield asked(rng.randint(6, 9), 3, rng.uniform(0.1, 1), 1, rng.randint(2, 4))
    yield asked(rng.randint(6, 9), 3, rng.uniform(0.1, 1), rng.randint(2, 4), 1)
    # All keys of a long text count for a small alpha.
    yield asked(rng.randint(140, 150), 3, 0.0, 2, 2)
    yield asked(rng.randint(38, 44), rng.choice((5, 7)), rng.uniform(0.001, 0.003))
    yield asked(rng.randint(6, 9), rng.choice((5, 7)), rng.uniform(0.02, 0.1))
    # Beyond the edge by three, the scores are −9·alpha and less: exp of all of them is 0.
    yield asked(rng.randint(8, 10), 7, rng.choice((200, 500.0)))
    yield asked(rng.randint(8, 10), 7, rng.uniform(0.8, 1.2) * 1e8)
    yield asked(rng.randint(24, 28), 21, rng.uniform(0.3, 1))
    yield asked(rng.randint(8, 10), 5, rng.randint(1, 3))  # an int
    for low, high in (*((2, 3), (3, 4), (4, 5.5), (5.5, 8), (8, 10)), *((10, 16), (16, 40))):
        yield _impulse(rng, rng.uniform(low, high))
    # Such offsets do not fit into 8 bits, their squares not into 16.
    yield asked(rng.randint(260, 270), 3, rng.uniform(0.3, 1), 2, 2)


def _impulse(rng: Random, alpha: float) -> Case:
    """One large token among zeros, so that exp(−alpha) of it can be seen beside it."""
    x, kernel = _drawn(rng, rng.randint(8, 10), 3)
    large = max(300.0, float(f"{math.exp(alpha):.0g}"))
    x[:] = 0
    x[rng.randint(3, 5)] = large
    words = f", where x is {large:g} for one token and 0 for the others"
    return call(x, kernel, alpha).with_words(words)


def _backwards(rng: Random) -> Iterator[Case]:
    """The same shapes twice, with other numbers."""
    x, kernel = _drawn(rng, rng.randint(6, 9), 5)
    for alpha in (rng.uniform(0.2, 0.6), rng.uniform(0.8, 1.5)):
        yield differentiated(x=x, kernel=kernel, alpha=alpha)
        x, kernel = (common.normal_numbers(rng, *each.shape) for each in (x, kernel))
    # So large, but not so that exp of all scores is 0, which is asked for elsewhere.
    for taps, alpha in (
        (3, rng.uniform(52, 80)),
        (1, rng.uniform(90, 500)),
    ):
        x, kernel = _drawn(rng, rng.randint(6, 9), taps)
        yield differentiated(f", alpha={alpha:g}", x=x, kernel=kernel, alpha=alpha)
    for taps in (3, 5):
        yield _cancelling(rng, taps)


def _cancelling(rng: Random, taps: int) -> Case:
    """A million in all of x, which taps that add up to 0 take off; float32 leaves its rounding."""
    x, kernel = _drawn(rng, rng.randint(8, 11), taps)
    kernel -= kernel.mean(-1, keepdim=True)
    alpha = rng.uniform(0.3, 0.9)

    def ask(answer: Answer) -> Any:
        plain, lifted = (call(each, kernel, alpha).ask(answer) for each in (x, x + 1e6))
        pair = compare.as_tensor(plain), compare.as_tensor(lifted)
        if pair[0] is None or pair[1] is None or pair[0].shape != pair[1].shape:
            return plain
        return {"the result changes": bool((pair[1] - pair[0]).abs().max() > 1e-4)}

    words = "1,000,000 is added to all of x, in float64, and the taps add up to 0"
    return Case(f"({_shapes(x, kernel, alpha)}), where {words}", ask)


convolution = Exercise(
    "convolution",
    convolution_by_attention,
    (
        Part("away from the edges", 0.5, partial(_rows, inside=True)),
        Part("at the edges", 0.5, partial(_rows, inside=False)),
        Part("long kernels, short texts, any alpha", 0.25, _extremes),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=(encodings.Convolution,),
    explains=("Build this sum of heads",),
    generic={
        "The result has the dtype of `x`": DTYPE,
        "Gradients must reach `x` and `kernel`": NO_GRADIENT,
        "both stay as they are": IN_PLACE,
    },
    module=__name__,
)
