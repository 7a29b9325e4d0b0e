"""Loss and accuracy on the scored places of a batch."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.corpora import MaskedBatch


def masked_loss(model: nn.Module, batch: MaskedBatch) -> Tensor:
    """Return the mean cross-entropy in nats over the selected places.

    Logits at the others are ignored, not left out: how many are selected, a GPU would have to tell
    the CPU in each step.
    """
    logits = model(batch.inputs, **batch.given)  # (B, T, V)
    targets = torch.where(batch.selected, batch.targets, -100)
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=-100)


class Score(NamedTuple):
    """Loss in nats per scored token, and the fraction of them that were guessed right."""

    loss: float
    accuracy: float


@torch.no_grad()
def evaluate(model: nn.Module, batch: MaskedBatch) -> Score:
    """Score `model` on the scored places of `batch`, dropout off."""
    model.eval()
    logits = model(batch.inputs, **batch.given)[batch.selected]
    targets = batch.targets[batch.selected]
    right = int((logits.argmax(-1) == targets).sum()) / len(targets)
    return Score(F.cross_entropy(logits, targets).item(), right)
