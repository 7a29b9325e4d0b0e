"""A small encoder, trained in a second: what the claims about learning are measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Generator, Tensor
from torch.nn import Module

from helpers import runtime
from helpers.corpora import MaskedBatch, Reverse, Shift, Task
from helpers.encodings import Encoding, create
from helpers.encodings.absolute import Table
from helpers.model.encoder import Encoder
from helpers.training import masked_loss, train

TASKS: dict[str, Task] = {"shift": Shift(), "reverse": Reverse()}


@dataclass(frozen=True)
class Form:
    """Sizes of a run: D, H and layers of the encoder, batch, tokens T and steps."""

    width: int = 32
    heads: int = 4
    layers: int = 1
    batch: int = 32
    length: int = 16
    steps: int = 200
    lr: float = 1e-2


QUICK = Form()
FULL = Form(width=48, layers=2, batch=64, length=24, steps=1000, lr=6e-3)


def form(full: bool) -> Form:
    """Sizes of the full or of the quick form."""
    return FULL if full else QUICK


def fresh(
    kind: str | Encoding, task: Task, seed: int, size: Form, longest: int, norm: float | None = None
) -> Encoder:
    """An untrained encoder whose tables have `longest` rows.

    `norm` stretches a table, fixed or learned, until its rows are so long on average. The vectors
    of the words begin with a length of 1. Without `norm`, rows of a learned table begin with
    0.02·√D, and those of sinusoids have √(D/2).
    """
    runtime.seed_everything(seed)
    if isinstance(kind, str):
        kind = create(kind, d_model=size.width, num_heads=size.heads, max_len=longest)
    if norm is not None:
        _stretch(kind, norm)
    return Encoder(kind, task.vocab_size, size.layers)


@torch.no_grad()
def _stretch(encoding: Encoding, norm: float) -> None:
    if not isinstance(encoding, Table):
        raise TypeError(f"norm={norm}: {type(encoding).__name__} has no table to stretch")
    encoding.table.mul_(norm / encoding.table.norm(dim=1).mean())


def fit(
    model: Module,
    next_batch: Callable[[], MaskedBatch],
    size: Form,
    loss: Callable[[Module, MaskedBatch], Tensor] = masked_loss,
) -> list[float]:
    """The loss of each step of a training with the sizes of a form; a bar in notebooks only."""
    label = "training" if runtime.in_notebook() else ""
    return train(model, next_batch, size.steps, size.lr, loss=loss, label=label)


def trained(
    task: str, kind: str, seed: int, full: bool = False, norm: float | None = None
) -> tuple[Encoder, list[float]]:
    """An encoder trained on a task of `TASKS` at one length, with tables twice as long; its losses.

    `norm` as in `fresh`. Ask it, do not change it: it is given out again.
    """
    return _trained(task, kind, seed, full, norm)


@lru_cache(maxsize=64)  # several claims ask about the same model
def _trained(
    task: str, kind: str, seed: int, full: bool, norm: float | None
) -> tuple[Encoder, list[float]]:
    size, language = form(full), TASKS[task]
    model = fresh(kind, language, seed, size, 2 * size.length, norm)
    text = Generator().manual_seed(seed)
    losses = fit(model, lambda: language.batch(size.batch, size.length, text), size)
    return model.eval(), losses


@torch.no_grad()
def hits(model: Encoder, task: str, length: int, number: int = 500) -> Tensor:
    """1 where a place of a new text was answered right, 0 where not, NaN where none is asked.

    (number, length), float64; the same text for every model.
    """
    batch = TASKS[task].batch(number, length, Generator().manual_seed(10_000 + length))
    right = (model(batch.inputs, **batch.given).argmax(-1) == batch.targets).double()
    return right.masked_fill(~batch.selected, torch.nan)


def accuracy(found: Tensor, first: int = 0, end: int | None = None) -> float:
    """Share of right answers at the places from `first` to before `end`."""
    return found[:, first:end].nanmean().item()
