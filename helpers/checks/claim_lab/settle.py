"""Unit 09, “The rule of a verdict”: what it asks, and what people write instead."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from helpers.checks.claim_lab.common import drawn
from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed
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
)


def settle_by_the_rule(values, low=-math.inf, high=math.inf):
    """The rule in plain lines, which the mistakes change."""
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You look at the mean alone. How far apart the seeds are has to count: another three seeds "
    "would give another mean.",
    loses=NEAR,
)
def settle_by_the_mean(values, low=-math.inf, high=math.inf):
    mean = sum(values) / len(values)
    return "holds" if low <= mean <= high else "does not hold"


@settle.mistake(
    "You take the median. The rule uses the mean, which a single outlier can move.",
    loses=NEAR,
    breaks="$\\bar m$ is the mean of the values",
)
@changed(settle_by_the_rule, "statistics.fmean", "statistics.median")
def settle_by_the_median(): ...


@settle.mistake(
    "You go one standard deviation to each side. The rule here is two.",
    loses=NEAR,
    breaks=("Whether mean ± 2 standard deviations", "all from $\\bar m - 2s$ to $\\bar m + 2s$"),
)
@changed(settle_by_the_rule, "2 * statistics", "statistics")
def settle_with_one_deviation(): ...


@settle.mistake(
    "You go three standard deviations to each side. The rule here is two.",
    loses=NEAR,
)
@changed(settle_by_the_rule, "2 * statistics", "3 * statistics")
def settle_with_three_deviations(): ...


@settle.mistake(
    "You go 1.96 standard deviations to each side, as for 95 % of a normal distribution. The rule "
    "here says two.",
    loses=NEAR,
)
@changed(settle_by_the_rule, "2 * statistics", "1.96 * statistics")
def settle_with_a_normal_quantile(): ...


@settle.mistake(
    "Your standard deviation divides by n. The seeds are only a sample of all possible ones: "
    "divide by n − 1.",
    loses=NEAR,
    breaks="their standard deviation with $n - 1$",
)
@changed(settle_by_the_rule, "stdev", "pstdev")
def settle_by_population(): ...


@settle.mistake(
    "You divide the standard deviation by √n, which says how well the mean is known. The rule asks "
    "where single seeds lie.",
    loses=NEAR,
)
@changed(
    settle_by_the_rule, "statistics.stdev(values)", "statistics.stdev(values) / len(values) ** 0.5"
)
def settle_by_standard_error(): ...


@settle.mistake(
    "Your rule works for three seeds only. The list may have any length from two on.",
    breaks="one for each seed (at least two, in any order)",
)
def settle_with_three_seeds_only(values, low=-math.inf, high=math.inf):
    a, b, c = values
    mean = (a + b + c) / 3
    spread = 2 * math.sqrt(((a - mean) ** 2 + (b - mean) ** 2 + (c - mean) ** 2) / 2)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You ask whether each seed lies inside. All of them may, and the next may not: use the mean "
    "and the standard deviation.",
    loses=NEAR,
)
def settle_by_every_seed(values, low=-math.inf, high=math.inf):
    if all(low <= value <= high for value in values):
        return "holds"
    if all(value < low for value in values) or all(value > high for value in values):
        return "does not hold"
    return "not settled here"


@settle.mistake(
    "You call a claim refuted wherever it does not clearly hold. A claim is refuted only where all "
    "of mean ± 2 standard deviations lies outside.",
    loses=NEAR,
)
@changed(settle_by_the_rule, '"not settled here"', '"does not hold"')
def settle_without_an_open_case(): ...


@settle.mistake(
    "You say “holds” wherever a claim is not clearly refuted. A claim holds only where all of mean "
    "± 2 standard deviations lies inside.",
    loses=NEAR,
)
@changed(settle_by_the_rule, '"not settled here"', '"holds"')
def settle_in_doubt_for_the_claim(): ...


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
    "You call a claim refuted where mean ± 2 standard deviations reaches beyond the interval on "
    "both sides. That is not settled: the range covers the whole interval.",
    loses=NEAR,
    breaks=("lies outside, on one side", "In all other cases"),
)
@changed(
    settle_by_the_rule,
    'high else "not settled here"',
    'high or (mean - spread < low and mean + spread > high) else "not settled here"',
)
def settle_refuted_on_both_sides(): ...


@settle.mistake(
    "You exclude the ends of the interval. They belong to it: a claim of 512 holds at 512."
)
def settle_without_the_ends_themselves(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low < mean - spread and mean + spread < high:
        return "holds"
    return "does not hold" if mean + spread <= low or mean - spread >= high else "not settled here"


@settle.mistake(
    "You call a claim refuted where the range only touches the interval from outside. The end "
    "belongs to the interval, so not all of the range is outside.",
    loses=NEAR,
    breaks="Both ends belong to the interval",
)
def settle_refuted_where_it_touches(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread <= low or mean - spread >= high else "not settled here"
