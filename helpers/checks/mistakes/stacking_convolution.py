"""Unit 06: what people write instead of heads that act as a convolution."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from helpers.checks.exercise import Mistake


def heads_look_the_other_way(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta + centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_without_sharpness(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-((delta - centre) ** 2)).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_with_sharpness_squared(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-((alpha * (delta - centre)) ** 2)).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_with_distance_not_squared(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre).abs()).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_that_look_far_away(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_that_begin_at_the_token(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = torch.arange(kernel.shape[2])[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_averaged(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel) / kernel.shape[2]


def heads_without_softmax(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_not_normalised(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).exp()
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_with_softmax_over_queries(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_between_two_tokens(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] / 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_with_zeros_beyond_the_edges(x, kernel, alpha):
    length = len(x)
    where = torch.arange(length)
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = torch.arange(-length, 2 * length)[None, :] - where[:, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)[..., length : 2 * length]
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


def heads_scaled_by_the_width(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    delta = where[None, :] - where[:, None]
    scores = (-alpha * (delta - centre) ** 2).to(x.dtype) / x.shape[1] ** 0.5
    return torch.einsum("hij,jc,och->io", scores.softmax(-1), x, kernel)


def heads_replaced_by_the_convolution(x, kernel, alpha):
    return F.conv1d(x.T[None], kernel, padding=kernel.shape[2] // 2)[0].T


_INSIDE, _EDGES = "away from the edges", "at the edges"
CONVOLUTION = (
    Mistake(
        heads_look_the_other_way,
        "Your heads look to the other side: the first tap meets what lies to the right. Check the "
        "sign of δ or of the centres.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_without_sharpness,
        "The argument alpha changes nothing in your result.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_with_sharpness_squared,
        "You square alpha as well. It stands before the square, outside the bracket.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_with_distance_not_squared,
        "Your scores fall with the distance from the centre, those of the formula with its square.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_that_look_far_away,
        "Your scores grow with the distance from the centre, so the heads look as far away as they "
        "can. A sign is missing.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_that_begin_at_the_token,
        "Your first head looks at the token itself. The kernel is centred: its middle tap meets "
        "the token, the taps before it look to the left.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_averaged,
        "You divide by the number of heads. A convolution adds up its taps.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_without_softmax,
        "You use the scores as weights. The softmax that turns one into the other is missing.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_not_normalised,
        "Your weights do not add up to 1: exponentials alone are not yet a softmax.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_with_softmax_over_queries,
        "Your softmax runs over the queries. Far from an edge that makes no difference here, near "
        "one it does: each query spreads its weight over the keys.",
        (_EDGES,),
    ),
    Mistake(
        heads_between_two_tokens,
        "Your centres lie halfway between two tokens. The middle tap meets the token itself, at "
        "offset 0.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_with_zeros_beyond_the_edges,
        "Near an edge your weights do not add up to 1: some of them lie on tokens that do not "
        "exist. The softmax has the T keys only.",
        (_EDGES,),
    ),
    Mistake(
        heads_scaled_by_the_width,
        "You divide the scores by a root of the width. They hold no dot product here; the formula "
        "gives them as they are.",
        (_INSIDE, _EDGES),
    ),
    Mistake(
        heads_replaced_by_the_convolution,
        "This is the convolution itself, whatever alpha is. Asked is what attention gives: with a "
        "small alpha it is a blurred convolution.",
        (_INSIDE, _EDGES),
    ),
)
