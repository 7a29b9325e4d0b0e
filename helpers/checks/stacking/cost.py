"""Unit 06, “What T costs”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, changed
from helpers.checks.stacking import common

ENTRIES = ("projections", "pairs", "mlp")
PRIMES = (37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109)
LONG = (131_011, 131_023, 131_041, 131_059, 131_063, 131_071)  # primes too


def _multiply_adds(length: int, d_model: int, num_heads: int) -> dict[str, int]:
    """Multiplications in one layer for one sequence, by what they are for."""
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def _sizes(rng: Random) -> Iterator[tuple[int, int, int]]:
    """T, D and H that no two formulas share: T is a prime that D and H do not hold."""
    for heads in (3, 3, rng.choice((5, 7))):
        # H heads with T // H tokens each would be T − 1 tokens where T is 1 more than a multiple.
        lengths = [prime for prime in PRIMES if prime % heads > 1]
        yield rng.choice(lengths), heads * rng.randint(8, 20), heads
    yield rng.choice(PRIMES), rng.randint(20, 36), 1
    heads = rng.choice((5, 7, 11))
    yield rng.choice(PRIMES), heads, heads
    yield 1, heads * rng.randint(8, 20), heads
    # More than 2³¹ multiplications, and more digits than float32 has.
    yield rng.choice(LONG), 12 * rng.randrange(1001, 1024, 2), 12
    heads = rng.randrange(301, 399, 2)
    yield rng.choice(LONG), heads * rng.randrange(31, 39, 2), heads
    for heads in (1, 11, 13):
        yield rng.choice(LONG), heads * (rng.randrange(12_001, 12_287, 2) // heads), heads


def _counted(rng: Random, name: str) -> Iterator[Case]:
    for length, width, heads in _sizes(rng):
        yield _sized(length, width, heads, name)
    # Where float32, or a power by way of logarithms, is one off.
    for length, width in ((131_072, 12_288), (131_072, 4096), (65_536, 8192), (262_144, 1024)):
        yield _sized(length, width, 32, name)
    yield _twice(rng, name)
    yield _changed_between(rng, name)


def _sized(length: int, width: int, heads: int, name: str) -> Case:
    def ask(answer: Answer) -> Any:
        return _entry(answer(length, width, heads), name)

    return Case(f"({length}, {width}, {heads})", ask)


def _changed_between(rng: Random, name: str) -> Case:
    """What a caller does with one result must not be seen in the next for the same sizes."""
    sizes = rng.choice(PRIMES), 42, 7

    def ask(answer: Answer) -> Any:
        first = answer(*sizes)
        if type(first) is dict:
            first.update(dict.fromkeys(ENTRIES, -1))
        return _entry(answer(*sizes), name)

    return Case(f"{sizes} again, after −1 has been written into the first result", ask)


def _twice(rng: Random, name: str) -> Case:
    """A result is looked at once more after a call with other sizes."""
    first, then = (rng.choice(PRIMES[:9]), 30, 3), (rng.choice(PRIMES[9:]), 50, 5)

    def ask(answer: Answer) -> Any:
        kept = answer(*first)
        answer(*then)
        return _entry(kept, name)

    return Case(f"your result for {first}, looked at after a call with {then}", ask)


def _entry(found: Any, name: str) -> Any:
    """The number of that name, and what else the dict holds; no dict is shown as it is."""
    if found is None:
        return None
    entries = dict(found) if isinstance(found, dict) else {}
    number = common.as_number(entries.get(name))
    single = isinstance(number, Tensor) and number.dim() == 0
    value = number.item() if single else math.nan
    whole = math.isfinite(value) and value == int(value)
    return {
        "the result is a dict": isinstance(found, dict),
        f"it has an entry “{name}”": name in entries,
        "entries besides the three": sorted(str(key) for key in entries if key not in ENTRIES),
        f"what “{name}” is": "one number" if single else type(number).__name__,
        f"the entry “{name}” has a fraction": math.isfinite(value) and not whole,
        f"the entry “{name}”": int(value) if whole else str(value),
    }


def _projections(rng: Random) -> Iterator[Case]:
    return _counted(rng, "projections")


def _pairs(rng: Random) -> Iterator[Case]:
    return _counted(rng, "pairs")


def _mlp(rng: Random) -> Iterator[Case]:
    return _counted(rng, "mlp")


cost = Exercise(
    "cost",
    _multiply_adds,
    (
        Part("the projections", 0.5, _projections),
        Part("all pairs", 0.5, _pairs),
        Part("the MLP", 0.5, _mlp),
    ),
    tolerance=0,
    explains=("You will settle your prediction with this count.",),
)


def cost_of_a_layer(length, d_model, num_heads):
    """A right answer, which the wrong ones below change in one place."""
    parts = {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }
    return parts


PROJECTIONS, PAIRS = "4 * length * d_model**2", "2 * length**2 * d_model"
MLP = "8 * length * d_model**2"


@cost.mistake(
    "Your number for the pairs grows only linearly with T. Every query meets every key: how many "
    "pairs is that?",
    loses="all pairs",
)
@changed(cost_of_a_layer, PAIRS, "2 * length * d_model")
def cost_pairs_linear(): ...


@cost.mistake(
    "You count the heads twice in the pairs. A head is D/H wide, so H of them together are D wide "
    "again.",
    loses="all pairs",
)
@changed(cost_of_a_layer, PAIRS, "2 * num_heads * length**2 * d_model")
def cost_heads_multiplied_in_twice(): ...


@cost.mistake(
    "Your pairs are those of a single head. The layer computes all H of them.",
    loses="all pairs",
    breaks="(scores and weighted means together, all heads)",
)
@changed(cost_of_a_layer, PAIRS, "2 * length**2 * (d_model // num_heads)")
def cost_of_one_head(): ...


@cost.mistake(
    "Your number for the pairs is half of what it should be. Does it include both products, the "
    "scores and then the weights with the values, and each for all T² pairs?",
    loses="all pairs",
)
@changed(cost_of_a_layer, PAIRS, "length**2 * d_model")
def cost_without_the_weighted_sum(): ...


@cost.mistake(
    "Your number for the pairs is twice what it should be. There are two products, a "
    "multiplication with its addition counts as one, and D is the width of all heads together.",
    loses="all pairs",
)
@changed(cost_of_a_layer, PAIRS, "4 * length**2 * d_model")
def cost_with_pairs_doubled(): ...


@cost.mistake(
    "Your number for the pairs does not depend on D: you count the scores, not the work for each "
    "of them. A score is a dot product.",
    loses="all pairs",
)
@changed(cost_of_a_layer, PAIRS, "2 * num_heads * length**2")
def cost_with_a_score_for_nothing(): ...


@cost.mistake(
    "You leave out the pairs of a token with itself. A query meets its own key too.",
    loses="all pairs",
)
@changed(cost_of_a_layer, PAIRS, "2 * length * (length - 1) * d_model")
def cost_without_the_diagonal(): ...


@cost.mistake(
    "You count three projections. Besides queries, keys and values there is one more D × D matrix "
    "in attention.",
    loses="the projections",
)
@changed(cost_of_a_layer, PROJECTIONS, "3 * length * d_model**2")
def cost_without_the_output_projection(): ...


@cost.mistake(
    "You count one D × D matrix. The section names four.",
    loses="the projections",
)
@changed(cost_of_a_layer, PROJECTIONS, "length * d_model**2")
def cost_with_one_projection(): ...


@cost.mistake(
    "Your number for the projections is twice what it should be. There are four matrices, and a "
    "multiplication with its addition counts as one.",
    loses="the projections",
)
@changed(cost_of_a_layer, PROJECTIONS, "8 * length * d_model**2")
def cost_with_projections_doubled(): ...


@cost.mistake(
    "You count a whole D × D matrix for every head. The heads share it: each takes D/H of its "
    "columns.",
    loses="the projections",
)
@changed(cost_of_a_layer, PROJECTIONS, "4 * num_heads * length * d_model**2")
def cost_projections_for_each_head(): ...


@cost.mistake(
    "Your projections are those of a single head. All H of them together have D columns.",
    loses="the projections",
)
@changed(cost_of_a_layer, PROJECTIONS, "4 * length * d_model * (d_model // num_heads)")
def cost_projections_of_one_head(): ...


@cost.mistake(
    "Your number for the MLP is half of what it should be. There are two matrices, one from D to "
    "4D and one back.",
    loses="the MLP",
)
@changed(cost_of_a_layer, MLP, "4 * length * d_model**2")
def cost_with_one_matrix_in_the_mlp(): ...


@cost.mistake(
    "Your number for the MLP is a quarter of what it should be, as if the hidden layer were D "
    "wide. In this course, as in BERT, it is 4D wide.",
    loses="the MLP",
)
@changed(cost_of_a_layer, MLP, "2 * length * d_model**2")
def cost_with_a_narrow_mlp(): ...


@cost.mistake(
    "Your number for the MLP is twice what it should be. There are two matrices, and a "
    "multiplication with its addition counts as one.",
    loses="the MLP",
)
@changed(cost_of_a_layer, MLP, "16 * length * d_model**2")
def cost_with_the_mlp_doubled(): ...


@cost.mistake(
    "You square 4D: both your matrices are 4D × 4D. One goes from D to 4D, the other back.",
    loses="the MLP",
)
@changed(cost_of_a_layer, MLP, "2 * length * (4 * d_model) ** 2")
def cost_with_a_square_mlp(): ...


@cost.mistake(
    "You count the biases as well. They are added, not multiplied, so they do not count here.",
    loses=("the projections", "the MLP"),
)
@changed(
    cost_of_a_layer,
    "return parts",
    'bias = length * d_model; parts["projections"] += 4 * bias; parts["mlp"] += 5 * bias; '
    "return parts",
)
def cost_with_biases(): ...
