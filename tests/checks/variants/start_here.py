"""Unit 00, right answers written differently: each is named after its exercise."""

import numpy as np
import torch


def positions_by_cumsum(tokens):
    return torch.ones_like(tokens).cumsum(1) - 1


def positions_in_numpy(tokens):
    return np.tile(np.arange(tokens.shape[1]), (len(tokens), 1))
