"""Unit 03, right answers written differently: each is named after its exercise."""

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn

from helpers.encodings import Encoding
from helpers.encodings.absolute import Additive


class table_of_embedding(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Embedding(max_len, d_model)
        nn.init.normal_(self.rows.weight, std=std)

    def embed(self, x, positions):
        if x.size(1) > self.max_len:
            raise ValueError(f"too long: {x.size(1)} > {self.max_len}")
        return x + self.rows(positions.queries).type_as(x)


class table_with_leading_axis(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        self.pos_embedding = nn.Parameter(torch.empty(1, max_len, d_model).normal_(0, std))

    def embed(self, x, positions):
        length = x.shape[1]
        if length > self.pos_embedding.shape[1]:
            raise ValueError(length, self.pos_embedding.shape[1])
        if positions.ordered:
            return x + self.pos_embedding[:, :length].to(x)
        return x + self.pos_embedding[0][positions.queries].to(x)


def stretch_by_lerp(table, length):
    steps, gaps = len(table) - 1, length - 1
    numerator = torch.arange(length) * steps  # whole numbers, so that no place is rounded
    low = torch.div(numerator, gaps, rounding_mode="floor")
    high = (low + 1).minimum(torch.tensor(steps))
    share = ((numerator - low * gaps) / gaps).to(table.dtype)
    return torch.lerp(table[low], table[high], share[:, None])


def stretch_by_tent_functions(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    shares = 1 - (places[:, None] - torch.arange(len(table))).abs()
    return shares.clamp(min=0).to(table.dtype) @ table


def stretch_by_grid_sample(table, length):
    image = table.T[None, :, None]  # (1, D, 1, T)
    x = torch.linspace(-1, 1, length, dtype=table.dtype)
    grid = torch.stack([x, torch.zeros_like(x)], -1)[None, None]
    return F.grid_sample(image, grid, padding_mode="border", align_corners=True)[0, :, 0].T


class _Mlp(Additive):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        hidden = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, d_model))
        self.norm = nn.LayerNorm(d_model)


class index_mlp_layer_by_layer(_Mlp):
    def vectors(self, positions):
        first, _, last = self.mlp
        index = positions.type_as(first.weight) / self.max_len
        hidden = F.gelu(index[..., None] * first.weight[:, 0] + first.bias)
        vectors = F.linear(hidden, last.weight, last.bias)
        return F.layer_norm(vectors, (self.d_model,), self.norm.weight, self.norm.bias)


class index_mlp_of_a_table(_Mlp):
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


def summary_by_pivot(runs, length):
    here = runs[runs["length"].eq(length)]
    loss = here.pivot(index="encoding", columns="seed", values="loss")
    limit = here.pivot(index="encoding", columns="seed", values="limit")
    table = pd.DataFrame(index=loss.index)
    table["above"] = (loss - limit).mean(axis=1)
    table["std"] = loss.std(axis=1)
    table["mean"] = loss.mean(axis=1)
    return table.sort_values("mean")


def summary_by_loop(runs, length):
    rows = {}
    for name in runs.loc[runs["length"] == length, "encoding"].unique():
        chosen = runs[(runs["encoding"] == name) & (runs["length"] == length)]
        loss, limit = chosen["loss"].to_numpy(), chosen["limit"].to_numpy()
        rows[name] = [loss.mean(), np.std(loss, ddof=1), (loss - limit).mean()]
    best = sorted(rows, key=lambda name: rows[name][0])
    return pd.DataFrame([rows[n] for n in best], index=best, columns=["mean", "std", "above"])
