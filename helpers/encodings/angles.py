"""Angles p·θ that are as exact at position 10⁶ as at position 1."""

from __future__ import annotations

import math

import torch
from torch import Tensor

STEPS = 2.0**64  # in a turn


def finest(device: torch.device) -> torch.dtype:
    """Return float64 on a CPU, else float32: Apple's GPUs lack float64, others are slow at it."""
    return torch.float64 if device.type == "cpu" else torch.float32


def of_float64(device: torch.device) -> torch.device:
    """Return where float64 is at hand: a CPU or a CUDA GPU is `device` itself, for others the CPU.

    What a GPU makes itself need not be copied to it, which no CUDA graph can hold.
    """
    return device if device.type == "cuda" else torch.device("cpu")


def angles(positions: Tensor, theta: Tensor, dtype: torch.dtype) -> Tensor:
    """Return p·θ modulo 2π, for positions and frequencies that broadcast.

    In float32 the plain product would be off by 0.03 radians at p = 10⁶. So θ is counted in steps
    of 2⁻⁶⁴ turns. Then p·θ is a product of 64-bit integers, which is exact, and its overflow drops
    whole turns. In float64 the plain product is good enough; it is also used where integers will
    not do: for positions that are not whole, and for a θ that is learned.

    Args:
        positions: negative or not.
        theta: radians per position; best in float64, on the device that `of_float64` names.
        dtype: of the angles; float32 or float64.
    """
    if positions.is_floating_point() or dtype == torch.float64 or theta.requires_grad:
        dtype = torch.promote_types(positions.dtype, dtype)
        return (positions * theta.to(positions.device, dtype)).to(dtype)
    turns = theta / (2 * math.pi)
    steps = ((turns - turns.round()) * STEPS).long()
    # Not blocking, or the CPU would wait for all work that is queued on the GPU.
    steps = steps.to(positions.device, non_blocking=True)
    return (positions * steps).to(dtype) * (2 * math.pi / STEPS)
