"""AdamW for everything, or Muon for hidden matrices and AdamW for the rest; a step of both."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from helpers import runtime
from helpers.model.attention import MultiHeadAttention
from helpers.training import recording
from helpers.training.muon import Muon

OPTIMIZERS = ("adamw", "muon")
DECAY = 0.01
# A matrix whose sides differ by this factor or more is no matrix between hidden states: an MLP's
# has 4, a head for two classes D/2, one for words V/D.
NARROW = 8


class Updates:
    """Holds the optimisers of a model, their schedules, and in float16 the scale of the loss.

    A step is `begin`, `zero_grad`, `backward` for each part of the batch, `clip_and_update`, `end`.
    Between `begin` and `end` the CPU waits for nothing and no number of Python's changes, so that a
    CUDA graph can hold what is there.

    Args:
        model: several in a `ModuleList` are independent; the gradients of each are cut by their
            own norm.
        kind: "adamw" or "muon", see `build`.
        lr: highest learning rate.
        steps: length of the schedule.
        scaled: multiply the loss, so that small gradients do not vanish in float16.
    """

    def __init__(self, model: nn.Module, kind: str, lr: float, steps: int, scaled: bool) -> None:
        self.models = [*model] if isinstance(model, nn.ModuleList) else [model]
        self.parameters = [*model.parameters()]
        device = self.parameters[0].device
        self.optimizers = build(model, kind, lr)
        self.schedules = [schedule(each, lr, steps) for each in self.optimizers]
        self.muon = [each for each in self.optimizers if isinstance(each, Muon)]
        self.uploads = recording.available(device)
        self.scale = LossScale(device) if scaled else None
        if self.scale:
            for each in self.optimizers:
                each.found_inf = self.scale.found_inf  # type: ignore[attr-defined]

    @property
    def parts(self) -> list[Any]:
        """Return what a checkpoint has to keep."""
        return [*self.optimizers, *self.schedules, *([self.scale] if self.scale else [])]

    def state(self) -> list[Tensor]:
        """Return what a step reads or writes before `end`, beside parameters and gradients."""
        found = [each.lr for each in self.muon if each.lr is not None]
        found += [kept for each in self.muon for of in each.state.values() for kept in of.values()]
        return found + ([*self.scale.state_dict().values()] if self.scale else [])

    def begin(self) -> None:
        """Write this step's learning rate where a recorded step reads it."""
        if self.uploads:
            for each in self.muon:
                each.upload()

    def zero_grad(self) -> None:
        """Forget the last step's gradients."""
        for each in self.optimizers:
            each.zero_grad()

    def backward(self, loss: Tensor) -> None:
        """Add this loss's gradients."""
        (loss * self.scale.factor if self.scale else loss).backward()

    def clip_and_update(self) -> None:
        """Cut the gradients to a norm of 1, and update what Muon updates."""
        if self.scale:
            for each in self.parameters:
                if each.grad is not None:
                    each.grad.div_(self.scale.factor)
        norms = [nn.utils.clip_grad_norm_(each.parameters(), 1.0) for each in self.models]
        if self.scale:
            # In float16 a gradient may overflow; then no optimiser takes this step, as clipping
            # has multiplied the gradients of all by a norm's inverse that is 0 or nan.
            self.scale.update(torch.stack(norms))
        for muon in self.muon:
            muon.step()

    def end(self) -> None:
        """Update what AdamW updates, and move the schedules on."""
        for each, plan in zip(self.optimizers, self.schedules, strict=True):
            # All of AdamW is one kernel, to which the schedule's beta1 is a plain number: in a
            # graph it would stay what it was when the graph was recorded.
            if each not in self.muon:
                each.step()
            plan.step()


class LossScale:
    """Scales a loss by a factor that halves where a gradient overflows, and doubles in quiet times.

    Dynamic loss scaling as in `torch.amp.GradScaler` (Micikevicius et al. 2018, section 3.2), with
    its numbers. That one decides for each optimiser by itself whether it takes a step, and the CPU
    has to wait for the answer. `found_inf` is 1 if the last gradients overflowed, else 0.
    """

    GROWTH_INTERVAL = 2000  # steps without an overflow, after which the factor doubles

    def __init__(self, device: torch.device) -> None:
        self.factor = torch.full((), 2.0**16, device=device)
        self.quiet = torch.zeros((), device=device)  # steps since the last overflow or doubling
        self.found_inf = torch.zeros((), device=device)

    def update(self, norms: Tensor) -> None:
        """Change all three after a step whose gradients had these norms."""
        self.found_inf.copy_(~norms.isfinite().all())
        self.quiet.add_(1).mul_(1 - self.found_inf)
        grows = (self.quiet >= self.GROWTH_INTERVAL).float()
        self.factor.mul_((1 - 0.5 * self.found_inf) * (1 + grows))
        self.quiet.mul_(1 - grows)

    def state_dict(self) -> dict[str, Tensor]:
        """Return the three numbers."""
        return {"factor": self.factor, "quiet": self.quiet, "found_inf": self.found_inf}

    def load_state_dict(self, state_dict: dict[str, Tensor]) -> None:
        """Take them over."""
        for name, value in state_dict.items():
            getattr(self, name).copy_(value)


def build(model: nn.Module, kind: str, lr: float) -> list[Optimizer]:
    """Make the optimisers that together update every parameter once.

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
        quick = runtime.fast_precision(hidden[0].device.type) == "bfloat16"
        precision = torch.bfloat16 if quick else torch.float32
        found.append(Muon(_some(groups), lr=lr, weight_decay=DECAY, precision=precision))
    return found


def _hidden_matrices(model: nn.Module) -> list[Tensor]:
    """Return the weights of linear layers, but for those with a narrow side."""
    linear = (module for module in model.modules() if isinstance(module, nn.Linear))
    weights = (layer.weight for layer in linear if layer.weight.requires_grad)
    return [each for each in weights if max(each.shape) < NARROW * min(each.shape)]


def _fused_projections(model: nn.Module) -> set[int]:
    """Return the ids of the matrices that are W_Q, W_K and W_V, one below the other."""
    attentions = (module for module in model.modules() if isinstance(module, MultiHeadAttention))
    return {id(each.qkv.weight) for each in attentions}


def _some(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups that have parameters."""
    return [group for group in groups if group["params"]]


def schedule(optimizer: Optimizer, lr: float, steps: int, **options: Any) -> LRScheduler:
    """Plan one cycle: up for a tenth of the steps, then down to almost 0 along a cosine."""
    # Muon has no beta1 to cycle, and cycling AdamW's is not what makes the difference here.
    momentum = isinstance(optimizer, torch.optim.AdamW)
    up = 0.1 if steps > 10 else 0.0  # a rise of no whole step is a division by zero there
    return OneCycleLR(
        optimizer, lr, total_steps=steps, pct_start=up, cycle_momentum=momentum, **options
    )
