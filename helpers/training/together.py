"""Models of one architecture trained at once, as one batch of models.

A GPU takes hardly longer for several small models than for one. On two CPU cores it does not pay:
there the seeds of a race take turns.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state
from torch.nn.attention import SDPBackend, sdpa_kernel

from helpers import runtime
from helpers.corpora import MaskedBatch
from helpers.training import recording
from helpers.training.loop import DRY, READ_EVERY, read_losses
from helpers.training.optimizer import DECAY, schedule

State = dict[str, Tensor]


def train_together(
    models: Sequence[nn.Module],
    next_batches: Sequence[Callable[[], MaskedBatch]],
    steps: int,
    lr: float = 6e-3,
) -> None:
    """Train each model on batches of its own, as `train` does by default, but for rounding.

    Args:
        models: token ids (B, T) → logits (B, T, V); all of the same modules, on one device.
        next_batches: one for each model; all their batches have the same shape.
        steps: number of batches.
        lr: highest learning rate.

    Raises:
        DivergedError: the loss of a model is no longer a number.
    """
    if runtime.profile() == "dry":
        steps = min(steps, DRY)
    device = next(models[0].parameters()).device
    alike = copy.deepcopy(models[0]).to("meta")
    parameters, buffers = stack_module_state([*models])  # each with one more axis, of the models
    decaying = [name for name, each in alike.named_parameters() if each.dim() > 1]
    groups: list[dict[str, Any]] = [
        {"params": [parameters[name] for name in decaying], "weight_decay": DECAY},
        {"params": [each for name, each in parameters.items() if name not in decaying]},
    ]
    adamw = torch.optim.AdamW(groups, lr=lr, weight_decay=0.0, fused=True)
    plan = schedule(adamw, lr, steps)

    def loss(state: State, fixed: State, batch: State, given: State) -> Tensor:
        logits = functional_call(alike, (state, fixed), (batch["inputs"],), given)
        each = F.cross_entropy(logits.mT, batch["targets"], reduction="none")
        chosen = batch["selected"]
        return (each * chosen).sum() / chosen.sum()  # as `masked_loss`, in fixed shapes

    def backward(batch: tuple[State, State]) -> Tensor:
        adamw.zero_grad()
        with sdpa_kernel(SDPBackend.MATH):  # fused kernels take one model after the other
            losses = torch.vmap(loss)(parameters, buffers, *batch)  # (models,)
        losses.sum().backward()
        _clip(parameters)
        return losses.detach()

    gradients: Callable[[tuple[State, State]], Tensor] = backward
    if recording.available(device):
        gradients = recording.Recorded(backward)
    unread: list[Tensor] = []
    for step in range(1, steps + 1):
        unread.append(gradients(_stacked([each() for each in next_batches], device)))
        adamw.step()
        plan.step()
        if step % READ_EVERY == 0 or step == steps:
            read_losses([each.sum() for each in unread], step - len(unread), lr)
            unread = []
    for number, model in enumerate(models):
        model.load_state_dict({n: each[number] for n, each in (parameters | buffers).items()})


def _stacked(batches: Sequence[MaskedBatch], device: torch.device) -> tuple[State, State]:
    """Return what a model sees and is scored by, and what it is told, each (models, B, …)."""

    def stack(tensors: Sequence[Tensor]) -> Tensor:
        return torch.stack([*tensors]).to(device)

    names = ("inputs", "targets", "selected")
    batch = {name: stack([getattr(each, name) for each in batches]) for name in names}
    given = {name: stack([each.given[name] for each in batches]) for name in batches[0].given}
    return batch, given


@torch.no_grad()
def _clip(parameters: State) -> None:
    """Cut the gradients of each model to a norm of 1, as `clip_grad_norm_` does those of one."""
    gradients = [each.grad for each in parameters.values() if each.grad is not None]
    norms = torch.stack([each.flatten(1).norm(dim=1) for each in gradients]).norm(dim=0)
    shares = (1 / (norms + 1e-6)).clamp(max=1)
    for each in gradients:
        each.mul_(shares.view(-1, *[1] * (each.dim() - 1)))
