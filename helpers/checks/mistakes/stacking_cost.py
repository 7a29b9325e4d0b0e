"""Unit 06: what people write instead of the cost of a layer."""

from __future__ import annotations

from helpers.checks.exercise import Mistake


def cost_pairs_linear(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length * d_model,
        "mlp": 8 * length * d_model**2,
    }


def cost_heads_multiplied_in_twice(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * num_heads * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def cost_of_one_head(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * (d_model // num_heads),
        "mlp": 8 * length * d_model**2,
    }


def cost_without_the_weighted_sum(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def cost_without_the_output_projection(length, d_model, num_heads):
    return {
        "projections": 3 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def cost_projections_for_each_head(length, d_model, num_heads):
    return {
        "projections": 4 * num_heads * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }


def cost_with_one_matrix_in_the_mlp(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 4 * length * d_model**2,
    }


def cost_with_a_narrow_mlp(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 2 * length * d_model**2,
    }


def cost_with_biases(length, d_model, num_heads):
    return {
        "projections": 4 * length * d_model**2 + 4 * length * d_model,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2 + 5 * length * d_model,
    }


def cost_as_parameters(length, d_model, num_heads):
    return {
        "projections": 4 * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * d_model**2,
    }


def cost_in_floating_point_operations(length, d_model, num_heads):
    return {
        "projections": 8 * length * d_model**2,
        "pairs": 4 * length**2 * d_model,
        "mlp": 16 * length * d_model**2,
    }


_PROJECTIONS, _PAIRS, _MLP = "the projections", "all pairs", "the MLP"
COST = (
    Mistake(
        cost_pairs_linear,
        "Your entry for the pairs grows with T. Every query meets every key: how many meetings?",
        (_PAIRS,),
    ),
    Mistake(
        cost_heads_multiplied_in_twice,
        "The heads are in your pairs twice. A head is D/H wide, and H of them make D again.",
        (_PAIRS,),
    ),
    Mistake(
        cost_of_one_head,
        "Your pairs are those of a single head. All H of them have to be paid for.",
        (_PAIRS,),
    ),
    Mistake(
        cost_without_the_weighted_sum,
        "Your pairs hold one of two products. Scores take the queries and the keys; and then the "
        "weights meet the values.",
        (_PAIRS,),
    ),
    Mistake(
        cost_without_the_output_projection,
        "You count three projections. Beside queries, keys and values there is one more D × D "
        "matrix in attention.",
        (_PROJECTIONS,),
    ),
    Mistake(
        cost_projections_for_each_head,
        "You pay a D × D matrix for every head. The heads share it: each takes D/H of its columns.",
        (_PROJECTIONS,),
    ),
    Mistake(
        cost_with_one_matrix_in_the_mlp,
        "You count one matrix of the MLP. It widens D to 4D, and then comes back.",
        (_MLP,),
    ),
    Mistake(
        cost_with_a_narrow_mlp,
        "Your MLP is D wide inside. In this course, as in BERT, it is 4D wide there.",
        (_MLP,),
    ),
    Mistake(
        cost_with_biases,
        "You count the biases as well. They are added, not multiplied, and left out here.",
        (_PROJECTIONS, _MLP),
    ),
    Mistake(
        cost_as_parameters,
        "These are numbers of parameters. Each parameter of a projection or of the MLP is "
        "multiplied once for every token.",
        (_PROJECTIONS, _MLP),
    ),
    Mistake(
        cost_in_floating_point_operations,
        "Everything is twice too large: you count a multiplication and the addition behind it as "
        "two. Here they are one.",
        (_PROJECTIONS, _PAIRS, _MLP),
    ),
)
