"""Unit 09, “The rule of a verdict”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from helpers.checks.claim_lab.common import drawn
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part, call
from helpers.claims import claim


def _case(values: Sequence[float], *ends: float, **end: float) -> Case:
    """Ask for the verdict on these values; the ends by place or by name."""
    words = [f"[{', '.join(map(_word, values))}]", *map(_word, ends)]
    words += [f"{name}={_word(each)}" for name, each in end.items()]
    return call(list(values), *ends, **end).labelled(f"({', '.join(words)})")


def _word(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.10g}"


def _clear(rng: Random) -> Iterator[Case]:
    """Spread far smaller than the distance to the ends; and counts, which have none."""
    for middle in (-rng.randint(30, 90), rng.randint(30, 90), 0):  # an end at 0 is an end
        for mean in (middle - 30, middle - 2, middle + 2, middle + 30):
            values = drawn(rng, mean, 0.1, rng.randint(2, 10))
            yield _case(values, middle - 5, middle + 5)
            yield _case(values, high=middle)
            yield _case(values, low=middle)
    yield _case(drawn(rng, rng.uniform(-9, 9), 0.1, 3))  # in an interval without ends
    count = float(rng.randint(100, 2000))
    yield _case([count] * rng.randint(2, 5), count, count)
    yield _case([count, count, count], count + 1, count + 1)
    tenths = rng.choice((-1, 1)) * rng.choice((0.1, 0.3, 0.7))  # which float32 rounds
    yield _case([tenths, tenths], high=tenths)
    yield _case([tenths, tenths], low=tenths)


def _beside(rng: Random, count: int, distance: float) -> Iterator[Case]:
    """Put an end at so many standard deviations from the mean: above and below it, both ways."""
    size = rng.choice((1e-7, 0.1, 10.0)) * rng.uniform(1, 2)
    mean = rng.choice((-1, 1)) * rng.uniform(2, 9) * size
    values = drawn(rng, mean, size, count)
    for end in (mean + distance * size, mean - distance * size):
        yield _case(values, high=end)
        yield _case(values, low=end)


def _touching(rng: Random) -> Iterator[Case]:
    """Ask of a standard deviation of 2 (n − 1) and whole numbers: mean ± 4 meets an end exactly."""
    mean, sign = rng.choice((-1, 1)) * rng.randint(10, 90), rng.choice((-1, 1))
    values = [float(mean + sign * step) for step in rng.sample((3, -1, -1, -1), 4)]
    little = 5e-10  # further than any rounding, and nearer than a tolerance
    for end in (mean - 4.0, mean + 4.0, mean + 4.0 - little):
        yield _case(values, high=end)
    for end in (mean - 4.0, mean + 4.0, mean - 4.0 + little):
        yield _case(values, low=end)
    yield _case(values, mean - 4.0, mean + 4.0)


def _noisy(rng: Random) -> Iterator[Case]:
    """Put the end of the interval at so many standard deviations from the mean, on either side."""
    for count in (2, 3, rng.randint(4, 9), 10):
        for distance in (0.5, 1.2, 1.6, 1.98, 2.03, 2.5):
            yield from _beside(rng, count, distance)
        mean, size = rng.uniform(-90, 90), rng.uniform(1, 2)
        values = drawn(rng, mean, size, count)  # two ends, some of them nearer than 2 s
        for low, high in ((-2.03, 2.03), (-1.98, 2.5), (-2.5, 1.98), (-0.5, 0.5), (1.98, 3.0)):
            yield _case(values, mean + low * size, mean + high * size)
    yield from _touching(rng)
    high = 10.0**8 + rng.randint(1, 9)
    values = [high + 0.1, high + 0.2, high + 0.3]  # whose squares float64 does not tell apart
    for end in (0.05, 0.25):
        yield _case(values, high=high + 0.2 + end)
        yield _case(values, low=high + 0.2 - end)


settle = Exercise(
    "settle",
    claim.settle,
    (
        Part("clear numbers, and counts", 0.5, _clear),
        Part("numbers near the end of the interval", 0.5, _noisy),
    ),
    explains=("Every measured verdict",),
    generic={"`values` stays as it is": IN_PLACE},
    module=__name__,
)
