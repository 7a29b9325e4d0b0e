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
from tqdm import tqdm

from helpers import runtime
from helpers.training import checkpoint as checkpoints
from helpers.training import optimizer as optimizers
from helpers.training.live import LiveCurve
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

    Raises:
        DivergedError: the loss is no longer a number; try a smaller `lr`.
        ValueError: an option is unknown, or `checkpoint` is of another run.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision={precision!r} must be one of {list(PRECISIONS)}")
    if runtime.profile() == "dry":
        steps = min(steps, DRY)
    runtime.keep_freed_memory()
    parts = optimizers.build(model, optimizer, lr)
    schedules = [optimizers.schedule(each, lr, steps) for each in parts]
    device = next(model.parameters()).device.type
    scaler = torch.amp.GradScaler(device, enabled=precision == "float16")
    losses: list[float] = []
    batch = next_batch()
    if checkpoint:
        identity = _of_first_process(
            {
                "steps": steps,
                "lr": lr,
                "optimizer": optimizer,
                "precision": precision,
                "model": checkpoints.digest(repr(model)),
                "first weights": checkpoints.digest([*model.parameters(), *model.buffers()]),
                "first batch": checkpoints.digest(batch),
            }
        )
        run = checkpoints.Run([model, *parts, *schedules, scaler], identity)
        losses = checkpoints.load(checkpoint, run)
    for _ in losses:
        batch = next_batch()  # the same batches again, so that the next one is the next
    asked: nn.Module = _in_parallel(model)
    if compile:
        asked = torch.compile(asked)  # type: ignore[assignment]
    model.train()
    first = not dist.is_initialized() or dist.get_rank() == 0
    shown = {"limit": bayes_loss} if bayes_loss is not None else {}
    shown |= baselines or {}
    curve = LiveCurve(steps, shown, label) if live and first else None
    with runtime.bar(
        total=steps,
        initial=len(losses),
        desc=label,
        unit="step",
        mininterval=0.5,
        **({} if first and label else {"disable": True}),  # else TQDM_DISABLE decides
    ) as bar:
        while len(losses) < steps:
            with _autocast(device, precision):
                value = loss(asked, batch)
            for each in parts:
                each.zero_grad()
            scaler.scale(value).backward()
            for each in parts:
                scaler.unscale_(each)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            # In float16 a gradient may overflow; then no optimiser takes this step, as clipping has
            # multiplied the gradients of all by a norm's inverse that is 0 or nan.
            overflow = scaler.is_enabled() and not norm.isfinite()
            for each, plan in zip(parts, schedules, strict=True):
                if not overflow:
                    scaler.step(each)
                plan.step()
            scaler.update()
            losses.append(_mean(value))
            if not math.isfinite(losses[-1]):
                raise DivergedError(
                    f"loss={losses[-1]} at step {len(losses) - 1}; try an lr below {lr}"
                )
            _show(bar, losses[-1], shown)
            if curve:
                curve.show(losses)
            if checkpoint and first and (len(losses) % every == 0 or len(losses) == steps):
                checkpoints.save(checkpoint, run, losses)
            if len(losses) < steps:
                batch = next_batch()
    return losses


def _of_first_process(identity: dict[str, Any]) -> dict[str, Any]:
    """Return what the first of all processes has; each draws another part of the batch."""
    found = [identity]
    if dist.is_initialized():
        dist.broadcast_object_list(found)
    return found[0]


def _show(bar: tqdm, loss: float, baselines: Mapping[str, float]) -> None:
    numbers = {"loss": loss, **baselines}
    bar.set_postfix({name: f"{value:.2f}" for name, value in numbers.items()}, refresh=False)
    bar.update()


def _autocast(device: str, precision: str) -> AbstractContextManager[Any]:
    dtype = PRECISIONS[precision]
    return nullcontext() if dtype is None else torch.autocast(device, dtype)


def _in_parallel(model: nn.Module) -> nn.Module:
    if not dist.is_initialized():
        return model
    # Pretraining on words alone leaves the head for pairs without a gradient.
    return DistributedDataParallel(model, find_unused_parameters=True)


def _mean(value: Tensor) -> float:
    """The loss over all processes."""
    value = value.detach()
    if dist.is_initialized():
        value = value.clone()
        dist.all_reduce(value, dist.ReduceOp.SUM)
        value = value / dist.get_world_size()
    return value.item()
