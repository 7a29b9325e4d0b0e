"""Unit 10, right answers written differently: each is named after its exercise."""

import math

import numpy as np
import torch


def turns_by_logarithms(d_head, length, base=10_000.0):
    pair = torch.arange(d_head // 2, dtype=torch.float64)
    logs = math.log(length / math.tau) - 2 * pair / d_head * math.log(base)
    return logs.exp(), logs.ge(0)


def turns_through_numpy(d_head, length, base=10_000.0):
    found = length * float(base) ** (-np.arange(0, d_head, 2) / d_head) / np.pi / 2
    return [torch.from_numpy(found), torch.from_numpy(found >= 1)]


def longer_base_by_logarithms(base, factor, d_head):
    pairs = d_head // 2
    if pairs < 2 or d_head != 2 * pairs:
        raise ValueError(f"refused: {d_head}")
    return math.exp(math.log(base) + math.log(factor) * pairs / (pairs - 1))


def longer_base_with_a_class_of_errors(base, factor, d_head):
    class WidthError(ValueError):
        pass

    if d_head not in range(4, d_head + 1, 2):
        raise WidthError(f"width {d_head}")
    return base * np.power(float(factor), 1 + 2 / (d_head - 2))


def ramp_with_lerp(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    theta = base ** -torch.linspace(0, 1, d_head // 2 + 1, dtype=torch.float64)[:-1]
    waves = 2 * math.pi / theta
    kept = torch.clip((trained / waves - low) / (high - low), min=0, max=1)
    return torch.lerp(theta / factor, theta, kept), 0.1 * math.log(factor) + 1


def ramp_by_a_divisor(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    theta = np.exp(-np.log(base) * np.arange(0, d_head, 2) / d_head)
    kept = np.interp(trained * theta / (2 * np.pi), [low, high], [0.0, 1.0])
    slower = theta * (kept + (1 - kept) / factor)
    return [torch.from_numpy(slower), 0.1 * np.log(factor) + 1]


def positions_from_the_cache(mask, cached=0):
    before, new = mask[:, :cached], mask[:, cached:]
    counted = before.sum(1, keepdim=True) + new.cumsum(1) - 1
    return counted * new


def positions_of_the_real_ones(mask, cached=0):
    found = torch.zeros(mask.shape, dtype=torch.int64)
    for row, places in zip(mask, found, strict=True):
        places[row] = torch.arange(int(row.sum()))
    return found[:, cached:].clone()


def angles2d_by_remainders(rows, columns, d_head, base=10_000.0):
    theta = base ** (-2 * torch.arange(d_head // 4).double() / (d_head // 2))
    patch = torch.arange(rows * columns)
    return torch.cat([torch.outer(patch // columns, theta), torch.outer(patch % columns, theta)], 1)


def angles2d_by_products(rows, columns, d_head, base=10_000.0):
    places = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).float()
    theta = base ** (-torch.arange(d_head // 4) * 4 / d_head)
    return torch.einsum("pa,m->pam", places, theta).reshape(rows * columns, d_head // 2)
