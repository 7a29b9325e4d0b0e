"""Unit 02, “Similarity by offset”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Generator

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.sinusoidal import common


def _of_sinusoids(rng: Random) -> Iterator[Case]:
    rows = encodings.sinusoidal_table(common.random_length(rng), common.even_width(rng))
    yield Case("a sinusoidal table", lambda answer: answer(rows.clone()))


def _of_any(rng: Random) -> Iterator[Case]:
    draw = Generator().manual_seed(rng.randrange(2**31))
    rows = (
        torch.randn(
            common.random_length(rng), common.even_width(rng), generator=draw, dtype=torch.float64
        )
        + 0.7
    )
    rows[1::2] *= -1  # so that neighbours are unlike
    yield Case("a table of random numbers", lambda answer: answer(rows.clone()))
    uneven = torch.tensor([[3.0, 0], [rng.random() / 9, 0], [3, 0]], dtype=torch.float64)
    yield Case("a table whose rows 0 and 2 are long", lambda answer: answer(uneven.clone()))


similarity = Exercise(
    "similarity",
    encodings.offset_profile,
    (
        Part("a sinusoidal table", 1, _of_sinusoids),
        Part("any other table", 1, _of_any),
    ),
)


@similarity.mistake(
    "You add up the products. There are T − k pairs at offset k, so a sum falls with k "
    "whatever the table holds; take the mean."
)
def similarity_sums(table):
    products = table @ table.T
    sums = torch.stack([products.diagonal(k).sum() for k in range(len(table))])
    return sums / sums[0]


@similarity.mistake(
    "You compare row 0 with the others. For sinusoids any row would do, for other tables the "
    "mean over all rows is asked.",
    loses="any other table",
)
def similarity_of_the_first_row(table):
    return table @ table[0] / (table[0] @ table[0])


@similarity.mistake("Entry 0 should be 1: divide by the mean product of a row with itself.")
def similarity_not_divided(table):
    products = table @ table.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


@similarity.mistake(
    "roll carries the last rows back to the top, so row T−1 is compared with row 0. Use only "
    "the pairs p, p+k that both exist."
)
def similarity_wraps_around(table):
    means = torch.stack([(table * table.roll(-k, 0)).sum(1).mean() for k in range(len(table))])
    return means / means[0]


@similarity.mistake(
    "You divide each row by its own length first. That is the mean cosine; asked is the mean "
    "product, divided once by its value at offset 0.",
    loses="any other table",
)
def similarity_of_directions(table):
    rows = table / table.norm(dim=1, keepdim=True)
    products = rows @ rows.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])
