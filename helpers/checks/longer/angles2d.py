"""Unit 10, “Angles of a picture”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed
from helpers.checks.longer import common
from helpers.encodings import rotary_nd

SQUARES, OTHERS = "square pictures", "any other picture and base"


def angles2d_of(rows: int, columns: int, d_head: int, base: float = 10_000.0) -> Tensor:
    """Each patch's angles, row by row, (R·C, d/2): half of the pairs by row, half by column."""
    theta = common.theta(d_head // 2, base)
    row, column = (each.flatten()[:, None] for each in _grid(rows, columns))
    return torch.cat([row * theta, column * theta], 1)


def _grid(rows: int, columns: int) -> tuple[Tensor, ...]:
    return torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")


def _real(asked: Case) -> Case:
    def ask(answer: Answer) -> Any:
        return common.real(asked.ask(answer))

    return Case(asked.label, ask)


def _squares(rng: Random) -> Iterator[Case]:
    """Odd and even numbers of pairs for an axis, and one; more patches than columns, and fewer."""
    for side, d_head in (
        (3, 8),
        (rng.randint(5, 9), 12),
        (2, 4),
        (rng.randint(14, 20), 16),
        (4, 64),
    ):
        yield _real(call(side, side, d_head))
        yield _real(call(side, side, d_head, base=10 ** rng.uniform(1, 6)))
    yield _real(call(1, 1, 8))


def _others(rng: Random) -> Iterator[Case]:
    for d_head in (8, 4, 4 * rng.randint(3, 9), 64, 128):
        low, high = rng.randint(2, 5), rng.randint(6, 9)
        yield _real(call(low, high, d_head))
        yield _real(call(high, low, d_head, base=10 ** rng.uniform(1, 6)))
        yield _real(call(low, high, d_head, base=rng.randint(2, 200)))
    yield _real(call(1, rng.randint(3, 9), 8))
    yield _real(call(rng.randint(3, 9), 1, 12))
    yield _real(call(rng.randint(150, 200), 2, 4, base=rng.uniform(1.1, 1.9)))
    yield _real(call(2, rng.randint(150, 200), 8, base=100.0))
    yield _real(call(3, 4, 8, base=10 ** rng.uniform(6.2, 8)))
    for base in (common.base_near_one(rng), rng.uniform(1.5, 9)):
        yield _real(call(4, 5, 4 * rng.randint(3, 6), base=base))
    yield _real(call(rng.randint(1_100, 1_300), 2, 4))
    # Beyond what a byte and bfloat16 count, and a head wider than usual.
    yield _real(call(rng.randint(520, 700), 1, 4))
    yield _real(call(1, rng.randint(520, 700), 4))
    yield _real(call(3, 2, 4 * rng.randint(64, 140)))


angles2d = Exercise(
    "angles2d",
    angles2d_of,
    (Part(SQUARES, 1, _squares), Part(OTHERS, 1, _others)),
    forbidden=(encodings.Rotary2d, encodings.Rotary3d, rotary_nd.RotaryNd, encodings.Pope),
    tolerance=1e-5,
    explains=("Write `angles2d`.",),
)


def angles2d_right(rows, columns, d_head, base=10_000.0):
    """The right answer, of which the mistakes below change one thing."""
    pairs = d_head // 4
    theta = base ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
    row = torch.arange(rows).repeat_interleave(columns)
    column = torch.arange(columns).repeat(rows)
    return torch.cat([row[:, None] * theta, column[:, None] * theta], 1)


@angles2d.mistake(
    "Your patches run down the columns. They are read as a text is: the first row from left to "
    "right, then the next.",
    breaks="row by row",
)
def angles2d_column_by_column(rows, columns, d_head, base=10_000.0):
    pairs = d_head // 4
    theta = base ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
    row = torch.arange(rows).repeat(columns)
    column = torch.arange(columns).repeat_interleave(rows)
    return torch.cat([row[:, None] * theta, column[:, None] * theta], 1)


@angles2d.mistake(
    "You have swapped `rows` and `columns`, which shows where the picture is not square: a picture "
    "has `rows` rows with `columns` patches in each.",
    loses=OTHERS,
)
def angles2d_columns_first_of_a_transposed_picture(rows, columns, d_head, base=10_000.0):
    pairs = d_head // 4
    theta = base ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
    row = torch.arange(columns).repeat_interleave(rows)
    column = torch.arange(rows).repeat(columns)
    return torch.cat([row[:, None] * theta, column[:, None] * theta], 1)


@angles2d.mistake(
    "You flatten the picture and turn all pairs by the number of the patch, as if it were a text. "
    "Then the patch just below is as far away as one that is C patches to the right.",
    breaks="by its row",
)
def angles2d_of_a_text(rows, columns, d_head, base=10_000.0):
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    return torch.arange(rows * columns)[:, None] * theta


@angles2d.mistake(
    "Your frequencies go on from the rows to the columns, so that columns have slow pairs only. "
    "Both axes have the same frequencies, from 1 on.",
    breaks="both halves have the same",
)
def angles2d_frequencies_shared_out(rows, columns, d_head, base=10_000.0):
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    row = torch.arange(rows).repeat_interleave(columns)
    column = torch.arange(columns).repeat(rows)
    at = torch.stack([row, column], 1).repeat_interleave(d_head // 4, 1)
    return at * theta


@angles2d.mistake(
    "Your pairs alternate between rows and columns. Here the first half of the pairs is for rows, "
    "the second for columns. (Other libraries do alternate; trained weights fit only one of the "
    "two orders.)",
    breaks="the other half by its column",
)
@changed(
    angles2d_right,
    "torch.cat([row[:, None] * theta, column[:, None] * theta], 1)",
    "torch.stack([row[:, None] * theta, column[:, None] * theta], 2).flatten(1)",
)
def angles2d_by_turns(): ...


@angles2d.mistake(
    "Your columns have the first half of the pairs. It belongs to the rows.",
    breaks="By how much each pair of each patch",
)
@changed(
    angles2d_right,
    "[row[:, None] * theta, column[:, None] * theta]",
    "[column[:, None] * theta, row[:, None] * theta]",
)
def angles2d_columns_first(): ...


@angles2d.mistake(
    "Each pair turns by the row and by the column, the sum of both. Then a step down and a step to "
    "the right are the same.",
)
@changed(
    angles2d_right,
    "[row[:, None] * theta, column[:, None] * theta]",
    "[(row + column)[:, None] * theta] * 2",
)
def angles2d_of_the_sum(): ...


@angles2d.mistake(
    "Your exponent is m/d. Each half is a RoPE of its own, over M = d/4 pairs, so that θ falls "
    "nearly to 1/base in each.",
    breaks="$\\theta_m",
)
@changed(angles2d_right, ") / pairs)", ") / d_head)")
def angles2d_exponent_by_the_width(): ...


@angles2d.mistake("Your exponent is m/2M, so that θ falls to the root of 1/base only.")
@changed(angles2d_right, ") / pairs)", ") / (2 * pairs))")
def angles2d_exponent_halved(): ...


@angles2d.mistake(
    "Your frequencies are base^(−2m/M): θ falls to 1/base in the middle of each half."
)
@changed(angles2d_right, ") / pairs)", ") * 2 / pairs)")
def angles2d_exponent_doubled(): ...


@angles2d.mistake(
    "The argument base changes nothing: a 10,000 is still hard-coded, or frequencies are kept from "
    "an earlier call.",
    breaks="the base is above 1",
)
@changed(angles2d_right, "theta = base **", "theta = 10_000.0 **")
def angles2d_base_forgotten(): ...


@angles2d.mistake(
    "Your picture is square: `rows` is used for both sides, or `columns` is.",
    loses=OTHERS,
    breaks="of `rows` times `columns` patches",
)
@changed(
    angles2d_right,
    "    pairs = d_head // 4\n",
    "    rows = columns\n    pairs = d_head // 4\n",
)
def angles2d_of_a_square(): ...


@angles2d.mistake(
    "Rows and columns count from 0, so that the first patch is not turned at all.",
    breaks="count from 0",
)
@changed(
    angles2d_right,
    "    return torch.cat([row[:, None] * theta, column[:, None] * theta], 1)",
    "    return torch.cat([(row + 1)[:, None] * theta, (column + 1)[:, None] * theta], 1)",
)
def angles2d_from_one(): ...


@angles2d.mistake(
    "You divide rows and columns by the size of the picture, as DINOv3 does. Then a step has "
    "another angle in another picture; here a step is a step."
)
@changed(
    angles2d_right,
    "[row[:, None] * theta, column[:, None] * theta]",
    "[(row / rows)[:, None] * theta, (column / columns)[:, None] * theta]",
)
def angles2d_of_fractions(): ...


@angles2d.mistake(
    "Your result has an axis for rows and one for columns. Return a line for each patch.",
    breaks="of shape $(R C, d/2)$",
)
@changed(
    angles2d_right,
    "column[:, None] * theta], 1)",
    "column[:, None] * theta], 1).unflatten(0, (rows, columns))",
)
def angles2d_in_a_grid(): ...


@angles2d.mistake("These are the cosines of the angles. Return the angles themselves.")
@changed(angles2d_right, "column[:, None] * theta], 1)", "column[:, None] * theta], 1).cos()")
def angles2d_cosines(): ...
