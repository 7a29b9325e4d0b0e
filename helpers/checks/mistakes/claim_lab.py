"""Unit 09: what people write instead of the rule of a verdict; the other exercises by import."""

from __future__ import annotations

import math
import statistics

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.claim_lab_better import BETTER
from helpers.checks.mistakes.claim_lab_beyond import BEYOND
from helpers.checks.mistakes.claim_lab_offsets import OFFSETS

__all__ = ["BETTER", "BEYOND", "OFFSETS", "SETTLE"]


def settle_by_the_mean(values, low=-math.inf, high=math.inf):
    mean = sum(values) / len(values)
    return "holds" if low <= mean <= high else "does not hold"


def settle_with_one_deviation(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


def settle_with_three_deviations(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 3 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


def settle_by_population(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.pstdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


def settle_by_standard_error(values, low=-math.inf, high=math.inf):
    mean = statistics.fmean(values)
    spread = 2 * statistics.stdev(values) / math.sqrt(len(values))
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


def settle_by_every_seed(values, low=-math.inf, high=math.inf):
    if all(low <= value <= high for value in values):
        return "holds"
    if all(value < low for value in values) or all(value > high for value in values):
        return "does not hold"
    return "not settled here"


def settle_without_an_open_case(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    return "holds" if low <= mean - spread and mean + spread <= high else "does not hold"


def settle_in_doubt_for_the_claim(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    return "does not hold" if mean + spread < low or mean - spread > high else "holds"


def settle_without_the_lower_end(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if mean + spread <= high:
        return "holds"
    return "does not hold" if mean - spread > high else "not settled here"


def settle_without_the_upper_end(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread:
        return "holds"
    return "does not hold" if mean + spread < low else "not settled here"


def settle_without_the_ends_themselves(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low < mean - spread and mean + spread < high:
        return "holds"
    return "does not hold" if mean + spread <= low or mean - spread >= high else "not settled here"


def settle_upside_down(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "does not hold"
    return "holds" if mean + spread < low or mean - spread > high else "not settled here"


def settle_nothing(values, low=-math.inf, high=math.inf):
    return "not settled here"


_CLEAR, _NEAR = "clear numbers, and counts", "numbers near the end of the interval"
SETTLE = (
    Mistake(
        settle_by_the_mean,
        "You look at the mean alone. How far the seeds are apart has to count: another three "
        "seeds would give another mean.",
        (_NEAR,),
    ),
    Mistake(
        settle_with_one_deviation,
        "You go one standard deviation to each side. The rule here is two.",
        (_NEAR,),
    ),
    Mistake(
        settle_with_three_deviations,
        "You go three standard deviations to each side. The rule here is two.",
        (_NEAR,),
    ),
    Mistake(
        settle_by_population,
        "Your standard deviation divides by n. The seeds are a few of all that there might be: "
        "divide by n − 1.",
        (_NEAR,),
    ),
    Mistake(
        settle_by_standard_error,
        "You divide the standard deviation by √n. Asked is where single seeds lie, not how well "
        "their mean is known.",
        (_NEAR,),
    ),
    Mistake(
        settle_by_every_seed,
        "You ask whether each seed lies inside. The three that were drawn may all do so and the "
        "next one not; go by mean and standard deviation.",
        (_NEAR,),
    ),
    Mistake(
        settle_without_an_open_case,
        "Whatever does not hold for sure you call refuted. It is refuted only where all of mean ± "
        "2 standard deviations is outside.",
        (_NEAR,),
    ),
    Mistake(
        settle_in_doubt_for_the_claim,
        "Whatever is not refuted you call true. It holds only where all of mean ± 2 standard "
        "deviations is inside.",
        (_NEAR,),
    ),
    Mistake(
        settle_without_the_lower_end,
        "The argument low changes nothing in your verdict.",
        (_CLEAR, _NEAR),
    ),
    Mistake(
        settle_without_the_upper_end,
        "The argument high changes nothing in your verdict.",
        (_CLEAR, _NEAR),
    ),
    Mistake(
        settle_without_the_ends_themselves,
        "You leave out the ends of the interval. A claim that says 512, measured as 512, holds.",
        (_CLEAR, _NEAR),
    ),
    Mistake(
        settle_upside_down,
        "It is upside down: the interval is where the claim would have the number.",
        (_CLEAR, _NEAR),
    ),
    Mistake(
        settle_nothing,
        "You leave everything open. Where the seeds agree, and far from the ends, there is an "
        "answer.",
        (_CLEAR, _NEAR),
    ),
)
