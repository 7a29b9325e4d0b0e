"""Unit 02: what people write instead of the shift matrix and of the similarity by offset."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def shift_rotates_backwards(k, d_model, base=10_000.0):
    w = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*[torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in w])


def shift_one_frequency_for_all(k, d_model, base=10_000.0):
    a = torch.tensor(float(k))
    block = torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]])
    return torch.block_diag(*[block] * (d_model // 2))


def shift_for_concatenated_halves(k, d_model, base=10_000.0):
    w = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = torch.diag(w.cos()), torch.diag(w.sin())
    return torch.cat([torch.cat([c, s], 1), torch.cat([-s, c], 1)])


def shift_of_the_distance_only(k, d_model, base=10_000.0):
    w = abs(k) * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in w])


def shift_base_forgotten(k, d_model, base=10_000.0):
    w = k * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in w])


_ALL_SHIFT = ("forwards", "backwards", "any other base")
SHIFT = (
    Mistake(
        shift_rotates_backwards,
        "This is M₋ₖ: it moves a row back by k. Check the signs against sin(a + b) = "
        "sin a·cos b + cos a·sin b, with the sine in the first row of each block.",
        _ALL_SHIFT,
    ),
    Mistake(
        shift_one_frequency_for_all,
        "All your blocks turn by the same angle. Pair i turns by k·ω_i.",
        _ALL_SHIFT,
    ),
    Mistake(
        shift_for_concatenated_halves,
        "This matrix is right for a table with all sines first. Here a sine and its cosine are "
        "neighbours, so the rotations are 2×2 blocks along the diagonal.",
        _ALL_SHIFT,
    ),
    Mistake(
        shift_of_the_distance_only,
        "Your matrix is the same for k and −k. Turning back is turning by a negative angle.",
        ("backwards",),
    ),
    Mistake(
        shift_base_forgotten,
        "The argument base changes nothing in your matrix: a 10,000 is still written out.",
        ("any other base",),
    ),
)


def similarity_sums(table):
    products = table @ table.T
    sums = torch.stack([products.diagonal(k).sum() for k in range(len(table))])
    return sums / sums[0]


def similarity_of_the_first_row(table):
    return table @ table[0] / (table[0] @ table[0])


def similarity_not_divided(table):
    products = table @ table.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


def similarity_wraps_around(table):
    means = torch.stack([(table * table.roll(-k, 0)).sum(1).mean() for k in range(len(table))])
    return means / means[0]


def similarity_of_directions(table):
    rows = table / table.norm(dim=1, keepdim=True)
    products = rows @ rows.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


_ALL_SIMILARITY: tuple[str, ...] = ("a sinusoidal table", "any other table")
SIMILARITY = (
    Mistake(
        similarity_sums,
        "You add up the products. There are T − k pairs at offset k, so a sum falls with k "
        "whatever the table holds; take the mean.",
        _ALL_SIMILARITY,
    ),
    Mistake(
        similarity_of_the_first_row,
        "You compare row 0 with the others. For sinusoids any row would do, for other tables the "
        "mean over all rows is asked.",
        ("any other table",),
    ),
    Mistake(
        similarity_not_divided,
        "Entry 0 should be 1: divide by the mean product of a row with itself.",
        _ALL_SIMILARITY,
    ),
    Mistake(
        similarity_wraps_around,
        "roll carries the last rows back to the top, so row T−1 is compared with row 0. Use only "
        "the pairs p, p+k that both exist.",
        _ALL_SIMILARITY,
    ),
    Mistake(
        similarity_of_directions,
        "You divide each row by its own length first. That is the mean cosine; asked is the mean "
        "product, divided once by its value at offset 0.",
        ("any other table",),
    ),
)
