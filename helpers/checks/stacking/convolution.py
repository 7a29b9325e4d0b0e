"""Unit 06, “Attention as a convolution”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, compare

MARGIN = 7  # so far from an edge, the edge changes less than 1e-4


def convolution_by_attention(x: Tensor, kernel: Tensor, alpha: float) -> Tensor:
    """Head h looks where j − i is near h − K//2; (T, C), (C', C, K) → (T, C')."""
    taps = kernel.shape[2]
    places = torch.arange(len(x))
    offsets = places[None, :] - places[:, None]
    centres = torch.arange(taps) - taps // 2
    weights = (-alpha * (offsets - centres[:, None, None]).square()).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def _rows(rng: Random, inside: bool) -> Iterator[Case]:
    draw = Generator().manual_seed(rng.randrange(2**31))
    for taps in (3, 5):
        length, wide, narrow = rng.randint(18, 24), rng.randint(4, 5), rng.randint(2, 3)
        x = torch.randn(length, wide, generator=draw, dtype=torch.float64)
        kernel = torch.randn(narrow, wide, taps, generator=draw, dtype=torch.float64)
        alpha = rng.choice((0.6, 0.7, 1.6))

        def ask(
            answer: Answer, x: Tensor = x, kernel: Tensor = kernel, alpha: float = alpha
        ) -> Any:
            found = answer(x.clone(), kernel.clone(), alpha)
            tensor = compare.as_tensor(found)
            if tensor is None or tensor.shape != (len(x), len(kernel)):
                return found
            edges = torch.cat([tensor[:MARGIN], tensor[-MARGIN:]])
            return tensor[MARGIN:-MARGIN] if inside else edges

        shapes = f"x {tuple(x.shape)}, kernel {tuple(kernel.shape)}, alpha={alpha:g}"
        where = f"rows {MARGIN} to T − {MARGIN + 1}" if inside else f"{MARGIN} rows at each end"
        yield Case(f"({shapes}), {where}", ask)


def _inside(rng: Random) -> Iterator[Case]:
    return _rows(rng, inside=True)


def _edges(rng: Random) -> Iterator[Case]:
    return _rows(rng, inside=False)


convolution = Exercise(
    "convolution",
    convolution_by_attention,
    (
        Part("away from the edges", 1, _inside),
        Part("at the edges", 0.5, _edges),
    ),
    forbidden=(encodings.Convolution,),
)


@convolution.mistake(
    "Your heads look to the other side: the first tap meets what lies to the right. Check the "
    "sign of δ or of the centres."
)
def heads_look_the_other_way(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta + centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake("The argument alpha changes nothing in your result.")
def heads_without_sharpness(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-((delta - centre) ** 2)).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake("You square alpha as well. It stands before the square, outside the bracket.")
def heads_with_sharpness_squared(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-((alpha * (delta - centre)) ** 2)).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Your scores fall with the distance from the centre, those of the formula with its square."
)
def heads_with_distance_not_squared(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre).abs()).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Your scores grow with the distance from the centre, so the heads look as far away as they "
    "can. A sign is missing."
)
def heads_that_look_far_away(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Your first head looks at the token itself. The kernel is centred: its middle tap meets "
    "the token, the taps before it look to the left."
)
def heads_that_begin_at_the_token(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = torch.arange(kernel.shape[2])[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake("You divide by the number of heads. A convolution adds up its taps.")
def heads_averaged(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel) / kernel.shape[2]


@convolution.mistake(
    "You use the scores as weights. The softmax that turns one into the other is missing."
)
def heads_without_softmax(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake("Your weights do not add up to 1: exponentials alone are not yet a softmax.")
def heads_not_normalised(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).exp()
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Your softmax runs over the queries. Far from an edge that makes no difference here, near "
    "one it does: each query spreads its weight over the keys.",
    loses="at the edges",
)
def heads_with_softmax_over_queries(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Your centres lie halfway between two tokens. The middle tap meets the token itself, at "
    "offset 0."
)
def heads_between_two_tokens(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] / 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Near an edge your weights do not add up to 1: some of them lie on tokens that do not "
    "exist. The softmax has the T keys only.",
    loses="at the edges",
)
def heads_with_zeros_beyond_the_edges(x, kernel, alpha):
    length = len(x)
    where = torch.arange(length)
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = torch.arange(-length, 2 * length)[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)[..., length : 2 * length]
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "You divide the scores by a root of the width. They hold no dot product here; the formula "
    "gives them as they are."
)
def heads_scaled_by_the_width(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    scores = (-alpha * (delta - centre) ** 2).to(x.dtype) / x.shape[1] ** 0.5
    return torch.einsum("hij,jc,och->io", scores.softmax(-1), x, kernel)


@convolution.mistake(
    "This is the convolution itself, whatever alpha is. Asked is what attention gives: with a "
    "small alpha it is a blurred convolution."
)
def heads_replaced_by_the_convolution(x, kernel, alpha):
    return F.conv1d(x.T[None], kernel, padding=kernel.shape[2] // 2)[0].T
