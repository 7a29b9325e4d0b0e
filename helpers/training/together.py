"""Models of one architecture trained at once, as one batch of models.

A GPU takes hardly longer for several small models than for one. On two CPU cores it does not pay:
there the seeds of a race take turns. A batch holds seeds of one encoding: others differ in code,
not only in weights, and `vmap` runs one code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._pytree import tree_map

from helpers.corpora import MaskedBatch
from helpers.training.loop import train

# Inputs, targets and what is selected of a `MaskedBatch`, and what is given, each with an axis of
# models before all others.
Batch = tuple[Tensor, Tensor, Tensor, dict[str, Tensor]]


def train_together(
    models: Sequence[nn.Module],
    next_batches: Sequence[Callable[[], MaskedBatch]],
    steps: int,
    **options: Any,
) -> None:
    """Train each model on batches of its own, as `train` does by default, but for rounding.

    Args:
        models: token ids (B, T) → logits (B, T, V); all of the same modules, on one device.
        next_batches: one for each model; all their batches have the same shape.
        steps: number of batches.
        options: for `train`.
    """
    device = next(models[0].parameters()).device

    def next_batch() -> Batch:
        batches = [each() for each in next_batches]
        told = [(each.inputs, each.targets, each.selected, dict(each.given)) for each in batches]
        return tree_map(lambda *each: torch.stack(each).to(device), *told)

    train(nn.ModuleList(models), next_batch, steps, loss=summed_loss, **options)


def summed_loss(together: nn.Module, batch: Batch) -> Tensor:
    """Return the sum of the losses of all models in a `ModuleList`."""
    models = [*together.children()]
    states = [dict(each.named_parameters()) | dict(each.named_buffers()) for each in models]
    state = tree_map(lambda *each: torch.stack(each), *states)

    def loss(state: Any, inputs: Tensor, targets: Tensor, selected: Tensor, given: Any) -> Tensor:
        logits = functional_call(models[0], state, (inputs,), given)
        each = F.cross_entropy(logits.mT, targets, reduction="none")
        return (each * selected).sum() / selected.sum()  # as `masked_loss`, in fixed shapes

    with sdpa_kernel(SDPBackend.MATH):  # fused kernels take one model after the other
        return torch.vmap(loss)(state, *batch).sum()
