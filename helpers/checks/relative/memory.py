"""Unit 04, “What does each form hold?”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

from helpers.checks.engine import Answer, Case, CheckError, Exercise, Part


def _numbers_held(B: int, H: int, T: int, d: int, k: int) -> dict[str, int]:
    """Return how many numbers each form holds, how many are learned, and the scores."""
    return {
        "per pair": B * H * T * T * d,
        "batched": T * T * d,
        "gather": B * H * T * (2 * k + 1),
        "table": (2 * k + 1) * d,
        "scores": B * H * T * T,
    }


def _sizes(rng: Random) -> Iterator[dict[str, int]]:
    """All different, and any of them the largest; no two forms hold as many."""
    yield {"B": 3, "H": 4, "T": rng.randint(20, 60), "d": rng.choice((8, 16)), "k": 6}
    yield {"B": 5, "H": 2, "T": rng.randint(3, 6), "d": rng.randint(30, 40), "k": 7}
    yield {"B": rng.randint(30, 70), "H": 12, "T": rng.randint(2000, 4000), "d": 64, "k": 9}
    yield {"B": 1, "H": rng.randint(6, 8), "T": rng.randint(9, 12), "d": 5, "k": 0}
    yield {"B": rng.randint(6, 9), "H": 1, "T": 11, "d": 3, "k": rng.randint(13, 20)}


def _held(answer: Answer, sizes: dict[str, int]) -> Mapping[str, Any]:
    held = answer(**sizes)
    if not isinstance(held, Mapping):
        raise CheckError(f"expected a dictionary, found {type(held).__name__}")
    return held


def _counted(rng: Random, *names: str) -> Iterator[Case]:
    """Ask for entries one by one; a Python int holds any size, a float or an int32 does not."""

    def ask(answer: Answer, name: str, sizes: dict[str, int]) -> Any:
        return _held(answer, sizes).get(name, "no entry of this name")

    for sizes in _sizes(rng):
        words = ", ".join(f"{key}={value}" for key, value in sizes.items())
        for name in names:
            yield Case(f'({words})["{name}"]', partial(ask, name=name, sizes=sizes))


def _learned(rng: Random) -> Iterator[Case]:
    yield from _counted(rng, "table", "scores")
    sizes = next(_sizes(rng))
    yield Case("the entries", lambda answer: sorted(map(str, _held(answer, sizes))))


memory = Exercise(
    "memory",
    _numbers_held,
    (
        Part(
            "the forms with a vector for each pair",
            0.5,
            lambda rng: _counted(rng, "per pair", "batched"),
        ),
        Part("the form with a product for each vector", 0.5, lambda rng: _counted(rng, "gather")),
        Part("what is learned, and the scores", 0.5, _learned),
    ),
    explains=("Can you say in advance",),
    module=__name__,
)
