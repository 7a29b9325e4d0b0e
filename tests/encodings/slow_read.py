"""What is read between a query and a key, from the formulas alone: one token of the way at a time.

Nothing here is shared with helpers/encodings but the parameters.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor


def _way(i: int, j: int) -> list[int]:
    """Tokens from the key to the query, which is among them, and the key is not."""
    return list(range(j + 1, i + 1)) if j <= i else list(range(j - 1, i - 1, -1))


def _gate(layer: Any, h: int, token: int, k: Tensor) -> float:
    said = float(layer.weight[h] @ torch.cat([*k[:, token]]) + layer.bias[h])
    return 1 / (1 + math.exp(-said))


def fox(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> float:
    """Logarithms of the gates on the way, √d-fold."""
    return sum(math.log(_gate(e.gate, h, token, k)) for token in _way(i, j)) / e.softmax_scale


def path(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    """The key, changed by each token on the way, less the key as it was."""
    d = k.shape[-1]
    key = k[h, j]
    for token in _way(i, j):
        w = e.direction.weight[h * d : (h + 1) * d] @ torch.cat([*k[:, token]])
        w = w / w.norm().clamp(min=1e-12)
        beta = 2 * _gate(e.strength, h, token, k)
        key = (torch.eye(d) - beta * torch.outer(w, w)) @ key
    return q[h, i] @ key - q[h, i] @ k[h, j]
