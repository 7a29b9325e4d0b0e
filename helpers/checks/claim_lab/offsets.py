"""Unit 09, “Offsets, and nothing else?”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part
from helpers.claims import claim
from helpers.claims.order import along_and_overall
from helpers.encodings import shift_matrix, sinusoidal_table


def _offsets(table: Tensor, matrices: list[Tensor]) -> dict[str, Any]:
    """Return the spread of P·W·Pᵀ along its diagonals over that overall, for each W."""
    ratio = [along_and_overall(table @ matrix @ table.T) for matrix in matrices]
    return {"ratio": torch.tensor(ratio), "verdict": claim.settle(ratio, high=0.01)}


def _spreads(rng: Random) -> Iterator[Case]:
    """Ask about sinusoids, and random rows: more than columns, fewer, as many, two alone."""
    sinusoids = sinusoidal_table(rng.randint(9, 14), 6)
    yield _ratios("sinusoids", sinusoids, _matrices(rng, 6, 3))
    for length, width in ((rng.randint(8, 10), 5), (rng.randint(4, 6), 9), (7, 7), (2, 3)):
        table = common.normal(rng, length, width) + rng.uniform(1, 2)
        yield _ratios("random numbers", table, _matrices(rng, width, rng.randint(2, 5)))
    zeros = torch.diag(torch.tensor([rng.uniform(1, 2), 0, rng.uniform(2, 3)], dtype=torch.float64))
    eye = torch.eye(3, dtype=torch.float64)  # so that most of the products are 0
    yield _ratios("an identity", eye, [zeros, zeros + zeros.flip(0, 1), zeros])


def _matrices(rng: Random, width: int, count: int) -> list[Tensor]:
    """Draw random matrices, some of small and some of large numbers."""
    sizes = [10 ** rng.uniform(-3, 3) for _ in range(count)]
    return [size * common.normal(rng, width, width) for size in sizes]


def _ratios(words: str, table: Tensor, matrices: list[Tensor]) -> Case:
    label = f"{len(table)} rows of {table.shape[1]} {words}, {len(matrices)} matrices: the ratios"
    return Case(label, common.ask_for("ratio", table, matrices))


def _verdicts(rng: Random) -> Iterator[Case]:
    drawn = [*_of_sinusoids(rng), *_of_ratios(rng)]
    questions = [(words, (table, matrices)) for words, table, matrices in drawn]
    yield from common.verdict_cases(_offsets, questions, _follows)


def _follows(said: dict[str, Any], _given: common.Given) -> str:
    ratio = common.listed(said.get("ratio"))
    return claim.settle(ratio, high=0.01) if ratio else ""


def _of_sinusoids(rng: Random) -> Iterator[tuple[str, Tensor, list[Tensor]]]:
    table, eye = sinusoidal_table(rng.randint(20, 30), 8), torch.eye(8, dtype=torch.float64)
    turn, drawn = shift_matrix(rng.randint(1, 9), 8), common.normal(rng, 8, 8)
    yield "sinusoids, no matrix between them", table, [eye, eye]
    yield "sinusoids, one matrix that turns and one random", table, [turn, drawn]
    yield "sinusoids, random matrices", table, [drawn, common.normal(rng, 8, 8)]


def _of_ratios(rng: Random) -> Iterator[tuple[str, Tensor, list[Tensor]]]:
    """Make matrices that give these ratios."""
    ratios = [
        ("ratios far from each other", [0.001, 0.95]),
        ("ratios near 0, one farther off", [2e-4, 5e-3, 3e-4, 4e-4]),
        ("the smaller ratio last", [0.0101, 0.0098]),
        *common.near(rng, 0.01, rng.uniform(0.001, 0.0015), rng.randint(3, 5)),
    ]
    for words, each in ratios:
        table = common.normal(rng, rng.randint(8, 12), 12)  # of more columns: any P·W·Pᵀ is there
        back = torch.linalg.pinv(table)
        yield words, table, [back @ _with_ratio(rng, len(table), r) @ back.T for r in each]


def _with_ratio(rng: Random, length: int, ratio: float) -> Tensor:
    """Draw a square matrix of which the spread along its diagonals is `ratio` of that overall."""
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
    (
        Part("the spread along the diagonals", 0.5, _spreads),
        Part("the verdict, whatever was measured", 0.5, _verdicts),
    ),
    forbidden=(along_and_overall,),
    explains=(
        "With this you can judge claim 11",
        "It returns a dict:",
        "You may use `decide`",
    ),
    generic={"The table and the matrices stay as they are": IN_PLACE},
    module=__name__,
)
