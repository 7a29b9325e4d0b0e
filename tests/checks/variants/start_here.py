"""Unit 00, right answers written differently."""

from __future__ import annotations

import numpy as np
import torch


def positions_by_list(tokens):
    return torch.tensor([list(range(tokens.shape[1])) for _ in range(tokens.shape[0])])


def positions_by_cumsum(tokens):
    return torch.ones_like(tokens).cumsum(1) - 1


def positions_in_numpy(tokens):
    return np.tile(np.arange(tokens.shape[1]), (len(tokens), 1))


def positions_by_broadcasting(tokens):
    return torch.zeros_like(tokens) + torch.arange(tokens.shape[1])


VARIANTS = {
    "positions": (
        positions_by_list,
        positions_by_cumsum,
        positions_in_numpy,
        positions_by_broadcasting,
    )
}
