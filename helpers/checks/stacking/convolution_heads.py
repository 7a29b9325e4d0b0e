"""Unit 06, “Attention as a convolution”: keys that are too many or too few, and a cut gradient."""

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
    "Your softmax has K // 2 keys too many on each side, the zeros that a convolution pads with. "
    "It runs over the T keys of the text only.",
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
    "A gradient reaches the kernel, but none x, and so no layer below.",
    loses=BACKWARDS,
)
@changed(heads_in_the_middle, "x, kernel)\n", "x.detach(), kernel)\n")
def heads_without_a_gradient_of_x(): ...
