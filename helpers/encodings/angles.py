"""Angles p·θ that are as right at position 10⁶ as at 1, in any precision and on any device."""

from __future__ import annotations

import math

import torch
from torch import Tensor

STEPS = 2.0**64  # in a turn


def finest(device: torch.device) -> torch.dtype:
    """float64 on a CPU, float32 elsewhere: Apple's GPUs have no float64, others are slow at it."""
    return torch.float64 if device.type == "cpu" else torch.float32


def angles(positions: Tensor, theta: Tensor, dtype: torch.dtype) -> Tensor:
    """p·θ of positions and frequencies that broadcast, but for whole turns.

    In float32 the product itself would be off by 0.03 radians at p = 10⁶. So θ is counted in steps
    of 2⁻⁶⁴ turns. Then p·θ is a product of integers of 64 bits, which is exact and runs over where
    an angle begins anew. In float64 the plain product is good enough. So it is for positions that
    are not whole: as those of patches in a picture of size 1, they are small.

    Args:
        positions: negative or not.
        theta: radians per position; best in float64 on the CPU, wherever the positions are.
        dtype: of the angles; not below float32, as half of it is left for 2π.
    """
    if positions.is_floating_point() or dtype == torch.float64:
        exact = torch.promote_types(positions.dtype, dtype)
        return (positions * theta.to(positions.device, exact)).to(dtype)
    turns = theta / (2 * math.pi)
    steps = ((turns - turns.round()) * STEPS).long()
    # Without waiting: a CPU that waits for this copy waits for all that the GPU has still to do.
    steps = steps.to(positions.device, non_blocking=True)
    return (positions * steps).to(dtype) * (2 * math.pi / STEPS)
