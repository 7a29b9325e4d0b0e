"""Unit 10, right positions and angles of pictures written differently."""

from __future__ import annotations

import torch


def positions_in_loops(mask, cached=0):
    found = []
    for row in mask.tolist():
        count, places = 0, []
        for real in row:
            places.append(count if real else 0)
            count += real
        found.append(places[cached:])
    return torch.tensor(found)


def positions_from_the_cache(mask, cached=0):
    before, new = mask[:, :cached], mask[:, cached:]
    counted = before.sum(1, keepdim=True) + new.cumsum(1) - 1
    return counted * new


def positions_by_halves(mask, cached=0):
    """As scans do: twice as far at each step."""
    counted, step = mask.long(), 1
    while step < mask.shape[1]:
        counted = torch.cat([counted[:, :step], counted[:, step:] + counted[:, :-step]], 1)
        step *= 2
    return ((counted - 1) * mask)[:, cached:]


def positions_filled_in(mask, cached=0):
    counted = (mask.long().cumsum(-1) - 1).masked_fill(~mask, 0)
    return counted[:, cached - mask.shape[1] :]


def positions_of_the_real_ones(mask, cached=0):
    found = torch.zeros(mask.shape, dtype=torch.int64)
    for row, places in zip(mask, found, strict=True):
        places[row] = torch.arange(int(row.sum()))
    return found[:, cached:].clone()


def angles2d_in_loops(rows, columns, d_head, base=10_000.0):
    pairs = d_head // 4
    theta = [base ** (-m / pairs) for m in range(pairs)]
    lines = [
        [place * each for place in (row, column) for each in theta]
        for row in range(rows)
        for column in range(columns)
    ]
    return torch.tensor(lines)


def angles2d_by_remainders(rows, columns, d_head, base=10_000.0):
    theta = base ** (-2 * torch.arange(d_head // 4).double() / (d_head // 2))
    patch = torch.arange(rows * columns)
    return torch.cat([torch.outer(patch // columns, theta), torch.outer(patch % columns, theta)], 1)


def angles2d_on_a_grid(rows, columns, d_head, base=10_000.0):
    row, column = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    theta = base ** -(torch.arange(0, d_head, 4) / d_head)
    angles = torch.stack([row, column], -1)[..., None] * theta  # (R, C, 2, M)
    return angles.flatten(2).flatten(0, 1)


def angles2d_by_products(rows, columns, d_head, base=10_000.0):
    places = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).float()
    theta = base ** (-torch.arange(d_head // 4) * 4 / d_head)
    return torch.einsum("pa,m->pam", places, theta).reshape(rows * columns, d_head // 2)


POSITIONS = (
    positions_in_loops,
    positions_from_the_cache,
    positions_by_halves,
    positions_filled_in,
    positions_of_the_real_ones,
)
ANGLES2D = (angles2d_in_loops, angles2d_by_remainders, angles2d_on_a_grid, angles2d_by_products)
