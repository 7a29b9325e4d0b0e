"""Unit 06: what people write instead of the rank residual; the other exercises by import."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.stacking_convolution import CONVOLUTION
from helpers.checks.mistakes.stacking_cost import COST
from helpers.checks.mistakes.stacking_depths import DEPTHS
from helpers.checks.mistakes.stacking_probe import PROBE
from helpers.checks.mistakes.stacking_tree import TREE

__all__ = ["CONVOLUTION", "COST", "DEPTHS", "PROBE", "RESIDUAL", "TREE"]


def residual_without_the_mean(x):
    return torch.linalg.matrix_norm(x) / torch.linalg.matrix_norm(x)


def residual_mean_over_the_columns(x):
    rest = x - x.mean(-1, keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


def residual_mean_over_the_batch(x):
    rest = x - x.mean(0, keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


def residual_one_mean_row_for_the_batch(x):
    rest = x - x.mean((0, 1))
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


def residual_one_number_for_the_batch(x):
    return (x - x.mean(1, keepdim=True)).norm() / x.norm()


def residual_one_mean_number(x):
    rest = x - x.mean((1, 2), keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


def residual_not_relative(x):
    return torch.linalg.matrix_norm(x - x.mean(1, keepdim=True))


def residual_in_the_spectral_norm(x):
    rest = x - x.mean(1, keepdim=True)
    return torch.linalg.matrix_norm(rest, ord=2) / torch.linalg.matrix_norm(x, ord=2)


def residual_in_absolute_values(x):
    rest = x - x.mean(1, keepdim=True)
    return rest.abs().sum((1, 2)) / x.abs().sum((1, 2))


def residual_from_one(x):
    rest = x - x.mean(1, keepdim=True)
    return 1 - torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


def residual_squared(x):
    rest = x - x.mean(1, keepdim=True)
    return rest.square().sum((1, 2)) / x.square().sum((1, 2))


def residual_relative_to_the_mean_row(x):
    mean = x.mean(1, keepdim=True).expand_as(x)
    return torch.linalg.matrix_norm(x - mean) / torch.linalg.matrix_norm(mean)


def residual_of_each_row(x):
    rest = x - x.mean(1, keepdim=True)
    return rest.norm(dim=-1) / x.norm(dim=-1)


def residual_as_a_mean_over_rows(x):
    rest = x - x.mean(1, keepdim=True)
    return (rest.norm(dim=-1) / x.norm(dim=-1)).mean(-1)


def residual_against_the_first_row(x):
    rest = x - x[:, :1]
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


def residual_by_pythagoras(x):
    mean = x.mean(1, keepdim=True).expand_as(x)
    rest = x.square().sum((1, 2)) - mean.square().sum((1, 2))
    return rest.clamp_min(0).sqrt() / x.square().sum((1, 2)).sqrt()


def residual_in_single_precision(x):
    x = x.float()
    return torch.linalg.matrix_norm(x - x.mean(1, keepdim=True)) / torch.linalg.matrix_norm(x)


_ONE, _EACH, _SAME = (
    "one sequence",
    "each sequence of a batch by itself",
    "rows that are almost the same",
)
_ALL_RESIDUAL = (_ONE, _EACH, _SAME)
RESIDUAL = (
    Mistake(
        residual_without_the_mean,
        "Your result is 1 whatever the input: nothing has been taken off X before its norm. What "
        "all rows share has to go first.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_mean_over_the_columns,
        "You take the mean of each row, a number per position. Wanted is the mean row: an average "
        "over the positions, of width D.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_mean_over_the_batch,
        "Your mean runs over the batch, axis 0. It has to run over the positions of one sequence.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_one_mean_row_for_the_batch,
        "You take one mean row for the whole batch. Each sequence has its own: different "
        "sequences may well end in different rows.",
        (_EACH,),
    ),
    Mistake(
        residual_one_number_for_the_batch,
        "You return one number for the whole batch. Wanted is one per sequence, of shape (B,): the "
        "norm runs over the last two axes only.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_one_mean_number,
        "You subtract one number from everything. The nearest matrix with equal rows has a row of "
        "D numbers.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_not_relative,
        "This is the length of what is left. Without dividing by the length of X, an X that is "
        "merely scaled down would look collapsed.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_in_the_spectral_norm,
        "These are spectral norms (the largest singular value). Here ‖·‖ is the Frobenius norm: "
        "the root of the sum of all squares.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_in_absolute_values,
        "You add up absolute values. The norm here is the root of the sum of squares.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_from_one,
        "Yours is 1 where all rows are the same. The residual is what is left of the differences: "
        "then it is 0.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_squared,
        "You divide the sums of squares. A norm is the root of that sum.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_relative_to_the_mean_row,
        "You divide by the length of the part that was taken off. The formula divides by that of "
        "the whole X, so that the result lies between 0 and 1.",
        (_ONE, _EACH),
    ),
    Mistake(
        residual_of_each_row,
        "You return a number per position. The norms are of whole (T, D) matrices, so one number "
        "per sequence remains.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_as_a_mean_over_rows,
        "You divide row by row and average. The formula divides once, the norm of one matrix by "
        "that of another.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_against_the_first_row,
        "You compare with row 0. It is not the nearest: some other row leaves less.",
        _ALL_RESIDUAL,
    ),
    Mistake(
        residual_by_pythagoras,
        "Right on paper, but you subtract two sums of squares that agree in all their digits, and "
        "nothing is left. Subtract the rows first, then take the norm.",
        (_SAME,),
    ),
    Mistake(
        residual_in_single_precision,
        "float32 has 7 digits, so what differs in the ninth is gone. Stay in the precision of x.",
        (_SAME,),
    ),
)
