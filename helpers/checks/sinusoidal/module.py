"""Unit 02, “The module”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor, nn

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated, refusal
from helpers.checks.engine.hints import IN_PLACE, NO_GRADIENT
from helpers.checks.positions import embed
from helpers.encodings import absolute


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B, T and D all different."""
    return draws.normal(rng, rng.randint(2, 5), rng.randint(6, 12), 2 * rng.randint(7, 10))


def _positions(rng: Random, max_len: int, *shape: int) -> Tensor:
    """Positions in any order, some of them twice; the last row of the table is among them."""
    drawn = draws.integers(rng, max_len, *shape)
    drawn.view(-1)[rng.randrange(drawn.numel())] = max_len - 1
    return drawn


def _embeds(x: Tensor, max_len: int, *positions: Tensor) -> Case:
    asked = call(x, *positions)
    label = f"embed{asked.label} with max_len={max_len}"
    return Case(label, lambda answer: asked.ask(embed(answer(x.shape[2], max_len=max_len))))


def _rows_added(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    batch, length, width = x.shape
    yield _embeds(x, 40)
    yield _embeds(draws.normal(rng, length, length, width), 40)  # B = T
    yield _embeds(draws.normal(rng, 4, 4, 4), 4)  # B = T = D = max_len
    yield _embeds(draws.normal(rng, 1, length, 6), length)  # B = 1, T = max_len
    yield _embeds(draws.normal(rng, batch, 1, width), 20)
    yield _embeds(draws.normal(rng, 30, length, 4), 20)  # B is beyond max_len
    texts = [draws.normal(rng, batch, length + more, width) for more in (0, 0, 3, -2)]

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(width, max_len=40)
        return {f"call {n}": call(text).ask(embed(module)) for n, text in enumerate(texts, 1)}

    yield Case("embed(x) of the same module for several x", ask)


def _rows_chosen(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    batch, length, width = x.shape
    square = draws.normal(rng, length, length, width)  # B = T
    for shape in ((length,), (batch, length)):
        yield _embeds(x, 40, _positions(rng, 40, *shape))
        yield _embeds(x, 40, torch.zeros(shape, dtype=torch.long))  # not the same as no positions
    for shape in ((length,), (length, length)):
        yield _embeds(square, 40, _positions(rng, 40, *shape))
    yield _embeds(x[:, :1], 40, _positions(rng, 40, batch, 1))
    yield _embeds(x, 40, torch.arange(length) + rng.randint(1, 20))
    cached = encodings.Positions(torch.arange(9, 9 + length), torch.arange(9 + length))
    words = "embed(x, positions) behind 9 cached tokens"
    yield Case(words, lambda answer: answer(width, max_len=40).embed(x.clone(), cached))


def _kept(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    max_len = rng.randint(30, 50)

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(x.shape[2], num_heads=2, max_len=max_len)
        sizes = [getattr(module, name, None) for name in ("d_model", "num_heads", "max_len")]
        seen = {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            "its d_model, num_heads and max_len": sizes,
            "rows in its buffers": sum(b.numel() for b in _floating(module)) // x.shape[2],
            "numbers in its parameters": sum(p.numel() for p in module.parameters()),
        }
        module.to(torch.float64)
        for buffer in _floating(module):
            buffer.zero_()
        return seen | {"embed(x) once its buffers are filled with zeros": embed(module)(x)}

    yield Case(f"the module with max_len={max_len}", ask)


def _floating(module: nn.Module) -> list[Tensor]:
    return [buffer for buffer in module.buffers() if buffer.is_floating_point()]


def _backwards(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    positions = _positions(rng, 40, x.shape[1])

    def made(answer: Answer) -> Answer:
        return embed(answer(x.shape[2], max_len=40))

    yield differentiated(x=x).of(made)
    yield differentiated(x=x, positions=positions).of(made)
    twice = (x.bfloat16(), x)  # the rows are as precise as before
    yield Case("embed(x) after one of bfloat16", lambda a: [*map(made(a), twice)][1].clone())
    large = 100_000 * x.double()
    yield Case("embed(x) − x for large x in float64", lambda a: made(a)(large.clone()) - large)


def _too_long(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    length = x.shape[1]
    for max_len in (length - 1, length - rng.randint(2, 4), length):
        yield _refusal(x, max_len=max_len)
    yield _refusal(x[:1, :3], max_len=2)
    for length in (512, 513):
        yield _refusal(torch.ones(2, length, 4))


def _refusal(x: Tensor, **sizes: int) -> Case:
    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(x.shape[2], **sizes)
        return refusal(partial(embed(module), x.clone()), T=x.shape[1], max_len=module.max_len)

    limit = f"max_len={sizes['max_len']}" if sizes else "no max_len"
    return Case(f"T={x.shape[1]} with {limit}", ask)


module = Exercise(
    "module",
    encodings.Sinusoidal,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("is an Encoding with the table as its buffer", 0.25, _kept),
        Part("says when a sequence is too long", 0.5, _too_long),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=(absolute.Table, encodings.Additive),
    generic={"$x$ itself stays as it is": IN_PLACE, "gradients must reach it": NO_GRADIENT},
    module=__name__,
)
