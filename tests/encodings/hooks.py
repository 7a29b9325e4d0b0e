"""Hooks, asked as a model asks them: of a whole text unless something else is said."""

from typing import Any

import torch
from torch import Tensor

from helpers.encodings import Encoding, Positions, create, prepare_positions


def drawn(name: str, **options: Any) -> Any:
    """An encoding whose parameters are all random; each caller knows its class."""
    encoding = create(name, **options)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.normal_()
    return encoding


def told(x: Tensor, positions: Tensor | None = None, offsets: Tensor | None = None) -> Positions:
    """What a model would say of x (B, T, D)."""
    return prepare_positions(x, positions, offsets)


def embed(encoding: Encoding, x: Tensor, positions: Tensor | None = None) -> Tensor:
    """Token vectors (B, T, D) at positions (T,) or (B, T)."""
    return encoding.embed(x, told(x, positions))


def rotate(
    encoding: Encoding, q: Tensor, k: Tensor, positions: Positions | None = None
) -> tuple[Tensor, Tensor]:
    """The queries are the last of the keys where nothing is said."""
    return encoding.rotate(q, k, positions or _in_order(q, k))


def scores(
    encoding: Encoding,
    q: Tensor,
    k: Tensor,
    offsets: Tensor | None = None,
    positions: Positions | None = None,
) -> Tensor:
    """What `bias` comes to before scaling, beside q·kᵀ of queries that are not scaled."""
    if offsets is not None:
        positions = told(q.transpose(1, 2), offsets=offsets)
    scaled = q * encoding.softmax_scale
    found = encoding.bias(scaled, k, positions or _in_order(q, k))
    return (0 * scaled @ k.mT if found is None else found) / encoding.softmax_scale


def context(encoding: Encoding, weights: Tensor, positions: Positions | None = None) -> Tensor:
    """The value term of (B, H, T, S)."""
    found = encoding.context(weights, positions or Positions.upto(weights.shape[3]))
    assert found is not None
    return found


def _in_order(q: Tensor, k: Tensor) -> Positions:
    return Positions.upto(k.shape[2], q.shape[2], k.device)
