"""Models of one architecture trained at once, as one batch of models.

A GPU takes hardly longer for several small models than for one. On two CPU cores it does not pay:
there the seeds of a race take turns. A batch holds seeds of one encoding: others differ in code,
not only in weights, and `vmap` runs one code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._pytree import tree_map

from helpers.training.loop import train
from helpers.training.score import masked_loss


def train_together(
    models: Sequence[nn.Module],
    next_batches: Sequence[Callable[[], Any]],
    steps: int,
    loss: Callable[[Any, Any], Tensor] = masked_loss,
    **options: Any,
) -> None:
    """Train each model on batches of its own, as `train` does, but for rounding.

    Args:
        models: what `loss` asks; all of the same modules, on one device. One alone is trained as
            `train` does to the last bit.
        next_batches: one for each model; all their batches have the same shape.
        steps: number of batches.
        loss: loss of a model on a batch.
        options: for `train`.
    """
    device, alone = next(models[0].parameters()).device, len(models) == 1

    def joined(*each: Any) -> Any:
        if not isinstance(each[0], Tensor):
            return each[0]
        return (each[0] if alone else torch.stack(each)).to(device)

    def next_batch() -> Any:
        return tree_map(joined, *(each() for each in next_batches))

    if alone:
        train(models[0], next_batch, steps, loss=loss, **options)
    else:
        loss = partial(summed_loss, loss)
        train(nn.ModuleList(models), next_batch, steps, loss=loss, **options)


def summed_loss(loss: Callable[[Any, Any], Tensor], together: nn.Module, batch: Any) -> Tensor:
    """Return the sum of the losses of all models in a `ModuleList`.

    Args:
        batch: a nest of tensors with an axis of models before all others; what else is in it is
            the same for all.
    """
    models = [*together.children()]
    states = [dict(each.named_parameters()) | dict(each.named_buffers()) for each in models]
    state = tree_map(lambda *each: torch.stack(each), *states)

    def of_one(state: Any, own: Any) -> Tensor:
        return loss(lambda *asked, **given: functional_call(models[0], state, asked, given), own)

    with sdpa_kernel(SDPBackend.MATH):  # fused kernels take one model after the other
        axes = tree_map(lambda each: 0 if isinstance(each, Tensor) else None, batch)
        return torch.vmap(of_one, (0, axes))(state, batch).sum()
