"""AdamW for everything, or Muon for hidden matrices and AdamW for the rest; a step of both."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from helpers import runtime
from helpers.model.attention import MultiHeadAttention
from helpers.training.muon import Muon

OPTIMIZERS = ("adamw", "muon")
DECAY = 0.01
# A matrix whose sides differ by this factor or more is no matrix between hidden states: an MLP's
# has 4, a head for two classes D/2, one for words V/D.
NARROW = 8


class Updates:
    """Holds the optimisers of a model, their schedules, and in float16 a scaler of the loss.

    Args:
        kind: "adamw" or "muon", see `build`.
        lr: highest learning rate.
        steps: length of the schedule.
        scaled: multiply the loss, so that small gradients do not vanish in float16.
    """

    def __init__(self, model: nn.Module, kind: str, lr: float, steps: int, scaled: bool) -> None:
        self.parameters = [*model.parameters()]
        self.optimizers = build(model, kind, lr)
        self.schedules = [schedule(each, lr, steps) for each in self.optimizers]
        self.scaler = torch.amp.GradScaler(self.parameters[0].device.type, enabled=scaled)

    @property
    def parts(self) -> list[Any]:
        """Return what a checkpoint has to keep."""
        return [*self.optimizers, *self.schedules, self.scaler]

    def step(self, loss: Tensor) -> None:
        """Update every parameter once, by gradients cut to a norm of 1."""
        for each in self.optimizers:
            each.zero_grad()
        self.scaler.scale(loss).backward()
        for each in self.optimizers:
            self.scaler.unscale_(each)
        norm = nn.utils.clip_grad_norm_(self.parameters, 1.0)
        # In float16 a gradient may overflow; then no optimiser takes this step, as clipping has
        # multiplied the gradients of all by a norm's inverse that is 0 or nan.
        overflow = self.scaler.is_enabled() and not norm.isfinite()
        for each, plan in zip(self.optimizers, self.schedules, strict=True):
            if not overflow:
                self.scaler.step(each)
            plan.step()
        self.scaler.update()


def build(model: nn.Module, kind: str, lr: float) -> list[Optimizer]:
    """The optimisers that together update every parameter once.

    Muon (Jordan et al. 2024) is for matrices between hidden states. All else has AdamW: embeddings
    and position tables, whose rows are looked up one by one; heads, gates and what reads a single
    number, which have a narrow side; biases and LayerNorms. These have no weight decay. With AdamW
    alone, all matrices and tables decay, as in BERT, and what is no matrix does not.

    Args:
        kind: "adamw" or "muon".
        lr: highest learning rate; Muon's updates are scaled to the size of AdamW's, so that one
            number serves both.

    Raises:
        ValueError: `kind` is neither.
    """
    if kind not in OPTIMIZERS:
        raise ValueError(f"optimizer={kind!r} must be one of {OPTIMIZERS}")
    hidden = _hidden_matrices(model) if kind == "muon" else []
    chosen = {id(matrix) for matrix in hidden}
    others = [each for each in model.parameters() if id(each) not in chosen]
    decaying = [each for each in others if kind == "adamw" and each.dim() > 1]
    plain = [each for each in others if kind != "adamw" or each.dim() < 2]
    groups = _some([{"params": decaying, "weight_decay": DECAY}, {"params": plain}])
    found: list[Optimizer] = []
    if groups:
        found.append(torch.optim.AdamW(groups, lr=lr, weight_decay=0.0, fused=True))
    if hidden:
        projections = _fused_projections(model)
        groups = [
            {"params": [each for each in hidden if id(each) in projections], "parts": 3},
            {"params": [each for each in hidden if id(each) not in projections]},
        ]
        quick = runtime.fast_precision() == "bfloat16"
        precision = torch.bfloat16 if quick else torch.float32
        found.append(Muon(_some(groups), lr=lr, weight_decay=DECAY, precision=precision))
    return found


def _hidden_matrices(model: nn.Module) -> list[Tensor]:
    """Weights of linear layers, but for those with a narrow side."""
    linear = (module for module in model.modules() if isinstance(module, nn.Linear))
    weights = (layer.weight for layer in linear if layer.weight.requires_grad)
    return [each for each in weights if max(each.shape) < NARROW * min(each.shape)]


def _fused_projections(model: nn.Module) -> set[int]:
    """Ids of the matrices that are W_Q, W_K and W_V, one below the other."""
    attentions = (module for module in model.modules() if isinstance(module, MultiHeadAttention))
    return {id(each.qkv.weight) for each in attentions}


def _some(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Groups that have parameters."""
    return [group for group in groups if group["params"]]


def schedule(optimizer: Optimizer, lr: float, steps: int, **options: Any) -> LRScheduler:
    """One cycle: up for a tenth of the steps, then down to almost 0 along a cosine."""
    # Muon has no beta1 to cycle, and cycling AdamW's is not what makes the difference here.
    momentum = isinstance(optimizer, torch.optim.AdamW)
    up = 0.1 if steps > 10 else 0.0  # a rise of no whole step is a division by zero there
    return OneCycleLR(
        optimizer, lr, total_steps=steps, pct_start=up, cycle_momentum=momentum, **options
    )
