"""A small encoder, trained in a second: what the claims about learning are measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Generator, Tensor

from helpers.corpora import Masked, Reverse, Shift, Task
from helpers.encoder import Encoder
from helpers.encodings import Encoding, create
from helpers.runtime import seed_everything
from helpers.training import train

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


def fresh(kind: str | Encoding, task: Task, seed: int, size: Form, longest: int) -> Encoder:
    """An untrained encoder whose tables have `longest` rows."""
    seed_everything(seed)
    if isinstance(kind, str):
        kind = create(kind, d_model=size.width, num_heads=size.heads, max_len=longest)
    return Encoder(kind, task.vocab_size, size.layers)


def fit(model: Encoder, draw: Callable[[], Masked], size: Form) -> list[float]:
    """Train with the sizes of a form, without a bar for each second; the loss of each step."""
    return train(model, draw, size.steps, size.lr, label="")


@lru_cache(maxsize=64)  # several claims ask about the same model
def trained(task: str, kind: str, seed: int, full: bool = False) -> tuple[Encoder, list[float]]:
    """An encoder trained on a task of `TASKS` at one length, with tables twice as long; its losses.

    Ask it, do not change it: it is given out again.
    """
    size, language = form(full), TASKS[task]
    model = fresh(kind, language, seed, size, 2 * size.length)
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
