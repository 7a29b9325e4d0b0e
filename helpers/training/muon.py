"""Muon in float32, for processors on which its own bfloat16 products take many times as long."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Muon32(torch.optim.Muon):
    """PyTorch's Muon (Jordan et al. 2024), orthogonalising in the precision of the weights.

    PyTorch computes it in bfloat16 whatever the device. A processor without bfloat16 products then
    spends most of a training step of a mini BERT there.
    """

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Update every matrix once; `closure` is not asked, as no caller here has one."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is not None:
                    self._update(matrix, matrix.grad, group)

    def _update(self, matrix: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        momentum, lr = group["momentum"], float(group["lr"])
        state = self.state[matrix]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(matrix)
        mean = state["momentum_buffer"].lerp_(gradient, 1 - momentum)
        ahead = gradient.lerp(mean, momentum) if group["nesterov"] else mean
        update = _orthogonal(ahead, group["ns_coefficients"], group["ns_steps"], group["eps"])
        matrix.mul_(1 - lr * group["weight_decay"])
        # As large as an update of AdamW ("match_rms_adamw"; Liu et al. 2025, 2502.16982).
        matrix.add_(update, alpha=-lr * 0.2 * math.sqrt(max(matrix.shape)))


def _orthogonal(
    matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> Tensor:
    """About U Vᵀ of the singular value decomposition, by Newton–Schulz iterations."""
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x
