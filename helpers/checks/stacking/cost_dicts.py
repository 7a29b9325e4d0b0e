"""Unit 06, “What T costs”: everything doubled or exchanged, dicts that are shared or rounded."""

from __future__ import annotations

import math

import torch

from helpers.checks.engine import changed
from helpers.checks.stacking.cost import PROJECTIONS, cost, cost_of_a_layer


@cost.mistake(
    "Your numbers are nearly right: powers computed with logarithms, roots or divisions are "
    "slightly off. Multiply the integers themselves.",
    breaks="The numbers are exact",
)
def cost_by_logarithms(length, d_model, num_heads):
    def product(factor, *logarithms):
        return factor * math.exp(sum(logarithms))

    t, d = math.log(length), math.log(d_model)
    return {
        "projections": product(4, t, d, d),
        "pairs": product(2, t, t, d),
        "mlp": product(8, t, d, d),
    }


@cost.mistake(
    "Your numbers are rounded: float32 has 7 digits. Count in Python's own numbers.",
    breaks="The numbers are exact",
)
def cost_in_single_precision(length, d_model, num_heads):
    length, d_model = torch.tensor(float(length)), torch.tensor(float(d_model))
    return {
        "projections": float(4 * length * d_model**2),
        "pairs": float(2 * length**2 * d_model),
        "mlp": float(8 * length * d_model**2),
    }


@cost.mistake(
    "You leave out the output projection where there is a single head. It is there for any H.",
    loses="the projections",
)
@changed(cost_of_a_layer, PROJECTIONS, "(4 if num_heads > 1 else 3) * length * d_model**2")
def cost_without_the_output_of_one_head(): ...


@cost.mistake(
    "You give a fourth entry. Whoever adds up the dict's values counts everything twice.",
    breaks="with three numbers and nothing else",
)
@changed(cost_of_a_layer, "return parts", 'return parts | {"total": sum(parts.values())}')
def cost_with_its_total(): ...


@cost.mistake(
    "Everything is twice as large as it should be: you count a multiplication and its addition as "
    "two. Here they count as one.",
    breaks="A multiplication with its addition counts as one",
)
@changed(cost_of_a_layer, "return parts", "return {key: 2 * n for key, n in parts.items()}")
def cost_in_floating_point_operations(): ...


@cost.mistake(
    "You take the first argument for D and the second for T.",
    breaks="Here `length` is $T$, `d_model` is $D$",
)
@changed(cost_of_a_layer, "(length, d_model, num_heads)", "(d_model, length, num_heads)")
def cost_with_t_and_d_exchanged(): ...


@cost.mistake(
    "These are numbers of parameters. Each parameter of a projection or of the MLP is "
    "multiplied once for every token.",
    loses=("the projections", "the MLP"),
    breaks="Multiplications of one layer for one sequence",
)
@changed(
    cost_of_a_layer,
    "return parts",
    'return {key: n if key == "pairs" else n // length for key, n in parts.items()}',
)
def cost_as_parameters(): ...
