"""Unit 09, “Offsets, and nothing else?”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
from helpers.claims import claim, settle
from helpers.claims.order import along_and_overall
from helpers.encodings import shift_matrix, sinusoidal_table


def _offsets(table: Tensor, matrices: list[Tensor]) -> dict[str, Any]:
    """Spread of P·W·Pᵀ along its diagonals over that overall, for each W; do offsets say it all?"""
    ratio = [along_and_overall(table @ matrix @ table.T) for matrix in matrices]
    return {"ratio": torch.tensor(ratio), "verdict": claim.settle(ratio, high=0.01)}


def _normal(rng: Random, *shape: int) -> Tensor:
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw, dtype=torch.float64)


def _spreads(rng: Random) -> Iterator[Case]:
    for length, width in ((rng.randint(9, 14), 6), (rng.randint(15, 20), 8)):
        table = sinusoidal_table(length, width)
        matrices = [3 * _normal(rng, width, width) for _ in range(3)]
        ask = common.ask_for("ratio", table, matrices)
        yield Case(f"{length} rows of sinusoids, three random matrices: the ratios", ask)


def _offset_verdicts(rng: Random) -> Iterator[Case]:
    length, width = rng.randint(20, 30), 8
    sinusoids, eye = sinusoidal_table(length, width), torch.eye(width, dtype=torch.float64)
    turns = [shift_matrix(rng.randint(1, 9), width) for _ in range(3)]
    drawn = [_normal(rng, width, width) for _ in range(3)]
    drawn = [each / (sinusoids @ each @ sinusoids.T).std() for each in drawn]
    for words, table, matrices in (
        ("sinusoids, no matrix between them", sinusoids, [eye, eye]),
        ("sinusoids, matrices that turn them", sinusoids, turns),
        ("sinusoids, random matrices", sinusoids, drawn),
        ("a random table, no matrix", _normal(rng, length, width), [eye, eye]),
        ("sinusoids, one matrix that turns and one random", sinusoids, [turns[0], drawn[0]]),
    ):
        ask = common.ask_for("verdict", table, matrices)
        yield Case(f"{words}: the verdict", ask)
    for ratio in (0.007, 0.02):
        matrix = _with_ratio(rng, ratio)
        ask = common.ask_for("verdict", torch.eye(len(matrix)).double(), [matrix, matrix])
        yield Case(f"the unit matrix as table, a ratio of {ratio}: the verdict", ask)


def _with_ratio(rng: Random, ratio: float) -> Tensor:
    """A (12, 12) matrix of which the spread along its diagonals is `ratio` of that overall."""
    length = 12
    places = torch.arange(length)
    offset = places[None, :] - places[:, None]
    level = torch.cat(
        [torch.full((length - 1,), -1.0), torch.tensor([0.0]), torch.ones(length - 1)]
    )
    base = level.double()[offset + length - 1]  # the same all along a diagonal, mean 0
    noise = _normal(rng, length, length)
    for k in range(1 - length, length):
        noise.diagonal(k).sub_(noise.diagonal(k).mean())
        if abs(k) < length - 1:  # every diagonal alike, but for the corners, of one entry
            noise.diagonal(k).div_(noise.diagonal(k).std(correction=0))
    return base + noise * (ratio / math.sqrt(1 - ratio**2) * base.norm() / noise.norm())


offsets = Exercise(
    "offsets",
    _offsets,
    (
        Part("the spread along the diagonals", 0.5, _spreads),
        Part("the verdict, whatever was measured", 0.5, _offset_verdicts),
    ),
    forbidden=(along_and_overall,),
)


@offsets.mistake(
    "The matrices change nothing in your result: these are the products of the bare rows."
)
def offsets_without_the_matrix(table, matrices):
    ratio = []
    for _ in matrices:
        s = table @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake("This is the spread along the rows. The pairs of one offset stand on a diagonal.")
def offsets_along_the_rows(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        along = ((s - s.mean(1, keepdim=True)) ** 2).sum()
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "Your diagonals run from the lower left to the upper right. There i + j is the same, not j − i."
)
def offsets_along_the_other_diagonals(table, matrices):
    ratio = []
    for matrix in matrices:
        s = (table @ matrix @ table.T).flip(1)
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "You look at one offset only. Go over all diagonals, from 1 − T to T − 1.",
    loses="the spread along the diagonals",
)
def offsets_on_one_diagonal(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        ratio.append(float(s.diagonal(1).std(correction=0) / s.std(correction=0)))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "Your diagonals begin with offset 0. With a matrix in between, those to the left are not "
    "the same.",
    loses="the spread along the diagonals",
)
def offsets_to_the_right_only(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "You have not divided by the spread of the whole matrix, so larger numbers look more "
    "spread out."
)
def offsets_not_relative(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        ratio.append(float(sum(((line - line.mean()) ** 2).sum() for line in lines) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake("These are ratios of squares. Take the root.")
def offsets_without_the_root(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float(along / ((s - s.mean()) ** 2).sum()))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "Below the line you sum the squares of the numbers themselves. Their mean belongs "
    "subtracted first.",
    loses="the spread along the diagonals",
)
def offsets_without_the_means(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / (s**2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "You take the mean over diagonals, so the corner with its single pair weighs as much as "
    "the longest. Sum over pairs.",
    loses="the spread along the diagonals",
)
def offsets_each_diagonal_alike(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = torch.stack([line.var(correction=0) for line in lines]).mean()
        ratio.append(float((along / s.var(correction=0)) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "Your verdict is on the opposite claim. This one says that the spread is at most 0.01.",
    loses="the verdict, whatever was measured",
)
def offsets_upside_down(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, low=0.01)}


@offsets.mistake(
    "Your verdict rests on the first matrix alone. Another may say something else.",
    loses="the verdict, whatever was measured",
)
def offsets_settled_by_one_matrix(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio[:1], high=0.01)}


@offsets.mistake(
    "Your verdict is the same whatever was measured. Some matrices keep offsets: let it "
    "follow from the ratios.",
    loses="the verdict, whatever was measured",
)
def offsets_by_heart(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": "does not hold"}
