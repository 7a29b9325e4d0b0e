"""Unit 06, right answers written differently: loops, NumPy, SVD, einsum, the dual problem."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.checks.variants.stacking_structure import STRUCTURE


def residual_by_loops(x):
    found = []
    for sequence in x:
        mean = sum(sequence) / len(sequence)
        above = sum(v**2 for row in sequence for v in row - mean)
        below = sum(v**2 for row in sequence for v in row)
        found.append((above / below) ** 0.5)
    return torch.stack(found)


def residual_of_unit_length(x):
    unit = x / x.norm(dim=(1, 2), keepdim=True)  # r does not depend on the length of X
    return torch.stack([(one - one.mean(0)).norm() for one in unit])


def residual_by_a_projection(x):
    length = x.shape[1]
    centre = torch.eye(length, dtype=x.dtype) - 1 / length
    rest = torch.einsum("ts,bsd->btd", centre, x)
    return (rest**2).sum((-1, -2)).sqrt() / (x**2).sum((-1, -2)).sqrt()


def residual_by_least_squares(x):
    ones = torch.ones(len(x), x.shape[1], 1, dtype=x.dtype)
    row = torch.linalg.lstsq(ones, x).solution
    return (x - ones @ row).flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


def residual_by_singular_values(x):
    rest = x - x.mean(dim=-2, keepdim=True)
    return torch.linalg.svdvals(rest).norm(dim=-1) / torch.linalg.svdvals(x).norm(dim=-1)


def residual_by_the_deviation(x):
    spread = x.var(dim=1, correction=0).sum(-1)
    return (spread / x.square().mean(1).sum(-1)).sqrt()


def cost_by_products(length, d_model, num_heads):
    d = d_model // num_heads
    return {
        "projections": 3 * num_heads * (length * d_model * d) + length * d_model * d_model,
        "pairs": sum(length * d * length + length * length * d for _ in range(num_heads)),
        "mlp": length * d_model * (4 * d_model) + length * (4 * d_model) * d_model,
    }


def cost_as_floats(length, d_model, num_heads):
    token = float(d_model) ** 2 * length
    return {"pairs": 2.0 * d_model * length**2, "mlp": 8 * token, "projections": 4 * token}


def cost_from_shapes(length, d_model, num_heads):
    def product(*shape):
        return math.prod(shape)

    head = d_model / num_heads
    return {
        "projections": 4 * product(length, d_model, d_model),
        "pairs": 2 * product(num_heads, length, length, head),
        "mlp": 2 * product(length, d_model, 4 * d_model),
    }


def cost_in_numpy(length, d_model, num_heads):
    sizes = np.array([4 * length * d_model, 2 * length**2, 8 * length * d_model]) * d_model
    return dict(zip(["projections", "pairs", "mlp"], sizes.tolist(), strict=True))


def cost_from_parameters(length, d_model, num_heads):
    def count(*layers):
        return sum(layer.weight.numel() for layer in layers)

    with torch.device("meta"):  # shapes only
        square = torch.nn.Linear(d_model, d_model, bias=False)
        up = torch.nn.Linear(d_model, 4 * d_model)
        down = torch.nn.Linear(4 * d_model, d_model)
        scores = torch.ones(num_heads, length, length).numel()
    return {
        "projections": length * count(square, square, square, square),
        "pairs": 2 * scores * d_model // num_heads,
        "mlp": length * count(up, down),
    }


def probe_in_numpy(train, test, ridge=1e-3):
    def rows(states):
        n, t, d = states.shape
        return np.c_[np.asarray(states).reshape(n * t, d), np.ones(n * t)], np.tile(np.arange(t), n)

    z, p = rows(train)
    w = np.linalg.inv(z.T @ z + ridge * np.eye(z.shape[1])) @ z.T @ p
    z, p = rows(test)
    return np.mean(np.abs(z @ w - p))


def probe_by_more_rows(train, test, ridge=1e-3):
    z = F.pad(train, (0, 1), value=1.0).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    held = ridge**0.5 * torch.eye(z.shape[1], dtype=z.dtype)
    longer, targets = torch.cat([z, held]), torch.cat([p, torch.zeros(len(held)).to(p)])
    w = torch.linalg.lstsq(longer, targets[:, None]).solution[:, 0]
    errors = F.pad(test, (0, 1), value=1.0) @ w - torch.arange(test.shape[1])
    return errors.abs().mean()


def probe_by_loops(train, test, ridge=1e-3):
    width = train.shape[2] + 1
    a, b = ridge * torch.eye(width, dtype=torch.float64), torch.zeros(width, dtype=torch.float64)
    for sequence in train:
        for position, state in enumerate(sequence):
            z = torch.cat([state.double(), torch.ones(1).double()])
            a, b = a + torch.outer(z, z), b + position * z
    w = torch.linalg.solve(a, b)
    errors = [
        abs(float(state.double() @ w[:-1] + w[-1]) - position)
        for sequence in test
        for position, state in enumerate(sequence)
    ]
    return sum(errors) / len(errors)


def probe_by_einsum(train, test, ridge=1e-3):
    z = torch.cat([torch.ones_like(train[..., :1]), train], -1)
    p = torch.arange(train.shape[1], dtype=z.dtype)
    gram = torch.einsum("ntd,nte->de", z, z) + torch.diag(torch.full((z.shape[2],), ridge))
    w = torch.cholesky_solve(
        torch.einsum("ntd,t->d", z, p)[:, None], torch.linalg.cholesky(gram.to(z.dtype))
    )[:, 0]
    found = w[0] + torch.einsum("ntd,d->nt", test, w[1:])
    return torch.nn.functional.l1_loss(found, torch.arange(test.shape[1]).to(z).expand_as(found))


def probe_by_the_dual(train, test, ridge=1e-3):
    def rows(states):
        z = states.reshape(-1, states.shape[-1])
        return torch.hstack([z, torch.ones(len(z), 1, dtype=z.dtype)])

    z, y = rows(train), rows(test)
    p = torch.cat([torch.arange(train.shape[1])] * len(train)).to(z)
    kernel = z @ z.T + ridge * torch.eye(len(z), dtype=z.dtype)
    found = y @ z.T @ torch.linalg.solve(kernel, p)
    return (found - torch.cat([torch.arange(test.shape[1])] * len(test))).abs().mean().item()


VARIANTS = {
    "residual": (
        residual_by_loops,
        residual_of_unit_length,
        residual_by_a_projection,
        residual_by_least_squares,
        residual_by_singular_values,
        residual_by_the_deviation,
    ),
    "cost": (
        cost_by_products,
        cost_as_floats,
        cost_from_shapes,
        cost_in_numpy,
        cost_from_parameters,
    ),
    "probe": (
        probe_in_numpy,
        probe_by_more_rows,
        probe_by_loops,
        probe_by_einsum,
        probe_by_the_dual,
    ),
    **STRUCTURE,
}
