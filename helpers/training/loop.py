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
from torch.utils._pytree import tree_flatten, tree_unflatten

from helpers import runtime
from helpers.training import checkpoint as checkpoints
from helpers.training import recording
from helpers.training.optimizer import Updates
from helpers.training.progress import Progress
from helpers.training.score import masked_loss

PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}
DRY = 20  # steps where only whether a notebook runs is of interest
# Steps between two looks at the losses, for which the CPU has to wait; one on a CPU.
READ_EVERY = {"cuda": 20}


class DivergedError(RuntimeError):
    """Raised when the loss became infinite or NaN."""


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
    graph: bool = True,
    accumulate: int = 1,
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
        model: what `loss` asks, on its device; or several in a `ModuleList`, which learn at once.
        next_batch: gives a fresh batch, from a generator of its own; the same batches in the same
            order each time a run is begun.
        steps: number of batches; at most `DRY` with ORDER_MATTERS_PROFILE=dry.
        lr: highest learning rate.
        loss: loss of a model on a batch.
        optimizer: "adamw" or "muon", see `helpers.training.optimizer`.
        precision: "float32", or "bfloat16" or "float16" for the products (autocast).
        compile: let torch.compile make one program of the model; takes a while to begin.
        graph: on CUDA, record a step as one CUDA graph and replay it, if that gives the same
            (`helpers.training.recording`). False where model or loss depend on a number of
            Python's that changes: a replay would go on with that of the first steps.
        accumulate: into how many parts the rows of a batch are split, to save memory; a divisor
            of their number. Gradients are added up, and the loss is the mean of the parts'.
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
        DivergedError: the loss is no longer a number; try a smaller `lr`. On a GPU, where losses
            are read every 20 steps, more steps may be done by then.
        ValueError: an option is unknown, `accumulate` is no divisor, or `checkpoint` is of another
            run.
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
    if not is_main_process():  # else dropout would be the same in the rows of all processes
        torch.manual_seed(torch.initial_seed() + dist.get_rank())
    for _ in losses:
        batch = next_batch()  # the same batches again, so that the next one is the next
    train_on = training_step(model, loss, updates, precision, compile, graph, accumulate)
    read_every = READ_EVERY.get(_device(model).type, 1)
    model.train()
    shown = {"limit": bayes_loss} if bayes_loss is not None else {}
    progress = Progress(
        len(losses), steps, label, shown | dict(baselines or {}), live, is_main_process()
    )
    unread: list[Tensor] = []
    with progress:
        for step in range(len(losses) + 1, steps + 1):
            unread.append(train_on(batch))
            saves = checkpoint is not None and step % every == 0
            if step % read_every == 0 or step == steps or saves:
                losses += read_losses(unread, len(losses), lr)
                unread = []
                progress.show(losses)
            if on_step_end:
                on_step_end(step)
                model.train()
            if checkpoint and is_main_process() and (saves or step == steps):
                checkpoints.save(checkpoint, run, losses)
            if step < steps:
                batch = next_batch()
    return losses


def training_step(
    model: nn.Module,
    loss: Callable[[nn.Module, Any], Tensor],
    updates: Updates,
    precision: str = "float32",
    compile: bool = False,
    graph: bool = True,
    accumulate: int = 1,
) -> Callable[[Any], Tensor]:
    """Return a function that updates `model` once on a batch, and returns the loss on its device.

    Arguments as in `train`. All but AdamW's kernel is recorded, if it can be.
    """
    wrapped = _wrapped(model, compile)

    def backward(batch: Any) -> Tensor:
        updates.zero_grad()
        values = []
        for number, part in enumerate(_split(batch, accumulate), 1):
            with _exchange(wrapped, number == accumulate):
                with _autocast(model, precision):
                    value = loss(wrapped, part) / accumulate
                updates.backward(value)
            values.append(value.detach())
        updates.clip_and_update()
        return torch.stack(values).sum()

    gradients: Callable[[Any], Tensor] = backward
    if graph and recording.available(_device(model)):
        gradients = recording.Recorded(
            backward,
            updates.parameters,
            lambda: [*model.parameters(), *model.buffers(), *updates.state()],
            rounding=1e-3 if precision == "float32" else 2e-2,
            refused=_unrecordable(_device(model), compile),
        )

    def step(batch: Any) -> Tensor:
        updates.begin()
        value = gradients(batch)
        updates.end()
        return value

    return step


def _split(batch: Any, parts: int) -> list[Any]:
    """Return a batch, a nest of tensors (B, …), in parts of equally many rows.

    What of it has no B rows, such as the places of a picture's patches, is in each part.

    Raises:
        ValueError: B is no multiple of `parts`.
    """
    if parts == 1:
        return [batch]
    leaves, spec = tree_flatten(batch)
    rows = len(leaves[0])
    if parts < 1 or rows % parts:
        raise ValueError(f"accumulate={parts} must divide the {rows} rows of a batch")
    split = (
        leaf.chunk(parts) if isinstance(leaf, Tensor) and len(leaf) == rows else [leaf] * parts
        for leaf in leaves
    )
    return [tree_unflatten(part, spec) for part in zip(*split, strict=True)]


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


def _exchange(wrapped: Any, last: bool) -> AbstractContextManager[Any]:
    """Let processes average their gradients after the last part of a batch only."""
    if last or not dist.is_initialized():
        return nullcontext()
    apart: AbstractContextManager[Any] = wrapped.no_sync()
    return apart


def is_main_process() -> bool:
    """Return whether this process shows the progress and writes checkpoints."""
    return not dist.is_initialized() or dist.get_rank() == 0


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _autocast(model: nn.Module, precision: str) -> AbstractContextManager[Any]:
    dtype = PRECISIONS[precision]
    return nullcontext() if dtype is None else torch.autocast(_device(model).type, dtype)


def _unrecordable(device: torch.device, compile: bool) -> str:
    """Return why no CUDA graph can hold a step; nothing if one can."""
    if device.type == "cuda" and device.index != torch.cuda.current_device():
        return f"{device} is not the current GPU; call torch.cuda.set_device"
    if dist.is_initialized():
        return "its gradients are averaged over processes"
    if torch.__version__ < "2.11":
        return "older versions than PyTorch 2.11 may replay what is no longer there"
    return "the model is compiled" if compile else ""


def read_losses(unread: list[Tensor], before: int, lr: float) -> list[float]:
    """Return the losses of the steps behind the first `before`, each the mean over all processes.

    Raises:
        DivergedError: one of them is no number.
    """
    values = torch.stack(unread)
    if dist.is_initialized():
        dist.all_reduce(values, dist.ReduceOp.SUM)
        values = values / dist.get_world_size()
    losses = values.tolist()
    for step, each in enumerate(losses, before):
        if not math.isfinite(each):
            raise DivergedError(f"loss={each} at step {step}; try an lr below {lr}")
    return losses
