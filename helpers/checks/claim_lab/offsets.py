"""Unit 09, “Offsets, and nothing else?”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.claim_lab import common
from helpers.checks.engine import Case, Exercise, Part
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
    module=__name__,
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
