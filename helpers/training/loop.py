"""The training loop: optimiser, schedule, precision, progress bar, checkpoints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from helpers import runtime
from helpers.training import checkpoint as checkpoints
from helpers.training.optimizer import Updates
from helpers.training.progress import Progress
from helpers.training.score import masked_loss

PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}
DRY = 20  # steps where only whether a notebook runs is of interest


class DivergedError(RuntimeError):
    """The loss became infinite or NaN."""


def train(
    model: nn.Module,
    next_batch: Callable[[], Any],
    steps: int,
    lr: float = 6e-3,
    *,
    loss: Callable[[nn.Module, Any], Tensor] = masked_loss,
    optimizer: str = "adamw",
    precision: str = "float32",
    compile: bool = False,
    checkpoint: Path | None = None,
    every: int = 200,
    bayes_loss: float | None = None,
    baselines: Mapping[str, float] | None = None,
    label: str = "training",
    live: bool = False,
    on_step_end: Callable[[int], object] | None = None,
) -> list[float]:
    """Train with a one-cycle schedule; returns the loss of each step in nats.

    Where torch.distributed has begun, each process trains on what its own `next_batch` gives, and
    the gradients are averaged; the losses returned are the mean over the processes.

    Args:
        model: what `loss` asks, on its device.
        next_batch: gives a fresh batch, from a generator of its own; the same batches in the same
            order each time a run is begun.
        steps: number of batches; at most `DRY` with ORDER_MATTERS_PROFILE=dry.
        lr: highest learning rate.
        loss: loss of a model on a batch.
        optimizer: "adamw" or "muon", see `helpers.training.optimizer`.
        precision: "float32", or "bfloat16" or "float16" for the products (autocast).
        compile: let torch.compile make one program of the model; takes a while to begin.
        checkpoint: file to go on from if it exists, and to write every `every` steps and at the
            end. A run that was stopped and begun again ends with the same numbers on a CPU. The
            file knows its run by these settings, the model, its first weights and first batch.
        bayes_loss: the lowest loss possible, in nats, shown beside the loss.
        baselines: other losses to be compared with, by name.
        label: what the progress bar is called; without one there is none.
        live: in a notebook, draw the losses while it trains.
        on_step_end: called after each step with the number of steps done; it may put the model
            into eval mode.

    Raises:
        DivergedError: the loss is no longer a number; try a smaller `lr`.
        ValueError: an option is unknown, or `checkpoint` is of another run.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision={precision!r} must be one of {list(PRECISIONS)}")
    if runtime.profile() == "dry":
        steps = min(steps, DRY)
    runtime.keep_freed_memory()
    updates = Updates(model, optimizer, lr, steps, scaled=precision == "float16")
    batch = next_batch()
    settings = {"steps": steps, "lr": lr, "optimizer": optimizer, "precision": precision}
    identity = _identity(settings, model, batch) if checkpoint else {}
    run = checkpoints.Run([model, *updates.parts], identity)
    losses = checkpoints.load(checkpoint, run) if checkpoint else []
    for _ in losses:
        batch = next_batch()  # the same batches again, so that the next one is the next
    wrapped = _wrapped(model, compile)
    model.train()
    shown = {"limit": bayes_loss} if bayes_loss is not None else {}
    progress = Progress(
        len(losses), steps, label, shown | dict(baselines or {}), live, _is_main_process()
    )
    with progress:
        while len(losses) < steps:
            with _autocast(model, precision):
                value = loss(wrapped, batch)
            updates.step(value)
            losses.append(_mean(value))
            if not math.isfinite(losses[-1]):
                raise DivergedError(
                    f"loss={losses[-1]} at step {len(losses) - 1}; try an lr below {lr}"
                )
            progress.show(losses)
            if on_step_end:
                on_step_end(len(losses))
                model.train()
            if (
                checkpoint
                and _is_main_process()
                and (len(losses) % every == 0 or len(losses) == steps)
            ):
                checkpoints.save(checkpoint, run, losses)
            if len(losses) < steps:
                batch = next_batch()
    return losses


def _identity(settings: dict[str, Any], model: nn.Module, batch: Any) -> dict[str, Any]:
    """Return what tells this run from others; each process draws another part of the batch."""
    found = [
        settings
        | {
            "model": checkpoints.digest(repr(model)),
            "first weights": checkpoints.digest([*model.parameters(), *model.buffers()]),
            "first batch": checkpoints.digest(batch),
        }
    ]
    if dist.is_initialized():
        dist.broadcast_object_list(found)
    return found[0]


def _wrapped(model: nn.Module, compile: bool) -> nn.Module:
    """Return the model as one program, and with gradients averaged over all processes."""
    wrapped = model
    if dist.is_initialized():
        # Pretraining on words alone leaves the head for pairs without a gradient.
        wrapped = DistributedDataParallel(model, find_unused_parameters=True)
    return torch.compile(wrapped) if compile else wrapped  # type: ignore[return-value]


def _is_main_process() -> bool:
    """Return whether this process shows the progress and writes checkpoints."""
    return not dist.is_initialized() or dist.get_rank() == 0


def _autocast(model: nn.Module, precision: str) -> AbstractContextManager[Any]:
    dtype = PRECISIONS[precision]
    device = next(model.parameters()).device.type
    return nullcontext() if dtype is None else torch.autocast(device, dtype)


def _mean(value: Tensor) -> float:
    """Return the loss over all processes."""
    value = value.detach()
    if dist.is_initialized():
        value = value.clone()
        dist.all_reduce(value, dist.ReduceOp.SUM)
        value = value / dist.get_world_size()
    return value.item()
