"""Unit 03, right answers for the MLP of the index and for Fourier features."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from helpers.encodings.absolute import Additive


class _Mlp(Additive):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        hidden = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, d_model))
        self.norm = nn.LayerNorm(d_model)


class mlp_by_unsqueeze(_Mlp):
    def vectors(self, positions):
        return self.norm(self.mlp(positions.unsqueeze(-1).to(self.norm.weight).div(self.max_len)))


class mlp_layer_by_layer(_Mlp):
    def vectors(self, positions):
        first, _, last = self.mlp
        index = positions.type_as(first.weight) / self.max_len
        hidden = F.gelu(index[..., None] * first.weight[:, 0] + first.bias)
        vectors = F.linear(hidden, last.weight, last.bias)
        return F.layer_norm(vectors, (self.d_model,), self.norm.weight, self.norm.bias)


class mlp_flattened(_Mlp):
    def vectors(self, positions):
        column = positions.reshape(-1, 1) / self.max_len
        return self.norm(self.mlp(column.to(self.mlp[0].weight))).reshape(*positions.shape, -1)


class mlp_one_by_one(_Mlp):
    def vectors(self, positions):
        dtype = next(self.parameters()).dtype
        index = [
            torch.tensor([p / self.max_len], dtype=dtype) for p in positions.flatten().tolist()
        ]
        return self.norm(torch.stack([*map(self.mlp, index)]).view(*positions.shape, self.d_model))


class mlp_of_a_table(_Mlp):
    def vectors(self, positions):
        every = torch.arange(positions.max() + 1, dtype=self.norm.bias.dtype)[:, None]
        return self.norm(self.mlp(every / self.max_len))[positions]


class _Fourier(Additive):
    def __init__(self, d_model, num_heads=1, max_len=512, gamma=1.0, num_features=64):
        super().__init__(d_model, num_heads, max_len)
        self.mlp = nn.Sequential(
            nn.Linear(num_features, d_model), nn.GELU(), nn.Linear(d_model, d_model)
        )
        self.frequencies = nn.Parameter(torch.randn(num_features // 2) * gamma**-1)

    def vectors(self, positions):
        return self.mlp(self.features(positions))


class fourier_by_einsum(_Fourier):
    def features(self, positions):
        angles = torch.einsum("...,f->...f", positions.to(self.frequencies), self.frequencies)
        return torch.cat((torch.cos(angles), torch.sin(angles)), dim=-1) * self.scale_of(angles)

    def scale_of(self, angles):
        return (2 * angles.size(-1)) ** -0.5


class fourier_by_complex_numbers(_Fourier):
    def features(self, positions):
        turned = torch.exp(1j * positions.unsqueeze(-1) * self.frequencies)
        return torch.cat([turned.real, turned.imag], -1) / (2 * len(self.frequencies)) ** 0.5


class fourier_by_matmul(_Fourier):
    def features(self, positions):
        column = positions.reshape(*positions.shape, 1).to(self.frequencies)
        angles = column @ self.frequencies[None]
        half = np.pi / 2
        both = torch.cat([angles + half, angles], -1).sin()  # cos a = sin(a + π/2)
        return both / np.sqrt(both.shape[-1])


class fourier_in_place(_Fourier):
    def vectors(self, positions):
        first, _, last = self.mlp
        hidden = F.gelu(F.linear(self.features(positions), first.weight, first.bias))
        return hidden @ last.weight.T + last.bias

    def features(self, positions):
        n = self.frequencies.numel()
        f = self.frequencies.new_zeros(*positions.shape, 2 * n)
        f[..., :n] = (positions[..., None] * self.frequencies).cos()
        f[..., n:] = (positions[..., None] * self.frequencies).sin()
        return f / f.shape[-1] ** 0.5


class fourier_drawn_in_place(_Fourier):
    def __init__(self, d_model, num_heads=1, max_len=512, gamma=1.0, num_features=64):
        super().__init__(d_model, num_heads, max_len, gamma, num_features)
        nn.init.normal_(self.frequencies, 0, 1 / gamma)

    def features(self, positions):
        angles = torch.multiply(positions[..., None], self.frequencies)
        return torch.concat([angles.cos(), angles.sin()], -1).div(angles.shape[-1] ** 0.5 * 2**0.5)


INDEX_MLP = (
    mlp_by_unsqueeze,
    mlp_layer_by_layer,
    mlp_flattened,
    mlp_one_by_one,
    mlp_of_a_table,
)
FOURIER = (
    fourier_by_einsum,
    fourier_by_complex_numbers,
    fourier_by_matmul,
    fourier_in_place,
    fourier_drawn_in_place,
)
