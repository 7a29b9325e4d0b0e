"""Unit 06, “What T costs”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch

from helpers.checks.engine import Answer, Case, Exercise, Part


def _multiply_adds(length: int, d_model: int, num_heads: int) -> dict[str, int]:
    """Multiplications in one layer for one sequence, by what they are for."""
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def _counted(rng: Random, name: str) -> Iterator[Case]:
    """Sizes that no two formulas share."""
    for heads in (2, 3):
        length, width = rng.randint(20, 90), heads * rng.randint(8, 20)

        def ask(
            answer: Answer, length: int = length, width: int = width, heads: int = heads
        ) -> Any:
            found = answer(length, width, heads)
            if found is None:
                return None
            if type(found) is not dict:
                raise TypeError(f"expected a dict of three numbers, found {type(found).__name__}")
            if name not in found:
                raise KeyError(f"the dict has no entry {name}")
            number = found[name]
            return torch.tensor(float(number)) if isinstance(number, float | int) else number

        yield Case(f'({length}, {width}, {heads})["{name}"]', ask)


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
)


@cost.mistake(
    "Your entry for the pairs grows with T. Every query meets every key: how many meetings?",
    loses="all pairs",
)
def cost_pairs_linear(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length * d_model,
        "mlp": 8 * length * d_model**2,
    }


@cost.mistake(
    "The heads are in your pairs twice. A head is D/H wide, and H of them make D again.",
    loses="all pairs",
)
def cost_heads_multiplied_in_twice(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * num_heads * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


@cost.mistake(
    "Your pairs are those of a single head. All H of them have to be paid for.", loses="all pairs"
)
def cost_of_one_head(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * (d_model // num_heads),
        "mlp": 8 * length * d_model**2,
    }


@cost.mistake(
    "Your pairs hold one of two products. Scores take the queries and the keys; and then the "
    "weights meet the values.",
    loses="all pairs",
)
def cost_without_the_weighted_sum(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


@cost.mistake(
    "You count three projections. Beside queries, keys and values there is one more D × D "
    "matrix in attention.",
    loses="the projections",
)
def cost_without_the_output_projection(length, d_model, num_heads):
    return {
        "projections": 3 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


@cost.mistake(
    "You pay a D × D matrix for every head. The heads share it: each takes D/H of its columns.",
    loses="the projections",
)
def cost_projections_for_each_head(length, d_model, num_heads):
    return {
        "projections": 4 * num_heads * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


@cost.mistake(
    "You count one matrix of the MLP. It widens D to 4D, and then comes back.", loses="the MLP"
)
def cost_with_one_matrix_in_the_mlp(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 4 * length * d_model**2,
    }


@cost.mistake(
    "Your MLP is D wide inside. In this course, as in BERT, it is 4D wide there.", loses="the MLP"
)
def cost_with_a_narrow_mlp(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 2 * length * d_model**2,
    }


@cost.mistake(
    "You count the biases as well. They are added, not multiplied, and left out here.",
    loses=("the projections", "the MLP"),
)
def cost_with_biases(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2 + 4 * length * d_model,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2 + 5 * length * d_model,
    }


@cost.mistake(
    "These are numbers of parameters. Each parameter of a projection or of the MLP is "
    "multiplied once for every token.",
    loses=("the projections", "the MLP"),
)
def cost_as_parameters(length, d_model, num_heads):
    return {
        "projections": 4 * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * d_model**2,
    }


@cost.mistake(
    "Everything is twice too large: you count a multiplication and the addition behind it as "
    "two. Here they are one."
)
def cost_in_floating_point_operations(length, d_model, num_heads):
    return {
        "projections": 8 * length * d_model**2,
        "pairs": 4 * length**2 * d_model,
        "mlp": 16 * length * d_model**2,
    }
