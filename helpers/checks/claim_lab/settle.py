"""Unit 09, “The rule of a verdict”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from helpers.checks.claim_lab.common import drawn
from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.engine.faults import IN_PLACE
from helpers.claims import claim

NEAR = "numbers near the end of the interval"


def _case(values: Sequence[float], *ends: float, **end: float) -> Case:
    """The verdict on these values; the ends by place or by name."""
    shown = ", ".join(map(_word, values[:12])) + ", …" * (len(values) > 12)
    words = [f"[{shown}]", *map(_word, ends), *(f"{name}={_word(e)}" for name, e in end.items())]
    return call(list(values), *ends, **end).labelled(f"({', '.join(words)})")


def _once_more(first: Sequence[float], second: Sequence[float], **end: float) -> Case:
    """The same list, with other numbers in it."""
    words = f"({_case(second, **end).label[1:-1]}), in a list that held other numbers before"

    def ask(answer: Answer) -> Any:
        given = list(first)
        answer(given, **end)
        given[:] = second
        return answer(given, **end)

    return Case(words, ask)


def _word(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.10g}"


def _clear(rng: Random) -> Iterator[Case]:
    """Spread far smaller than the distance to the ends; and counts, which have none."""
    for sign in (-1, 1):
        middle = sign * rng.randint(3, 9) * 10.0
        for mean in (middle, middle - 30, middle + 30):
            yield _case(drawn(rng, mean, 0.1, rng.randint(2, 10)), middle - 5, middle + 5)
        for end in (-5, 5):
            values = drawn(rng, middle, 0.1, rng.randint(2, 10))
            yield _case(values, high=middle + end)
            yield _case(values, low=middle + end)
    yield _case(drawn(rng, rng.uniform(-9, 9), 0.1, 3))  # in an interval without ends
    for mean in (-2, 2):  # an end at 0 is an end
        for ends in ({"low": 0.0}, {"high": 0.0}, {"low": 0.0, "high": 5.0}):
            yield _case(drawn(rng, mean, 0.1, rng.randint(2, 10)), **ends)
    yield _once_more(*(drawn(rng, mean, 0.1, 3) for mean in (-2, 2)), high=0.5)
    count = float(rng.randint(100, 2000))
    yield _case([count] * rng.randint(2, 5), count, count)
    yield _case([count, count, count], count + 1, count + 1)
    tenths = rng.choice((-1, 1)) * rng.choice((0.1, 0.3, 0.7))  # which float32 rounds
    yield _case([tenths, tenths], high=tenths)
    yield _case([tenths, tenths], low=tenths)


def _beside(rng: Random, count: int, distance: float) -> Iterator[Case]:
    """An end at so many standard deviations from the mean: above and below it, left and right."""
    size = rng.choice((1e-7, 0.1, 10.0)) * rng.uniform(1, 2)
    mean = rng.choice((-1, 1)) * rng.uniform(2, 9) * size
    values = drawn(rng, mean, size, count)
    yield _case(values, high=mean + distance * size)
    yield _case(values, low=mean - distance * size)
    yield _case(values, high=mean - distance * size)
    yield _case(values, low=mean + distance * size)


def _between(rng: Random, count: int) -> Iterator[Case]:
    """Two ends, some of them nearer than two standard deviations."""
    mean, size = rng.uniform(-90, 90), rng.uniform(1, 2)
    values = drawn(rng, mean, size, count)
    for low, high in (
        *((-2.03, 2.03), (-1.98, 2.5), (-2.5, 1.98), (-0.5, 0.5)),
        *((2.03, 3.0), (1.98, 3.0), (-3.0, -2.03), (-3.0, -1.98)),
    ):
        yield _case(values, mean + low * size, mean + high * size)


def _touching(rng: Random) -> Iterator[Case]:
    """A standard deviation of 2 (n − 1) and whole numbers: mean ± 4 meets an end exactly."""
    mean, sign = rng.choice((-1, 1)) * rng.randint(10, 90), rng.choice((-1, 1))
    values = [float(mean + sign * step) for step in rng.sample((3, -1, -1, -1), 4)]
    for end in (mean - 4.0, mean + 4.0):
        yield _case(values, high=end)
        yield _case(values, low=end)
    yield _case(values, mean - 4.0, mean + 4.0)
    little = 5e-10  # further than any rounding, and nearer than a tolerance
    yield _case(values, high=mean + 4.0 - little)
    yield _case(values, low=mean - 4.0 + little)


def _noisy(rng: Random) -> Iterator[Case]:
    """The end of the interval at so many standard deviations from the mean, on either side."""
    for count in range(2, 11):
        for distance in (1.98, 2.03):
            yield from _beside(rng, count, distance)
    for distance in (0.5, 1.2, 1.6, 1.9, 2.15, 2.5, 3.1, 4.0):
        yield from _beside(rng, rng.randint(3, 10), distance)
    for count, distance in ((2, 1.5), (10, 1.75), (3, 1.955), (4, 1.995)):
        yield from _beside(rng, count, distance)  # another factor than that of pstdev, 1.96 or 2
    yield from _beside(rng, 2, 1.2)  # an end between the standard deviation and twice that of
    yield from _beside(rng, 10, 0.8)  # the mean, which is larger for two values, smaller for ten
    for count in (2, rng.randint(3, 5), rng.randint(6, 10)):
        yield from _between(rng, count)
    yield from _touching(rng)
    many = rng.randint(60, 80)  # of which the first fifty say something else
    for distance in (1.98, 2.03):
        yield from _beside(rng, many, distance)
    high = 10.0**8 + rng.randint(1, 9)
    values = [high + 0.1, high + 0.2, high + 0.3]  # whose squares float64 does not tell apart
    for end in (0.05, 0.15, 0.25):
        yield _case(values, high=high + 0.2 + end)
        yield _case(values, low=high + 0.2 - end)


settle = Exercise(
    "settle",
    claim.settle,
    (Part("clear numbers, and counts", 0.5, _clear), Part(NEAR, 0.5, _noisy)),
    explains=("Every measured verdict", "Write `settle`."),
    generic={
        "`values` stays as it is": IN_PLACE,
    },
    module=__name__,
)
