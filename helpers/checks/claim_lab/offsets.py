"""Unit 09, “Offsets, and nothing else?”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part, changed
from helpers.checks.engine.faults import IN_PLACE
from helpers.claims import claim, settle
from helpers.claims.order import along_and_overall
from helpers.encodings import shift_matrix, sinusoidal_table

RATIO, VERDICT = "the spread along the diagonals", "the verdict, whatever was measured"


def _offsets(table: Tensor, matrices: list[Tensor]) -> dict[str, Any]:
    """Spread of P·W·Pᵀ along its diagonals over that overall, for each W; do offsets say it all?"""
    ratio = [along_and_overall(table @ matrix @ table.T) for matrix in matrices]
    return {"ratio": torch.tensor(ratio), "verdict": claim.settle(ratio, high=0.01)}


def _spreads(rng: Random) -> Iterator[Case]:
    """Sinusoids, and random rows: more than columns, fewer, as many, two alone, a long text."""
    for length, width in ((rng.randint(9, 14), 6), (rng.randint(15, 20), 8)):
        yield _ratios("sinusoids", sinusoidal_table(length, width), _matrices(rng, width, 3))
    many, few, same = (rng.randint(8, 10), 5), (rng.randint(4, 6), rng.randint(8, 10)), (7, 7)
    for length, width in (many, few, same, (2, 3), (rng.randint(140, 150), 3)):
        matrices = _matrices(rng, width, rng.randint(2, 5))
        for sign in (-1, 1):  # the same matrices with two tables
            table = common.normal(rng, length, width) + sign * rng.uniform(1, 2)
            yield _ratios("random numbers", table, matrices)
    again = _matrices(rng, 3, 2)  # each W has a ratio of its own in the list, equal ones too
    again.insert(rng.randrange(3), again[rng.randrange(2)].clone())
    yield _ratios("random numbers", common.normal(rng, rng.randint(5, 8), 3), again, "two alike")
    again = [again[0], again[1], again[0]]  # and those of one object
    yield _ratios("random numbers", common.normal(rng, rng.randint(5, 8), 3), again, "one twice")
    zeros = torch.diag(torch.tensor([rng.uniform(1, 2), 0, rng.uniform(2, 3)], dtype=torch.float64))
    eye = torch.eye(3, dtype=torch.float64)  # so that most of the products are 0
    yield _ratios("an identity", eye, [zeros, 2 * zeros + zeros.flip(0, 1)], "most entries 0")
    more = _matrices(rng, 3, rng.randint(12, 15))
    yield _ratios("random numbers", common.normal(rng, rng.randint(5, 8), 3), more)


def _matrices(rng: Random, width: int, count: int) -> list[Tensor]:
    """Random matrices, some of small and some of large numbers."""
    sizes = [10 ** rng.uniform(-3, 3) for _ in range(count)]
    return [size * common.normal(rng, width, width) for size in sizes]


def _ratios(words: str, table: Tensor, matrices: list[Tensor], which: str = "") -> Case:
    length, width = table.shape
    of = f"random matrices, {which}" if which else "random matrices"
    label = f"{length} rows of {width} {words}, {len(matrices)} {of}: the ratios"
    return Case(label, common.ask_for("ratio", table, matrices))


def _offset_verdicts(rng: Random) -> Iterator[Case]:
    found = [*_of_sinusoids(rng), *_of_ratios(rng)]
    right = [str(_offsets(table, list(each))["verdict"]) for _, table, each in found]
    yield from common.verdict_cases(
        [
            common.Question(words, (table, list(each)), verdict)
            for (words, table, each), verdict in zip(found, right, strict=True)
        ],
        lambda said, _: _follows(said),
    )


def _follows(said: dict[str, Any]) -> str:
    ratio = common.listed(said.get("ratio"))
    return claim.settle(ratio, high=0.01) if ratio else ""


def _of_sinusoids(rng: Random) -> Iterator[tuple[str, Tensor, Sequence[Tensor]]]:
    length, width = rng.randint(20, 30), 8
    sinusoids, eye = sinusoidal_table(length, width), torch.eye(width, dtype=torch.float64)
    turns = [shift_matrix(rng.randint(1, 9), width) for _ in range(3)]
    drawn = [common.normal(rng, width, width) for _ in range(3)]
    yield "sinusoids, no matrix between them", sinusoids, [eye, eye]
    yield "sinusoids, matrices that turn them", sinusoids, turns
    yield "sinusoids, random matrices", sinusoids, drawn
    yield "a random table, no matrix", common.normal(rng, length, width), [eye, eye]
    yield "sinusoids, one matrix that turns and one random", sinusoids, [turns[0], drawn[0]]


def _of_ratios(rng: Random) -> Iterator[tuple[str, Tensor, Sequence[Tensor]]]:
    """Matrices that give these ratios."""
    ratios = [(f"ratios of {each}", [each, each]) for each in (0.007, 0.0098, 0.0102, 0.02)]
    for count in (rng.randint(2, 3), rng.randint(4, 6)):
        ratios += common.near(rng, 0.01, rng.uniform(0.001, 0.0015), count)
    ratios.append(("ratios far from each other", [0.001, 0.95]))
    ratios.append(("ratios near 0, one farther off", [2e-4, 5e-3, 3e-4, 4e-4]))
    ratios.append(("five equal ratios and another", [5e-3] * 5 + [9e-3]))
    for words, each in ratios:
        table = common.normal(rng, rng.randint(8, 12), 12)  # of more columns: any P·W·Pᵀ is there
        back = torch.linalg.pinv(table)
        made = {r: back @ _with_ratio(rng, len(table), r) @ back.T for r in each}
        yield words, table, [made[r] for r in each]


def _with_ratio(rng: Random, length: int, ratio: float) -> Tensor:
    """A square matrix of which the spread along its diagonals is `ratio` of that overall."""
    places = torch.arange(length)
    offset = places[None, :] - places[:, None]
    base = offset.sign().double()  # the same all along a diagonal, mean 0
    noise = common.normal(rng, length, length)
    for k in range(1 - length, length):
        noise.diagonal(k).sub_(noise.diagonal(k).mean())
        if abs(k) < length - 1:  # every diagonal alike, but for the corners, of one entry
            noise.diagonal(k).div_(noise.diagonal(k).std(correction=0))
    spread = ratio / math.sqrt(1 - ratio**2) * base.norm() / noise.norm()
    return base + noise * spread + rng.uniform(-3, 3)


offsets = Exercise(
    "offsets",
    _offsets,
    (Part(RATIO, 0.5, _spreads), Part(VERDICT, 0.5, _offset_verdicts)),
    forbidden=(along_and_overall,),
    explains=(
        "With this you can judge claim 11",
        "Write `offset_verdict`.",
        "It returns a dict:",
        "You may use `decide`",
    ),
    generic={
        "The table and the matrices stay as they are": IN_PLACE,
    },
)


def offsets_by_diagonals(table, matrices):
    """Diagonal by diagonal, which the mistakes change."""
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        ratio.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "The matrices have no effect on your result: these are the products of the rows alone.",
    loses=RATIO,
    breaks="a list of at least two matrices $W$",
)
@changed(offsets_by_diagonals, "table @ matrix @ table.T", "table @ table.T")
def offsets_without_the_matrix(): ...


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
@changed(offsets_by_diagonals, "table @ matrix @ table.T", "(table @ matrix @ table.T).flip(1)")
def offsets_along_the_other_diagonals(): ...


@offsets.mistake(
    "You look at one offset only. Go over all diagonals, from 1 − T to T − 1.",
    loses=RATIO,
)
def offsets_on_one_diagonal(table, matrices):
    ratio = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        ratio.append(float(s.diagonal(1).std(correction=0) / s.std(correction=0)))
    return {"ratio": torch.tensor(ratio), "verdict": settle(ratio, high=0.01)}


@offsets.mistake(
    "Your diagonals begin with offset 0. With a matrix in between, negative offsets differ from "
    "positive ones: go over both.",
    loses=RATIO,
)
@changed(offsets_by_diagonals, "range(1 - len(s), len(s))", "range(len(s))")
def offsets_to_the_right_only(): ...


@offsets.mistake(
    "You count the diagonals by the columns of the table. S has as many rows as the table: count "
    "by those.",
    loses=RATIO,
    breaks="a table $P$ of shape $(T, D)$",
)
@changed(
    offsets_by_diagonals, "range(1 - len(s), len(s))", "range(1 - table.shape[1], table.shape[1])"
)
def offsets_as_many_as_columns(): ...


@offsets.mistake(
    "You have not divided by the spread of the whole matrix. Without that, larger numbers give a "
    "larger ratio.",
    loses=RATIO,
)
@changed(offsets_by_diagonals, "(along / ((s - s.mean()) ** 2).sum())", "along")
def offsets_not_relative(): ...


@offsets.mistake("These are ratios of squares. Take the root.", loses=RATIO)
@changed(
    offsets_by_diagonals, "((s - s.mean()) ** 2).sum()) ** 0.5", "((s - s.mean()) ** 2).sum())"
)
def offsets_without_the_root(): ...


@offsets.mistake(
    "Your denominator sums the squares of the numbers themselves. Subtract their mean first.",
    loses=RATIO,
)
@changed(offsets_by_diagonals, "((s - s.mean()) ** 2).sum()) ** 0.5", "(s**2).sum()) ** 0.5")
def offsets_without_the_means(): ...


@offsets.mistake(
    "You average over diagonals, so a corner with a single pair weighs as much as the longest "
    "diagonal. Sum over pairs.",
    loses=RATIO,
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
    "You leave out products that are 0. A product may be 0, and counts like any other.",
    loses=RATIO,
    breaks="the products depend on the offset alone",
)
@changed(
    offsets_by_diagonals,
    "lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]",
    "lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]\n"
    "        lines = [line[line != 0] for line in lines]",
)
def offsets_of_what_is_not_zero(): ...
