"""Unit 08, “Count them”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.model import bert


def counted(V: int, D: int, L: int, T: int) -> dict[str, int]:
    """Numbers in a BERT of L layers: below the layers, in one of them, in the pooler, in all."""
    norm = 2 * D
    embeddings = (V + 2 + T) * D + norm
    attention = 4 * (D * D + D)
    mlp = D * 4 * D + 4 * D + 4 * D * D + D
    layer = attention + mlp + 2 * norm
    pooler = D * D + D
    every = embeddings + L * layer + pooler
    return {"embeddings": embeddings, "layer": layer, "pooler": pooler, "all": every}


def _sizes(rng: Random) -> Iterator[tuple[int, ...]]:
    """BERT base, smaller ones, and one of so many that a float64 could not count them."""
    yield tuple(rng.randint(*ends) for ends in ((90, 900), (10, 19), (5, 9), (20, 70)))
    yield rng.randint(2, 5), rng.randint(2, 5), 1, 1
    yield 30_522, 768, 12, 512
    width = 4 * rng.randint(2**27, 2**27 + 999) + 1
    yield width + 2 * rng.randint(1, 999), width, 2 * rng.randint(2, 4), 2 * rng.randint(50, 500)


def _count(rng: Random, key: str) -> Iterator[Case]:
    for sizes in _sizes(rng):
        yield Case(f"{sizes}[{key!r}]", partial(_entry, sizes=sizes, key=key))
        if key == "all":
            yield Case(f"the entries for {sizes}", partial(_keys, sizes=sizes))


def _asked(answer: Answer, sizes: tuple[int, ...]) -> Any:
    """Return the dictionary of these sizes, after that of others was made, which is to be new.

    Who adds up the Parameters of layers may do so; those of a huge model have no numbers.
    """
    with torch.device("meta" if max(sizes) > 2**20 else "cpu"):
        found = answer(*sizes)
        answer(*(each + 1 for each in sizes))
    return dict(found) if isinstance(found, dict) else found  # a Counter, say


def _entry(answer: Answer, sizes: tuple[int, ...], key: str) -> Any:
    found = _asked(answer, sizes)
    return found.get(key, "no such entry") if type(found) is dict else found


def _keys(answer: Answer, sizes: tuple[int, ...]) -> Any:
    found = _asked(answer, sizes)
    return sorted(map(str, found)) if type(found) is dict else found


parameters = Exercise(
    "parameters",
    counted,
    tuple(
        Part(words, 0.5, partial(_count, key=key))
        for words, key in (
            ("below the layers", "embeddings"),
            ("a layer", "layer"),
            ("the pooler", "pooler"),
            ("all of it", "all"),
        )
    ),
    forbidden=(bert.parameter_count, bert.Bert),
    explains=("Write `parameters(V, D, L, T)`",),
    module=__name__,
)
