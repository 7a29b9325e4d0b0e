"""The training loop: schedule, progress bar, a record of the loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm.auto import tqdm

from helpers.corpora import Masked


class DivergedError(RuntimeError):
    """The loss became infinite or NaN."""


def masked_loss(model: nn.Module, batch: Masked) -> Tensor:
    """Mean cross-entropy in nats over the selected places; all others count for nothing."""
    logits = model(batch.inputs, **batch.given)  # (B, T, V)
    return F.cross_entropy(logits[batch.selected], batch.targets[batch.selected])


def train(
    model: nn.Module,
    draw: Callable[[], Masked],
    steps: int,
    lr: float = 6e-3,
    limit: float | None = None,
    label: str = "training",
) -> list[float]:
    """Train with AdamW and a one-cycle schedule; returns the loss of each step in nats.

    Args:
        model: token ids (B, T) → logits (B, T, V).
        draw: gives a fresh batch.
        steps: number of batches.
        lr: highest learning rate.
        limit: the lowest loss possible, in nats, shown beside the loss.
        label: what the progress bar is called.

    Raises:
        DivergedError: the loss is no longer a number; try a smaller `lr`.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps, pct_start=0.1)
    losses: list[float] = []
    model.train()
    with tqdm(total=steps, desc=label, unit="step", mininterval=0.5) as bar:
        for step in range(steps):
            loss = masked_loss(model, draw())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            if not math.isfinite(losses[-1]):
                raise DivergedError(f"loss={losses[-1]} at step {step}; try an lr below {lr}")
            shown = {"loss": f"{losses[-1]:.2f}"}
            if limit is not None:
                shown["limit"] = f"{limit:.2f}"
            bar.set_postfix(shown, refresh=False)
            bar.update()
    return losses


class Score(NamedTuple):
    """Loss in nats per scored token, and the share of them that were guessed right."""

    loss: float
    accuracy: float


@torch.no_grad()
def evaluate(model: nn.Module, batch: Masked) -> Score:
    """How `model` does on the scored places of `batch`, dropout off."""
    model.eval()
    logits = model(batch.inputs, **batch.given)[batch.selected]
    targets = batch.targets[batch.selected]
    right = (logits.argmax(-1) == targets).double().mean().item()
    return Score(F.cross_entropy(logits, targets).item(), right)
