"""Unit 06, “Attention as a convolution”: wrong numbers of keys, gradients, dtypes, lost digits."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from helpers.checks.engine import changed
from helpers.checks.stacking.convolution import (
    BACKWARDS,
    EDGES,
    EXTREMES,
    convolution,
    heads_in_the_middle,
)


@convolution.mistake(
    "Your softmax runs over K // 2 extra keys on each side, the zeros that a convolution pads "
    "with. It must run over the T keys of the text only.",
    loses=(EDGES, EXTREMES, BACKWARDS),
)
def heads_with_padded_keys(x, kernel, alpha):
    half = kernel.shape[2] // 2
    padded = F.pad(x, (0, 0, half, half))
    delta = torch.arange(-half, len(x) + half)[None, :] - torch.arange(len(x))[:, None]
    centre = (torch.arange(kernel.shape[2]) - half)[:, None, None]
    weights = (-alpha * (delta - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, padded, kernel)


@convolution.mistake(
    "Your result loses digits. Either some of your tensors are float32, which has 7 digits: in "
    "PyTorch an integer tensor times a Python float is float32. Give all of them the dtype of x. "
    "Or you add something small to the sum of the exponentials; leave it out.",
    loses=BACKWARDS,
    breaks="Compute everything in that dtype",
)
@changed(heads_in_the_middle, ".to(x.dtype).softmax(-1)", ".float().softmax(-1).to(x.dtype)")
def heads_with_a_softmax_in_float32(): ...


@convolution.mistake(
    "Above some alpha, each of your heads looks at a single key. A softmax still gives the "
    "neighbours of that key e^(−alpha) times as much weight: 5 % at alpha = 3.",
    loses=EXTREMES,
)
def heads_of_a_single_key(x, kernel, alpha):
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    scores = (-alpha * (where[None, :] - where[:, None] - centre) ** 2).to(x.dtype)
    weights = scores.softmax(-1)
    if alpha >= 2:
        weights = F.one_hot(scores.argmax(-1), len(x)).to(x.dtype)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Where alpha is large, no gradient comes back. Let it through for any alpha.",
    loses=BACKWARDS,
)
def heads_without_gradients_where_alpha_is_large(x, kernel, alpha):
    if alpha > 50:
        x, kernel = x.detach(), kernel.detach()
    where = torch.arange(len(x))
    centre = (torch.arange(kernel.shape[2]) - kernel.shape[2] // 2)[:, None, None]
    weights = (-alpha * (where[None, :] - where[:, None] - centre) ** 2).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


@convolution.mistake(
    "Here the exponentials of all scores of a query are rounded to 0, and 0 / 0 is not a number. A "
    "softmax stays the same when a query's largest score is subtracted from all of them; torch's "
    "softmax does so.",
    loses=EXTREMES,
    breaks="The result must be right even if `alpha` is so large",
)
@changed(
    heads_in_the_middle,
    ".softmax(-1)",
    ".exp(); weights = weights / weights.sum(-1, keepdim=True)",
)
def heads_whose_exp_is_zero(): ...


@convolution.mistake(
    "Your offsets have too few bits: 8-bit integers wrap around after 127, and a key far away "
    "looks like a near one. Keep them in int64.",
    loses=EXTREMES,
)
@changed(heads_in_the_middle, "where[:, None]\n", "where[:, None]; delta = delta.char().long()\n")
def heads_with_offsets_of_8_bits(): ...
