"""The weights of a mini BERT in two bytes each, as the page reads them, and back.

A matrix is written as int16 with one scale for each row, which rounds eight times less than
float16 does; a vector is written as float32. Float32 comes first in the file, so that all is
aligned: vectors and scales in the order of the weights, then the matrices in the same order.

One matrix is a vector here: the MLM head's, whose rounding the LayerNorm behind it would magnify
to twice that of all others together.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor, nn

UNREAD = ("bert.pooler.", "is_next.")  # the head for pairs of sentences, which the page has not
SEGMENTS, HEAD = "bert.segments.weight", "transform.0.weight"
LARGEST = 2**15 - 1
TRIED, WIDER = 100, 2e-4  # scales for a row, each so much wider than the one before


def read_by_the_page(model: nn.Module) -> dict[str, Tensor]:
    """The weights that fill a [MASK], by name, not copied; of the segments only the first."""
    found = {
        name: each.detach()
        for name, each in model.named_parameters()
        if not name.startswith(UNREAD)
    }
    return found | {SEGMENTS: found[SEGMENTS][0], HEAD: found[HEAD].flatten()}


def pack(weights: dict[str, Tensor]) -> bytes:
    """The content of a file of weights."""
    exact: list[Tensor] = []
    rounded: list[Tensor] = []
    for each in weights.values():
        if each.dim() == 1:
            exact.append(each)
        else:
            scale = _scale(each)
            exact.append(scale)
            rounded.append((each / scale[:, None]).round())
    floats = torch.cat([each.flatten() for each in exact]).numpy().astype("<f4")
    integers = torch.cat([each.flatten() for each in rounded]).numpy().astype("<i2")
    return floats.tobytes() + integers.tobytes()


def _scale(matrix: Tensor) -> Tensor:
    """A scale for each row: of those tried, the one whose rounding errors are smallest."""
    least = (matrix.abs().amax(1) / LARGEST).clamp_min(torch.finfo(torch.float32).tiny)
    tried = least * (1 + WIDER * torch.arange(TRIED)[:, None])  # (tried, rows)
    steps = matrix / tried[..., None]
    errors = ((steps - steps.round()) * tried[..., None]).square().sum(-1)
    return tried.gather(0, errors.argmin(0)[None])[0]


def shapes(weights: dict[str, Tensor]) -> dict[str, list[int]]:
    """What the page must know to read a file: the shape of each of the weights, in order."""
    return {name: list(each.shape) for name, each in weights.items()}


def unpack(content: bytes, shapes: dict[str, list[int]]) -> dict[str, Tensor]:
    """The rounded weights."""
    count = sum(shape[0] for shape in shapes.values())
    floats = torch.from_numpy(np.frombuffer(content, "<f4", count).copy())
    integers = torch.from_numpy(np.frombuffer(content, "<i2", offset=4 * count).copy())
    first = iter(floats.split([shape[0] for shape in shapes.values()]))
    sizes = [rows * columns for rows, columns in _matrices(shapes.values())]
    matrices = iter(integers.split(sizes))
    weights = {}
    for name, shape in shapes.items():
        vector = next(first)
        weights[name] = next(matrices).view(*shape) * vector[:, None] if len(shape) == 2 else vector
    return weights


def _matrices(shapes: Iterable[list[int]]) -> Iterable[tuple[int, int]]:
    return ((shape[0], shape[1]) for shape in shapes if len(shape) == 2)


@torch.no_grad()
def load(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Give `model` these weights, and leave alone what the page does not read."""
    own = read_by_the_page(model)
    for name, each in weights.items():
        if own[name].shape != each.shape:
            raise ValueError(
                f"{name} is {tuple(each.shape)} in the file and {tuple(own[name].shape)} in the "
                "model; make the model with the size that stands beside the weights"
            )
        own[name].copy_(each)
