"""Unit 07, “One row for a pair”: what it asks. What people write instead is in row_cuts.py."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from helpers.checks.engine import (
    Answer,
    ArgumentChangedError,
    Case,
    Exercise,
    Part,
    ResultFormError,
)
from helpers.corpora import inputs
from helpers.corpora.wordpiece import CLS, PAD, SEP


def pair_row(first: list[int], second: list[int], length: int) -> tuple[list[int], list[int]]:
    """[CLS] first [SEP] second [SEP] and padding, with segments; `length` numbers each."""
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = length - len(tokens)
    return tokens + [PAD] * padding, segments + [0] * padding


def _words(rng: Random, number: int) -> list[int]:
    """Ids of a sentence: some come twice, some need 17 bits; [UNK] and [MASK] may be among them."""
    words = (1, 4, *range(5, 12), rng.randint(12, 99), rng.randint(70_000, 90_000))
    return [rng.choice(words) for _ in range(number)]


def _row(rng: Random, sizes: tuple[int, int], length: int, *names: str) -> Case:
    first, second = (_words(rng, size) for size in sizes)

    def ask(answer: Answer) -> Any:
        given = [*first], [*second]
        found = answer(*given, length)
        if given != (first, second):
            raise ArgumentChangedError
        if found is None:
            return None
        if len(found) != 2 or not all(hasattr(each, "__len__") for each in found):
            raise ResultFormError("expected two lists, the tokens and the segments")
        both = dict(zip(("tokens", "segments"), map(_numbers, found), strict=True))
        return _entries(both, names)

    return Case(f"({_shown(first)}, {_shown(second)}, {length})", ask)


def _entries(both: dict[str, list[Any]], names: tuple[str, ...]) -> dict[str, Any]:
    """How many there are first, since a message shows the beginning of a list alone."""
    return {f"number of {name}": len(both[name]) for name in names} | {
        name: both[name] for name in names
    }


def _shown(ids: list[int]) -> str:
    return str(ids) if len(ids) < 20 else f"[{ids[0]}, {ids[1]}, … {len(ids)} ids]"


def _later(second: list[int], *names: str) -> Case:
    """What the result of one call is after another call."""

    def ask(answer: Answer) -> Any:
        found = answer([7, 8], [*second], 8)
        answer([13], [14], 8)
        if found is None:
            return None
        both = dict(zip(("tokens", "segments"), map(_numbers, found), strict=True))
        return _entries(both, names)

    return Case(f"([7, 8], {second}, 8), after one more call", ask)


def _numbers(found: Any) -> list[Any]:
    """Whole numbers as such, whether from a list, a tensor or an array; others as they are."""
    numbers = found.tolist() if hasattr(found, "tolist") else list(found)
    numbers = [each.item() if hasattr(each, "item") else each for each in numbers]
    return [
        int(each) if isinstance(each, int) and not isinstance(each, bool) else each
        for each in numbers
    ]


def _fits(rng: Random, name: str) -> Iterator[Case]:
    short, long = rng.randint(2, 3), rng.randint(4, 6)
    for sizes in ((short, long), (long, short), (long, long), (1, 1)):
        yield _row(rng, sizes, sum(sizes) + 3 + rng.randint(2, 5), name)
    yield _row(rng, (short, long), short + long + 3, name)
    yield _row(rng, (short, long), short + long + 4, name)
    yield _row(rng, (0, short), long + 3, name)
    yield _row(rng, (long, 0), long + 3 + short, name)
    yield _row(rng, (short, long), rng.randint(690, 710), name)
    for _ in range(2):  # as many words, and others
        yield _row(rng, (short, short + 1), 2 * short + 6, name)
    yield _later([9], name)


def _too_long(rng: Random) -> Iterator[Case]:
    short, long = rng.randint(2, 3), rng.randint(9, 12)
    both = ("tokens", "segments")
    for sizes in ((short, long), (long, short), (0, long), (long, 0)):
        yield _row(rng, sizes, short + 3 + rng.randint(4, 6), *both)
    yield _row(rng, (long, long), 2 * rng.randint(3, 5) + 4, *both)  # an odd number is left
    yield _row(rng, (long + 2, long), 2 * rng.randint(3, 5) + 4, *both)
    yield _row(rng, (long, long + 2), 2 * rng.randint(3, 5) + 4, *both)
    yield _row(rng, (long, long + 1), 2 * rng.randint(3, 5) + 3, *both)
    yield _row(rng, (long, short), long + short + 2, *both)  # by one
    yield _row(rng, (short, long), long + short + 2, *both)
    yield _row(rng, (short + 1, short), 5, *both)
    yield _row(rng, (short, short + 1), 4, *both)
    yield _row(rng, (short, long), 3, *both)
    yield _row(rng, (400 + long, 400 + short), rng.randint(690, 710), *both)
    yield _row(rng, (400 + short, 400 + long), rng.randint(6, 9), *both)  # by far
    yield _later([9, 10, 11, 12], *both)


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
