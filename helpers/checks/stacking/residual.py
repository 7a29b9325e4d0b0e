"""Unit 06, “The rank residual”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare
from helpers.checks.stacking import common
from helpers.model import probes


def _one_sequence(rng: Random) -> Iterator[Case]:
    for stretch in (1, 3):
        x = common.normal_numbers(rng, 1, rng.randint(8, 12), rng.randint(4, 6))
        yield call(stretch * x + 1)


def _several(rng: Random) -> Iterator[Case]:
    x = common.normal_numbers(rng, rng.randint(2, 3), rng.randint(8, 12), rng.randint(4, 6))
    apart = torch.arange(1.0, len(x) + 1, dtype=torch.float64)  # mean rows that are unlike
    yield call((-1) ** apart[:, None, None] * apart[:, None, None] + x)


def _collapsed(rng: Random) -> Iterator[Case]:
    for size in (1e-6, 1e-9):
        x = 3 + size * common.normal_numbers(rng, 1, rng.randint(8, 12), rng.randint(4, 6))

        def ask(answer: Answer, x: Tensor = x) -> Any:
            found = answer(x.clone())
            tensor = compare.as_tensor(found)
            return found if tensor is None else tensor.nan_to_num().clamp_min(1e-30).log10()

        label = f"rows in float64 that differ by about {size:g}, log10 of the residual"
        yield Case(label, ask)


residual = Exercise(
    "residual",
    probes.rank_residual,
    (
        Part("one sequence", 0.5, _one_sequence),
        Part("each sequence of a batch by itself", 0.5, _several),
        Part("rows that are almost the same", 0.5, _collapsed),
    ),
)


@residual.mistake(
    "Your result is 1 whatever the input: nothing has been taken off X before its norm. What "
    "all rows share has to go first."
)
def residual_without_the_mean(x):
    return torch.linalg.matrix_norm(x) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "You take the mean of each row, a number per position. Wanted is the mean row: an average "
    "over the positions, of width D."
)
def residual_mean_over_the_columns(x):
    rest = x - x.mean(-1, keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "Your mean runs over the batch, axis 0. It has to run over the positions of one sequence."
)
def residual_mean_over_the_batch(x):
    rest = x - x.mean(0, keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "You take one mean row for the whole batch. Each sequence has its own: different "
    "sequences may well end in different rows.",
    loses="each sequence of a batch by itself",
)
def residual_one_mean_row_for_the_batch(x):
    rest = x - x.mean((0, 1))
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "You return one number for the whole batch. Wanted is one per sequence, of shape (B,): the "
    "norm runs over the last two axes only."
)
def residual_one_number_for_the_batch(x):
    return (x - x.mean(1, keepdim=True)).norm() / x.norm()


@residual.mistake(
    "You subtract one number from everything. The nearest matrix with equal rows has a row of "
    "D numbers."
)
def residual_one_mean_number(x):
    rest = x - x.mean((1, 2), keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "This is the length of what is left. Without dividing by the length of X, an X that is "
    "merely scaled down would look collapsed."
)
def residual_not_relative(x):
    return torch.linalg.matrix_norm(x - x.mean(1, keepdim=True))


@residual.mistake(
    "These are spectral norms (the largest singular value). Here ‖·‖ is the Frobenius norm: "
    "the root of the sum of all squares."
)
def residual_in_the_spectral_norm(x):
    rest = x - x.mean(1, keepdim=True)
    return torch.linalg.matrix_norm(rest, ord=2) / torch.linalg.matrix_norm(x, ord=2)


@residual.mistake("You add up absolute values. The norm here is the root of the sum of squares.")
def residual_in_absolute_values(x):
    rest = x - x.mean(1, keepdim=True)
    return rest.abs().sum((1, 2)) / x.abs().sum((1, 2))


@residual.mistake(
    "Yours is 1 where all rows are the same. The residual is what is left of the differences: "
    "then it is 0."
)
def residual_from_one(x):
    rest = x - x.mean(1, keepdim=True)
    return 1 - torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


@residual.mistake("You divide the sums of squares. A norm is the root of that sum.")
def residual_squared(x):
    rest = x - x.mean(1, keepdim=True)
    return rest.square().sum((1, 2)) / x.square().sum((1, 2))


@residual.mistake(
    "You divide by the length of the part that was taken off. The formula divides by that of "
    "the whole X, so that the result lies between 0 and 1.",
    loses=("one sequence", "each sequence of a batch by itself"),
)
def residual_relative_to_the_mean_row(x):
    mean = x.mean(1, keepdim=True).expand_as(x)
    return torch.linalg.matrix_norm(x - mean) / torch.linalg.matrix_norm(mean)


@residual.mistake(
    "You return a number per position. The norms are of whole (T, D) matrices, so one number "
    "per sequence remains."
)
def residual_of_each_row(x):
    rest = x - x.mean(1, keepdim=True)
    return rest.norm(dim=-1) / x.norm(dim=-1)


@residual.mistake(
    "You divide row by row and average. The formula divides once, the norm of one matrix by "
    "that of another."
)
def residual_as_a_mean_over_rows(x):
    rest = x - x.mean(1, keepdim=True)
    return (rest.norm(dim=-1) / x.norm(dim=-1)).mean(-1)


@residual.mistake("You compare with row 0. It is not the nearest: some other row leaves less.")
def residual_against_the_first_row(x):
    rest = x - x[:, :1]
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "Right on paper, but you subtract two sums of squares that agree in all their digits, and "
    "nothing is left. Subtract the rows first, then take the norm.",
    loses="rows that are almost the same",
)
def residual_by_pythagoras(x):
    mean = x.mean(1, keepdim=True).expand_as(x)
    rest = x.square().sum((1, 2)) - mean.square().sum((1, 2))
    return rest.clamp_min(0).sqrt() / x.square().sum((1, 2)).sqrt()


@residual.mistake(
    "float32 has 7 digits, so what differs in the ninth is gone. Stay in the precision of x.",
    loses="rows that are almost the same",
)
def residual_in_single_precision(x):
    x = x.float()
    return torch.linalg.matrix_norm(x - x.mean(1, keepdim=True)) / torch.linalg.matrix_norm(x)
