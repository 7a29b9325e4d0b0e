"""Unit 08: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor


def generator(rng: Random) -> Generator:
    """A torch generator whose seed `rng` draws."""
    return Generator().manual_seed(rng.randrange(2**31))


def as_number(found: Any) -> Any:
    """One number as a tensor of shape (), whatever holds it."""
    if isinstance(found, int | float | np.number):
        return torch.tensor(float(found), dtype=torch.float64)
    one = isinstance(found, Tensor | np.ndarray) and np.prod(found.shape) == 1
    return found.reshape(()) if one else found
