"""Unit 06, “Attention as a convolution”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import (
    Answer,
    Case,
    Exercise,
    Part,
    call,
    changed,
    compare,
    differentiated,
)
from helpers.checks.engine.faults import DTYPE, IN_PLACE, NO_GRADIENT
from helpers.checks.stacking import common

MARGIN = 8  # so far from an edge, the edge changes less than 1e-4
INSIDE, EDGES = "away from the edges", "at the edges"
EXTREMES, BACKWARDS = "long kernels, short texts, any alpha", "dtype and gradients"


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

        def ask(
            answer: Answer, x: Tensor = x, kernel: Tensor = kernel, alpha: float = alpha
        ) -> Any:
            found = call(x, kernel, alpha).ask(answer)
            tensor = compare.as_tensor(found)
            far = torch.zeros(len(x), 1, dtype=torch.bool)
            far[MARGIN:-MARGIN] = True
            if tensor is not None and tensor.shape == (len(x), len(kernel)):
                found = torch.where(far == inside, tensor, 0.0)
            return None if found is None else {asked_rows: found}

        yield Case(f"({_shapes(x, kernel, alpha)})", ask)


def _shapes(x: Tensor, kernel: Tensor, alpha: float) -> str:
    return f"x {tuple(x.shape)}, kernel {tuple(kernel.shape)}, alpha={alpha:g}"


def _inside(rng: Random) -> Iterator[Case]:
    return _rows(rng, inside=True)


def _edges(rng: Random) -> Iterator[Case]:
    return _rows(rng, inside=False)


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
    case = call(x, kernel, alpha)
    return case.labelled(f"{case.label}, where x is {large:g} for one token and 0 for the others")


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
        Part(INSIDE, 0.5, _inside),
        Part(EDGES, 0.5, _edges),
        Part(EXTREMES, 0.25, _extremes),
        Part(BACKWARDS, 0.25, _backwards),
    ),
    forbidden=(encodings.Convolution,),
    explains=("Build this sum of heads", "Write `attention_as_convolution`."),
    generic={
        "The result has the dtype of `x`": DTYPE,
        "Gradients must reach `x` and `kernel`": NO_GRADIENT,
        "both stay as they are": IN_PLACE,
    },
)


def heads_in_the_middle(x, kernel, alpha):
    """A right answer, which the wrong ones below change in one place."""
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Your heads look to the wrong side: the first tap multiplies a token to the right. Check the "
    "sign of j − i or of the centres.",
    breaks="the neighbour to the **left**",
)
@changed(heads_in_the_middle, "delta - centre", "delta + centre")
def heads_look_the_other_way(): ...


@convolution.mistake(
    "The argument alpha changes nothing in your result.",
    breaks="Σ_h softmax_j(−α(j − i − Δ_h)²) x W_hᵀ",
)
@changed(heads_in_the_middle, "-alpha * (delta - centre) ** 2", "-((delta - centre) ** 2)")
def heads_without_sharpness(): ...


@convolution.mistake("You square alpha as well. It stands before the square, outside the bracket.")
@changed(
    heads_in_the_middle, "-alpha * (delta - centre) ** 2", "-((alpha * (delta - centre)) ** 2)"
)
def heads_with_sharpness_squared(): ...


@convolution.mistake("You halve alpha, as in a normal distribution. The formula takes it as it is.")
@changed(heads_in_the_middle, "-alpha *", "-alpha / 2 *")
def heads_with_half_the_sharpness(): ...


@convolution.mistake(
    "Your scores fall linearly with the distance from the centre; in the formula they fall with "
    "its square."
)
@changed(heads_in_the_middle, "(delta - centre) ** 2", "(delta - centre).abs()")
def heads_with_distance_not_squared(): ...


@convolution.mistake(
    "Your scores grow with the distance from the centre, so the heads look as far away as they "
    "can. A sign is missing."
)
@changed(heads_in_the_middle, "-alpha *", "alpha *")
def heads_that_look_far_away(): ...


@convolution.mistake(
    "Your first head looks at the token itself. The kernel is centred: its middle tap multiplies "
    "the token, and the taps before it multiply tokens to the left."
)
@changed(heads_in_the_middle, " - kernel.shape[2] // 2", "")
def heads_that_begin_at_the_token(): ...


@convolution.mistake("You divide by the number of heads. A convolution adds up its taps.")
@changed(heads_in_the_middle, "x, kernel)\n", "x, kernel) / kernel.shape[2]\n")
def heads_averaged(): ...


@convolution.mistake(
    "You use the scores as weights. The softmax that turns one into the other is missing."
)
@changed(heads_in_the_middle, ".softmax(-1)", "")
def heads_without_softmax(): ...


@convolution.mistake("Your weights do not add up to 1: exponentials alone are not yet a softmax.")
@changed(heads_in_the_middle, ".softmax(-1)", ".exp()")
def heads_not_normalised(): ...


@convolution.mistake(
    "Your softmax runs over the queries, but it must run over the keys. Far from the edges that "
    "makes no difference here; near them it does.",
    loses=(EDGES, EXTREMES, BACKWARDS),
)
@changed(heads_in_the_middle, ".softmax(-1)", ".softmax(1)")
def heads_with_softmax_over_queries(): ...


@convolution.mistake(
    "Your centres lie halfway between two tokens. The middle tap multiplies the token itself, at "
    "offset 0."
)
@changed(heads_in_the_middle, "kernel.shape[2] // 2", "kernel.shape[2] / 2")
def heads_between_two_tokens(): ...


@convolution.mistake(
    "Near an edge your weights do not add up to 1: some of the weight goes to tokens that do not "
    "exist. The softmax runs over the T keys only.",
    loses=(EDGES, EXTREMES, BACKWARDS),
    breaks="The softmax runs over the $T$ keys that exist",
)
def heads_with_zeros_beyond_the_edges(x, kernel, alpha):
    length = len(x)
    where = torch.arange(length)
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = torch.arange(-length, 2 * length)[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)[..., length : 2 * length]
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "You divide the scores by a root of the width. These scores are not dot products: use them as "
    "the formula gives them."
)
@changed(heads_in_the_middle, "-alpha *", "-alpha / x.shape[1] ** 0.5 *")
def heads_scaled_by_the_width(): ...


@convolution.mistake(
    "This is the convolution itself, whatever alpha is. Compute what the heads give: with a "
    "small alpha that is a blurred convolution."
)
def heads_replaced_by_the_convolution(x, kernel, alpha):
    return F.conv1d(x.T[None], kernel, padding=kernel.shape[2] // 2)[0].T


@convolution.mistake(
    "You have three heads, whatever the kernel. There is one head for each of its taps.",
    breaks="of shape $(C', C, K)$ with odd $K$",
)
@changed(
    heads_in_the_middle,
    "(torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]",
    "torch.tensor([-1, 0, 1])[:, None, None]; kernel = kernel[:, :, :3]",
)
def heads_for_three_taps(): ...
