"""Unit 07, “One row for a pair”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from helpers.checks.engine import Case, CheckError, Exercise, Part, call
from helpers.corpora import inputs
from helpers.corpora.wordpiece import CLS, PAD, SEP


def pair_row(first: list[int], second: list[int], length: int) -> tuple[list[int], list[int]]:
    """Return [CLS] first [SEP] second [SEP] [PAD] …, and segments; `length` numbers each."""
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = length - len(tokens)
    return tokens + [PAD] * padding, segments + [0] * padding


def _row(rng: Random, sizes: tuple[int, int], length: int, *names: str) -> Case:
    words = (1, 4, *range(5, 12), rng.randint(70_000, 90_000))  # [UNK] and [MASK] among them
    first, second = (rng.choices(words, k=size) for size in sizes)

    def told(found: Any) -> Any:
        if len(found) != 2 or not all(hasattr(each, "__len__") for each in found):
            raise CheckError("expected two lists, the tokens and the segments")
        both = dict(zip(("tokens", "segments"), map(_numbers, found), strict=True))
        # How many there are first, since a message shows the beginning of a list alone.
        return {f"number of {name}": len(both[name]) for name in names} | {
            name: both[name] for name in names
        }

    return call(first, second, length).map(told)


def _numbers(found: Any) -> list[Any]:
    """Return whole numbers as such, whether from a list, a tensor or an array."""
    numbers = found.tolist() if hasattr(found, "tolist") else list(found)
    return [each.item() if hasattr(each, "item") else each for each in numbers]


def _fits(rng: Random, name: str) -> Iterator[Case]:
    short, long = rng.randint(2, 3), rng.randint(4, 6)
    for sizes in ((short, long), (long, short), (long, long), (0, long), (long, 0)):
        yield _row(rng, sizes, sum(sizes) + 3 + rng.randint(2, 5), name)
    yield _row(rng, (short, long), short + long + 3, name)  # without padding


def _too_long(rng: Random) -> Iterator[Case]:
    short, long = rng.randint(2, 3), rng.randint(9, 12)
    sizes = (short, long), (long, short), (0, long), (long, 0), (long, long), (long, long + 2)
    for each in sizes:
        for length in (short + 6, short + 9):  # an odd number of words, and an even one
            yield _row(rng, each, length, "tokens", "segments")
    yield _row(rng, (short, long), short + long + 2, "tokens", "segments")  # by one
    yield _row(rng, (short, long), 3, "tokens", "segments")  # no word is left


row = Exercise(
    "row",
    pair_row,
    (
        Part("the tokens of a pair", 0.5, lambda rng: _fits(rng, "tokens")),
        Part("its segments", 0.5, lambda rng: _fits(rng, "segments")),
        Part("a pair that is too long", 0.5, _too_long),
    ),
    forbidden=(inputs._row, inputs.pairs),
    module=__name__,
)
