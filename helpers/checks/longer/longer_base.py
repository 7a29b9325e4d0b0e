"""Unit 10, “A base for longer texts”: what it asks, and what people write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import torch  # noqa: F401, in a mistake's text

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed, refusal
from helpers.checks.longer import common

BASES, REFUSED = "the new base", "one pair, or half a pair"
LIMITS = re.compile(
    r"\b2 (?:or more )?pairs\b|\b(?:multiple of|divisible by|divide by|than|least|above) 2\b"
    r"|(?:/|(?<!-)>=?) ?2\b|\(d\w* ?- ?2\)"
)


def longer_base_of(base: float, factor: float, d_head: int) -> float:
    """base·s^(d/(d−2)), with which the slowest pair is s times slower and the fastest stays."""
    if d_head < 4 or d_head % 2:
        raise ValueError(f"d_head={d_head} must be even, and at least 4")
    return float(base * factor ** (d_head / (d_head - 2)))


def _number(base: float, factor: float, d_head: int) -> Case:
    asked = call(base, factor, d_head)

    def ask(answer: Answer) -> Any:
        return common.number(asked.ask(answer), "the new base")

    return Case(asked.label, ask)


def _bases(rng: Random) -> Iterator[Case]:
    """Narrow and wide heads, odd and even numbers of pairs, whole and broken factors and bases."""
    for d_head in (8, 4, 6, 2 * rng.randint(5, 11), 64, 128, 2 * rng.randint(70, 140)):
        yield _number(10_000.0, rng.choice((2, 4, 8)), d_head)
        yield _number(10 ** rng.uniform(1, 6), rng.uniform(1.2, 9), d_head)
        yield _number(rng.randint(2, 50) * 10_000, rng.choice((16, 32, 64)), d_head)
    yield _number(500_000.0, 1, rng.choice((8, 12)))
    yield _number(rng.uniform(1.1, 1.9), rng.uniform(1.05, 1.1), 2 * rng.randint(2, 9))
    yield _number(10_000.0, rng.uniform(1.01, 1.05), 2 * rng.randint(2, 9))
    yield _number(rng.uniform(20, 90), rng.uniform(300, 900), rng.choice((32, 48)))
    yield _number(rng.uniform(20, 90), rng.randint(2000, 9000), rng.choice((12, 16)))
    d_head, factor = 2 * rng.randint(4, 40), rng.randint(2, 9)
    for base in (10_000.0, rng.uniform(100, 900), 10 ** rng.uniform(8.8, 9.8)):
        yield _number(base, factor, d_head)  # the same, but for the base
    yield _number(rng.uniform(200, 900), rng.uniform(20, 60), 2 * rng.randint(300, 900))


def _refused(rng: Random) -> Iterator[Case]:
    for d_head in (2, 2 * rng.randint(3, 9) + 1, 2 * rng.randint(55, 90) + 1, 3, 1):
        # None of its digits is a width: an error may name the factor alone.
        factor = 1.0 if d_head == 3 else rng.choice((3.75, 4.75, 5.75))

        def ask(answer: Answer, d_head: int = d_head, factor: float = factor) -> Any:
            action = partial(answer, 10_000.5, factor, d_head)
            return refusal(partial(_without_its_limits, action), d_head=d_head)

        yield Case(f"(10000.5, {factor:g}, {d_head})", ask)
    # What is allowed at the border.
    yield _number(10_000.0, 3, 4)


def _without_its_limits(action: Callable[[], Any]) -> Any:
    """An error without what is no width in it: “2 pairs at least” does not say that 2 was given."""
    try:
        return action()
    except NotImplementedError:
        raise
    except Exception as error:
        error.args = (LIMITS.sub("…", str(error)),)
        raise


longer_base = Exercise(
    "longer_base",
    longer_base_of,
    (Part(BASES, 1, _bases), Part(REFUSED, 1, _refused)),
    forbidden=(encodings.Ntk, encodings.DynamicNtk),
    tolerance=1e-6,  # float32 is off by a tenth of that
    explains=("Write `longer_base`.", "(Pair 0 turns by 1 radian"),
)


def longer_base_right(base, factor, d_head):
    """The right answer, of which the mistakes below change one thing."""
    if d_head < 4 or d_head % 2:
        raise ValueError(f"d_head={d_head} must be even, and at least 4")
    return base * factor ** (d_head / (d_head - 2))


@longer_base.mistake(
    "You multiply the base by s. Then the slowest pair slows by less than s, as its exponent is "
    "2(d/2 − 1)/d and not 1.",
    breaks="turns exactly $s$ times as slowly",
)
@changed(longer_base_right, "factor ** (d_head / (d_head - 2))", "factor")
def longer_base_times_s(): ...


@longer_base.mistake(
    "Your exponent is upside down. Set base′^(−(d−2)/d) to base^(−(d−2)/d)/s and solve for base′.",
)
@changed(longer_base_right, "d_head / (d_head - 2)", "(d_head - 2) / d_head")
def longer_base_exponent_upside_down(): ...


@longer_base.mistake(
    "You divide d by d − 1. The slowest pair is n = d/2 − 1, and its exponent is −(d − 2)/d."
)
@changed(longer_base_right, "d_head / (d_head - 2)", "d_head / (d_head - 1)")
def longer_base_of_one_column_less(): ...


@longer_base.mistake(
    "You take the number of pairs for d: the exponent has the width of a head, d, in it.",
)
@changed(longer_base_right, "d_head / (d_head - 2)", "(d_head // 2) / (d_head // 2 - 2)")
def longer_base_of_the_pairs(): ...


@longer_base.mistake(
    "Your new base is smaller than the old one. A larger base makes slower pairs, and the slowest "
    "is to be slower by s.",
    breaks="The base that slows the slowest pair",
)
@changed(longer_base_right, "base * factor", "base / factor")
def longer_base_smaller(): ...


@longer_base.mistake(
    "You raise the base to a power that depends on s. The base stays as it is; the factor s beside "
    "it is raised to a power."
)
@changed(
    longer_base_right,
    "base * factor ** (d_head / (d_head - 2))",
    "base ** (1 + (factor - 1) / (d_head - 2))",
)
def longer_base_to_a_power(): ...


@longer_base.mistake(
    "The argument base changes nothing: a 10,000 is still hard-coded, or a result is kept from an "
    "earlier call.",
    loses=BASES,
    breaks="It takes the base of a trained model",
)
@changed(longer_base_right, "return base", "return 10_000.0")
def longer_base_of_10_000(): ...


@longer_base.mistake(
    "You use only the whole part of the factor. A text may be 1.5 times as long as the training "
    "texts.",
    loses=BASES,
    breaks="any number of at least 1",
)
@changed(longer_base_right, "base * factor", "base * int(factor)")
def longer_base_of_whole_factors(): ...


@longer_base.mistake(
    "You round the new base. It needs no rounding, and a small base would change by much.",
    loses=BASES,
    breaks="It returns, as a float",
)
@changed(
    longer_base_right,
    "base * factor ** (d_head / (d_head - 2))",
    "float(round(base * factor ** (d_head / (d_head - 2))))",
)
def longer_base_rounded(): ...


@longer_base.mistake(
    "You return a tensor. Let it be a float, which every encoding takes as its base.",
)
@changed(
    longer_base_right,
    "return base * factor ** (d_head / (d_head - 2))",
    "return torch.tensor(base * factor ** (d_head / (d_head - 2)), dtype=torch.float64)",
)
def longer_base_as_a_tensor(): ...


@longer_base.mistake(
    "With d = 2 you divide by zero, and Python raises an error of its own. Check the width first, "
    "and raise the ValueError that the exercise asks for; for odd widths as well.",
    loses=REFUSED,
    breaks="In both cases raise a ValueError",
)
def longer_base_unguarded(base, factor, d_head):
    return base * factor ** (d_head / (d_head - 2))


@longer_base.mistake(
    "With d = 2 there is one pair, which no base slows down, but you return a base. Refuse this "
    "width.",
    loses=REFUSED,
    breaks="there is a single pair",
)
@changed(
    longer_base_right,
    "    if d_head < 4 or d_head % 2:\n",
    "    if d_head == 2:\n        return base\n    if d_head < 4 or d_head % 2:\n",
)
def longer_base_kept_for_one_pair(): ...


@longer_base.mistake(
    "You refuse a single pair, but accept an odd width, of which one column would have no partner.",
    loses=REFUSED,
    breaks="An odd width leaves",
)
@changed(longer_base_right, "d_head < 4 or d_head % 2", "d_head == 2")
def longer_base_of_odd_widths(): ...


@longer_base.mistake(
    "You refuse a head of 4 columns as well. It has a fastest pair and a slowest, which is enough."
)
@changed(longer_base_right, "d_head < 4", "d_head <= 4")
def longer_base_without_two_pairs(): ...


@longer_base.mistake(
    "Your error does not say which width was refused. Put the value of d_head into its text.",
    loses=REFUSED,
    breaks="whose text names",
)
@changed(longer_base_right, '(f"d_head={d_head} must be even, and at least 4")', '("too narrow")')
def longer_base_refused_without_its_width(): ...


@longer_base.mistake(
    "Your error is an AssertionError. Let it be a ValueError: assert is for your own mistakes, and "
    "python -O leaves it out.",
    loses=REFUSED,
)
def longer_base_asserted(base, factor, d_head):
    assert d_head >= 4 and d_head % 2 == 0, f"d_head={d_head} must be even, and at least 4"
    return base * factor ** (d_head / (d_head - 2))
