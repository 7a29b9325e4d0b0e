"""Muon, with attention's fused projections taken apart, in bfloat16 or in float32."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

# Of the Newton–Schulz iteration: these bring singular values to about 1, from 0.7 to 1.2, quickly.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(Optimizer):
    """Makes each update of a matrix orthogonal (Jordan et al. 2024).

    Ours, as `torch.optim.Muon` iterates in bfloat16 alone, which most CPUs are slow at, and makes
    one update of Q, K and V in one projection: here a group's matrices may have as many `parts`.
    Else the two are alike, with adjust_lr_fn="match_rms_adamw" (Liu et al. 2025, 2502.16982): an
    update is as large as one of AdamW, so that one learning rate serves both.

    Args:
        groups: matrices, or dicts of "params" and options, as PyTorch's optimisers have them.
        lr: learning rate.
        weight_decay: fraction of a weight that is taken away, times `lr`.
        momentum: of the mean of the gradients; Nesterov's where `nesterov` is true.
        steps: of the iteration; 5 make singular values nearly equal.
        precision: of the iteration. A processor without bfloat16 products would spend most of a
            training step of a mini BERT on them.

    Where an attribute `found_inf` is set, as `torch.amp.GradScaler` sets it on PyTorch's
    optimisers, a step for which it is not 0 changes nothing.
    """

    found_inf: Tensor | None = None
    lr: Tensor | None = None  # where `upload` writes the learning rate

    def __init__(
        self,
        groups: Iterable[Any],
        lr: float,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        steps: int = 5,
        precision: torch.dtype = torch.float32,
    ) -> None:
        options = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(groups, options | {"nesterov": nesterov, "steps": steps, "parts": 1})
        self.precision = precision

    def upload(self) -> None:
        """Write the learning rate, the same for all groups, to the device of the matrices.

        From then on it is read there, so that a CUDA graph can hold a step; call this before each.
        """
        group = self.param_groups[0]
        if self.lr is None:
            self.lr = torch.zeros((), device=group["params"][0].device)
        self.lr.fill_(group["lr"])

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Update every matrix once; `closure` is not asked, as no caller here has one."""
        for group in self.param_groups:
            lr = self.lr if self.lr is not None else float(group["lr"])
            if self.found_inf is not None:
                lr = torch.where(self.found_inf > 0, 0.0, lr)
            alike: dict[torch.Size, list[tuple[Tensor, Tensor]]] = {}  # by shape
            for matrix in group["params"]:
                if matrix.grad is not None:
                    ahead = self._look_ahead(matrix, matrix.grad, group)
                    matrix.mul_(1 - lr * group["weight_decay"])
                    for own, towards in zip(
                        matrix.chunk(group["parts"]), ahead.chunk(group["parts"]), strict=True
                    ):
                        alike.setdefault(own.shape, []).append((own, towards))
            for pairs in alike.values():
                self._update(pairs, lr, group["steps"])

    def _look_ahead(self, matrix: Tensor, gradient: Tensor, group: dict[str, Any]) -> Tensor:
        """Update the mean of a matrix's gradients, and return where the next step goes."""
        momentum, state = group["momentum"], self.state[matrix]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(matrix)
        mean = state["momentum_buffer"]
        if self.found_inf is not None:  # the mean of the mean and itself stays what it is
            gradient = torch.where(self.found_inf > 0, mean, gradient)
        mean.lerp_(gradient, 1 - momentum)
        return gradient.lerp(mean, momentum) if group["nesterov"] else mean

    def _update(
        self, pairs: Sequence[tuple[Tensor, Tensor]], lr: Tensor | float, steps: int
    ) -> None:
        """Move matrices of one shape towards what stands beside each, made orthogonal."""
        ahead = torch.stack([towards for _, towards in pairs])
        updates = _orthogonal(ahead.to(self.precision), steps).to(ahead.dtype)
        size = 0.2 * math.sqrt(max(ahead.shape[1:]))
        for (own, _), update in zip(pairs, updates, strict=True):
            if isinstance(lr, Tensor):
                own.addcmul_(update, lr, value=-size)
            else:
                own.add_(update, alpha=-lr * size)


def _orthogonal(matrices: Tensor, steps: int) -> Tensor:
    """Approximate U Vᵀ of each one's singular value decomposition, (N, rows, columns).

    By Newton–Schulz iterations, all matrices at once: one by one a CPU would wait longer for its
    threads, and a GPU for its kernels, than they multiply.
    """
    a, b, c = COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
