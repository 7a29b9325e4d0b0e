"""Unit 09, “The rule of a verdict”: what people do to the values, and verdicts upside down."""

from __future__ import annotations

import math
import statistics

import torch

from helpers.checks.claim_lab.settle import NEAR, settle, settle_by_the_rule
from helpers.checks.engine import changed


@settle.mistake(
    "Your verdicts are swapped: a claim holds where the number lies inside the interval.",
    breaks='It returns `"holds"` where',
)
def settle_upside_down(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "does not hold"
    return "holds" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You call everything not settled. Where the seeds agree and the ends are far away, there is an "
    "answer."
)
def settle_nothing(values, low=-math.inf, high=math.inf):
    return "not settled here"


@settle.mistake(
    "You subtract the square of the mean from the mean of the squares. If the values are large and "
    "close together, only rounding error is left. Square the differences from the mean, or call "
    "statistics.stdev.",
    loses=NEAR,
)
def settle_by_the_mean_of_the_squares(values, low=-math.inf, high=math.inf):
    n = len(values)
    mean = sum(values) / n
    variance = (sum(value * value for value in values) / n - mean * mean) * n / (n - 1)
    spread = 2 * math.sqrt(max(variance, 0))
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "Where mean − 2s equals the lower end, or mean + 2s the upper one, the whole range still lies "
    "in the interval, to which its ends belong: the claim holds.",
    breaks="Both ends belong to the interval",
)
@changed(
    settle_by_the_rule,
    "low <= mean - spread and mean + spread <= high",
    "low < mean - spread and mean + spread < high",
)
def settle_open_at_its_ends(): ...


@settle.mistake(
    "Your lower end does not belong to the interval, only the upper one does. Both belong to it.",
    breaks="Both ends belong to the interval",
)
@changed(settle_by_the_rule, "low <= mean", "low < mean")
def settle_without_the_lower_end_itself(): ...


@settle.mistake(
    "Your upper end does not belong to the interval, only the lower one does. Both belong to it.",
    breaks="Both ends belong to the interval",
)
@changed(settle_by_the_rule, "<= high", "< high")
def settle_without_the_upper_end_itself(): ...


@settle.mistake(
    "You treat an end of 0 as no end. 0 counts as False: `low or …` and `if high` skip it.",
    loses="clear numbers, and counts",
    breaks="the ends of the interval",
)
@changed(
    settle_by_the_rule,
    "    mean, spread",
    "    low, high = low or -math.inf, high or math.inf\n    mean, spread",
)
def settle_without_an_end_at_zero(): ...


@settle.mistake(
    "A lower end of 0 is an end like any other. 0 counts as False: `low or …` skips it.",
    loses="clear numbers, and counts",
    breaks="the ends of the interval",
)
@changed(settle_by_the_rule, "    mean, spread", "    low = low or -math.inf\n    mean, spread")
def settle_without_a_lower_end_at_zero(): ...


@settle.mistake(
    "An upper end of 0 is an end like any other. 0 counts as False: `high or …` skips it.",
    loses="clear numbers, and counts",
    breaks="the ends of the interval",
)
@changed(settle_by_the_rule, "    mean, spread", "    high = high or math.inf\n    mean, spread")
def settle_without_an_upper_end_at_zero(): ...


@settle.mistake(
    "torch.tensor(values) keeps only seven digits, so a number that equals an end may land beside "
    "it. Ask for torch.float64, or use Python's numbers.",
    breaks="what equals an end lies in it",
)
def settle_in_float32(values, low=-math.inf, high=math.inf):
    numbers = torch.tensor(values)
    mean, spread = float(numbers.mean()), 2 * float(numbers.std())
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    return "does not hold" if mean + spread < low or mean - spread > high else "not settled here"


@settle.mistake(
    "You go two variances to each side. The standard deviation is the root of the variance.",
    loses=NEAR,
)
@changed(settle_by_the_rule, "statistics.stdev", "statistics.variance")
def settle_with_two_variances(): ...


@settle.mistake(
    "You allow a little more than the ends, as math.isclose does. What lies beyond an end, however "
    "little, is outside.",
    loses=NEAR,
    breaks="what equals an end lies in it",
)
def settle_with_a_tolerance(values, low=-math.inf, high=math.inf):
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    below, above = mean - spread, mean + spread
    if (low <= below or math.isclose(low, below)) and (above <= high or math.isclose(above, high)):
        return "holds"
    return "does not hold" if above < low or below > high else "not settled here"


@settle.mistake(
    "You remember a verdict for each list object. The list may hold other numbers the next time: "
    "keep nothing from one call to the next.",
    loses="clear numbers, and counts",
)
def settle_kept_by_the_list(values, low=-math.inf, high=math.inf, kept={}):  # noqa: B006
    key = id(values), low, high
    if key not in kept or kept[key][0] is not values:
        kept[key] = values, settle_by_the_rule(values, low, high)
    return kept[key][1]
