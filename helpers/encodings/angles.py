"""Angles p·θ that are as exact at position 10⁶ as at position 1."""

from __future__ import annotations

import math

import torch
from torch import Tensor

STEPS = 2.0**64  # in a turn


def finest(device: torch.device) -> torch.dtype:
    """Return float64 on a CPU, else float32: Apple's GPUs lack float64, others are slow at it."""
    return torch.float64 if device.type == "cpu" else torch.float32


def indices(count: int, device: torch.device | str) -> Tensor:
    """Return 0 … count − 1 in float64, on `device` if it is a CUDA GPU, else on the CPU.

    Other GPUs lack float64. A CUDA GPU makes them itself, as no CUDA graph can hold a copy from the
    CPU.
    """
    where = device if torch.device(device).type == "cuda" else "cpu"
    return torch.arange(count, dtype=torch.float64, device=where)


def angles(positions: Tensor, theta: Tensor, dtype: torch.dtype) -> Tensor:
    """Return p·θ modulo 2π, for positions and frequencies that broadcast.

    In float32 the plain product would be off by 0.03 radians at p = 10⁶. So θ is counted in steps
    of 2⁻⁶⁴ turns. Then p·θ is a product of 64-bit integers, which is exact, and its overflow drops
    whole turns. In float64 the plain product is good enough; it is also used where integers will
    not do: for positions that are not whole, and for a θ that is learned.

    Args:
        positions: negative or not.
        theta: radians per position; best in float64, made of `indices`.
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
