"""AdamW for everything, or Muon for the hidden matrices and AdamW for the rest."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from helpers import runtime

OPTIMIZERS = ("adamw", "muon")


def build(model: nn.Module, kind: str, lr: float) -> list[Optimizer]:
    """The optimisers that together update every parameter once.

    Muon (Jordan et al. 2024) makes each update of a matrix orthogonal; it is for matrices between
    hidden states, not for embeddings or position tables, whose rows are looked up one by one.

    Args:
        kind: "adamw" or "muon".
        lr: highest learning rate; Muon's updates are scaled to the size of AdamW's, so that one
            number serves both.

    Raises:
        ValueError: `kind` is neither, or this PyTorch has no Muon.
    """
    if kind not in OPTIMIZERS:
        raise ValueError(f"optimizer={kind!r} must be one of {OPTIMIZERS}")
    hidden = _hidden_matrices(model) if kind == "muon" else []
    chosen = {id(matrix) for matrix in hidden}
    others = [each for each in model.parameters() if id(each) not in chosen]
    found: list[Optimizer] = []
    if others:
        found.append(torch.optim.AdamW(others, lr=lr, weight_decay=0.01, fused=True))
    if hidden:
        if not hasattr(torch.optim, "Muon"):
            raise ValueError(f"PyTorch {torch.__version__} has no Muon; use optimizer='adamw'")
        found.append(_muon()(hidden, lr=lr, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"))
    return found


def _muon() -> type[torch.optim.Muon]:
    """PyTorch's where bfloat16 products are quick, as it uses them; else ours, in float32."""
    if runtime.fast_precision() == "bfloat16":
        return torch.optim.Muon
    from helpers.training.muon import Muon32  # no PyTorch before 2.9 has what it is made of

    return Muon32


def _hidden_matrices(model: nn.Module) -> list[Tensor]:
    linear = (module for module in model.modules() if isinstance(module, nn.Linear))
    return [layer.weight for layer in linear if layer.weight.requires_grad]


def schedule(optimizer: Optimizer, lr: float, steps: int, **options: Any) -> LRScheduler:
    """One cycle: up for a tenth of the steps, then down to almost 0 along a cosine."""
    # Muon has no beta1 to cycle, and cycling AdamW's is not what makes the difference here.
    momentum = isinstance(optimizer, torch.optim.AdamW)
    up = 0.1 if steps > 10 else 0.0  # a rise of no whole step is a division by zero there
    return OneCycleLR(
        optimizer, lr, total_steps=steps, pct_start=up, cycle_momentum=momentum, **options
    )
