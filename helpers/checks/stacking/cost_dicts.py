"""Unit 06, “What T costs”: dicts that are shared, rounded or too long, and a single head."""

from __future__ import annotations

import torch

from helpers.checks.engine import changed
from helpers.checks.stacking.cost import PROJECTIONS, cost, cost_of_a_layer


@cost.mistake(
    "You return one and the same dict at each call, so a later call changes an earlier result. "
    "Make a new one in the function.",
    breaks="which returns a new dict",
)
def cost_in_one_dict(length, d_model, num_heads, kept={}):  # noqa: B006
    kept["projections"] = 4 * length * d_model**2
    kept["pairs"] = 2 * length**2 * d_model
    kept["mlp"] = 8 * length * d_model**2
    return kept


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
