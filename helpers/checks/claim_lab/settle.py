"""Unit 09, “The rule of a verdict”: what it asks, and what people write instead."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from random import Random

from helpers.checks.engine import Case, Exercise, Part, call
from helpers.claims import claim


def around(rng: Random, mean: float, spread: float, skew: bool = False) -> list[float]:
    """Three seeds in any order, with this mean and this standard deviation (n − 1).

    With `skew`, one of them stands alone above the other two.
    """
    steps = (-1 / math.sqrt(3), -1 / math.sqrt(3), 2 / math.sqrt(3)) if skew else (-1, 0, 1)
    values = [mean + step * spread for step in steps]
    rng.shuffle(values)
    return values


def _clear(rng: Random) -> Iterator[Case]:
    """Spread far smaller than the distance to the ends; and counts, which have none."""
    middle = rng.randint(3, 9) * 10.0
    for mean in (middle, middle - 30, middle + 30):
        yield call(around(rng, mean, 0.1), middle - 5, middle + 5)
    yield call(around(rng, middle, 0.1), -math.inf, middle + 5)
    yield call(around(rng, middle, 0.1), -math.inf, middle - 5)
    yield call(around(rng, middle, 0.1), middle - 5, math.inf)
    yield call(around(rng, middle, 0.1), middle + 5, math.inf)
    count = float(rng.randint(100, 2000))
    yield call([count, count, count], count, count)
    yield call([count, count, count], count + 1, count + 1)


def _noisy(rng: Random) -> Iterator[Case]:
    """The end of the interval at so many standard deviations from the mean, on either side."""
    mean, spread = rng.randint(3, 9) * 10.0, rng.uniform(1, 2)
    for distance in (1.4, 1.8, 2.3):
        end = distance * spread
        yield call(around(rng, mean, spread), -math.inf, mean + end)
        yield call(around(rng, mean, spread), mean - end, math.inf)
        yield call(around(rng, mean, spread), -math.inf, mean - end)
        yield call(around(rng, mean, spread), mean + end, math.inf)
    yield call(around(rng, mean, spread, skew=True), -math.inf, mean + 1.08 * spread)
    yield call(around(rng, mean, spread, skew=True), mean - 1.08 * spread, math.inf)
    yield call(around(rng, mean, spread), mean - spread / 2, mean + spread / 2)
    for end in (mean - 2, mean + 2):  # a standard deviation of 1: the ends meet exactly
        yield call(around(rng, mean, 1.0), -math.inf, end)
        yield call(around(rng, mean, 1.0), end, math.inf)


settle = Exercise(
    "settle",
    claim.settle,
    (
        Part("clear numbers, and counts", 0.5, _clear),
        Part("numbers near the end of the interval", 0.5, _noisy),
    ),
)


@settle.mistake(
    "You look at the mean alone. How far the seeds are apart has to count: another three "
    "seeds would give another mean.",
    loses="numbers near the end of the interval",
)
def settle_by_the_mean(values, low=-math.inf, high=math.inf):
    mean = sum(values) / len(values)
    return "holds" if low <= mean <= high else "does not hold"


@settle.mistake(
    "You go one standard deviation to each side. The rule here is two.",
    loses="numbers near the end of the interval",
)
def settle_with_one_deviation(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You go three standard deviations to each side. The rule here is two.",
    loses="numbers near the end of the interval",
)
def settle_with_three_deviations(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 3 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "Your standard deviation divides by n. The seeds are a few of all that there might be: "
    "divide by n − 1.",
    loses="numbers near the end of the interval",
)
def settle_by_population(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.pstdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You divide the standard deviation by √n. Asked is where single seeds lie, not how well "
    "their mean is known.",
    loses="numbers near the end of the interval",
)
def settle_by_standard_error(values, low=-math.inf, high=math.inf):
    mean = statistics.fmean(values)
    spread = 2 * statistics.stdev(values) / math.sqrt(len(values))
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You ask whether each seed lies inside. The three that were drawn may all do so and the "
    "next one not; go by mean and standard deviation.",
    loses="numbers near the end of the interval",
)
def settle_by_every_seed(values, low=-math.inf, high=math.inf):
    if all(low <= value <= high for value in values):
        return "holds"
    if all(value < low for value in values) or all(value > high for value in values):
        return "does not hold"
    return "not settled here"


@settle.mistake(
    "Whatever does not hold for sure you call refuted. It is refuted only where all of mean ± "
    "2 standard deviations is outside.",
    loses="numbers near the end of the interval",
)
def settle_without_an_open_case(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    return "holds" if low <= mean - spread and mean + spread <= high else "does not hold"


@settle.mistake(
    "Whatever is not refuted you call true. It holds only where all of mean ± 2 standard "
    "deviations is inside.",
    loses="numbers near the end of the interval",
)
def settle_in_doubt_for_the_claim(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    return "does not hold" if mean + spread < low or mean - spread > high else "holds"


@settle.mistake("The argument low changes nothing in your verdict.")
def settle_without_the_lower_end(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if mean + spread <= high:
        return "holds"
    return "does not hold" if mean - spread > high else "not settled here"


@settle.mistake("The argument high changes nothing in your verdict.")
def settle_without_the_upper_end(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread:
        return "holds"
    return "does not hold" if mean + spread < low else "not settled here"


@settle.mistake(
    "You leave out the ends of the interval. A claim that says 512, measured as 512, holds."
)
def settle_without_the_ends_themselves(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low < mean - spread and mean + spread < high:
        return "holds"
    return "does not hold" if mean + spread <= low or mean - spread >= high else "not settled here"


@settle.mistake("It is upside down: the interval is where the claim would have the number.")
def settle_upside_down(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "does not hold"
    return "holds" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You leave everything open. Where the seeds agree, and far from the ends, there is an answer."
)
def settle_nothing(values, low=-math.inf, high=math.inf):
    return "not settled here"
