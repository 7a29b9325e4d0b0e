"""Unit 03, right answers written differently: nn.Embedding, loops, NumPy, float64, other calls."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn

from helpers.encodings import Encoding
from tests.checks.variants.learned_index import FOURIER, INDEX_MLP


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


class table_by_one_hot(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        self.table = nn.Parameter(torch.normal(0.0, std, (max_len, d_model)))

    def embed(self, x, positions):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{x.shape[1]} is beyond the last of {self.max_len} rows")
        return x + F.one_hot(positions.queries, self.max_len).to(x.dtype) @ self.table.to(x.dtype)


class table_by_loop(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        self.table = nn.Parameter(torch.zeros(max_len, d_model))
        with torch.no_grad():
            for p in range(max_len):
                self.table[p] = std * torch.randn(d_model)

    def embed(self, x, positions):
        b, t, _ = x.shape
        if t > self.max_len:
            raise ValueError(f"{t} tokens, {self.max_len} rows")
        p = positions.queries.expand(b, t)
        each = [x[n] + self.table.index_select(0, p[n]) for n in range(b)]
        return torch.stack(each).to(x.dtype)


class table_gathered(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        drawn = torch.distributions.Normal(0.0, std).sample((max_len, d_model))
        self.register_parameter("rows", nn.Parameter(drawn))

    def embed(self, x, positions):
        last = x.shape[1] - 1
        if last >= len(self.rows):
            raise ValueError("no row for all tokens: T, max_len =", last + 1, len(self.rows))
        return torch.add(x, F.embedding(positions.queries, self.rows).to(x.dtype))


def stretch_by_loop(table, length):
    rows = []
    for n in range(length):
        place = n * (len(table) - 1) / (length - 1)
        low = min(int(place), len(table) - 2)
        rows.append(table[low] * (low + 1 - place) + table[low + 1] * (place - low))
    return torch.stack(rows)


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


def stretch_by_ceil_and_floor(table, length):
    places = torch.arange(length, dtype=torch.float64) * (len(table) - 1) / (length - 1)
    places = places.clamp(max=len(table) - 1)
    low, high = table[places.floor().long()], table[places.ceil().long()]
    return (low + (places - places.floor()).unsqueeze(1) * (high - low)).to(table.dtype)


def summary_by_agg(runs, length):
    runs = runs.query("length == @length")
    runs = runs.assign(above=runs.loss - runs.limit)
    table = runs.groupby("encoding").agg(
        mean=("loss", "mean"), std=("loss", "std"), above=("above", "mean")
    )
    return table.sort_values("mean")


def summary_by_loop(runs, length):
    rows = {}
    for name in runs.loc[runs["length"] == length, "encoding"].unique():
        chosen = runs[(runs["encoding"] == name) & (runs["length"] == length)]
        loss, limit = chosen["loss"].to_numpy(), chosen["limit"].to_numpy()
        rows[name] = [loss.mean(), np.std(loss, ddof=1), (loss - limit).mean()]
    best = sorted(rows, key=lambda name: rows[name][0])
    return pd.DataFrame([rows[n] for n in best], index=best, columns=["mean", "std", "above"])


def summary_by_pivot(runs, length):
    here = runs[runs["length"].eq(length)]
    loss = here.pivot(index="encoding", columns="seed", values="loss")
    limit = here.pivot(index="encoding", columns="seed", values="limit")
    table = pd.DataFrame(index=loss.index)
    table["above"] = (loss - limit).mean(axis=1)
    table["std"] = loss.std(axis=1)
    table["mean"] = loss.mean(axis=1)
    return table.sort_values("mean")


def summary_by_statistics(runs, length):
    sums = {}
    for row in runs.itertuples():
        if row.length == length:
            sums.setdefault(row.encoding, []).append((row.loss, row.limit))
    rows = []
    for name, pairs in sums.items():
        n = len(pairs)
        mean = sum(a for a, _ in pairs) / n
        std = math.sqrt(sum((a - mean) ** 2 for a, _ in pairs) / (n - 1))
        row = {"encoding": name, "mean": mean, "std": std}
        rows.append(row | {"above": mean - sum(b for _, b in pairs) / n})
    return pd.DataFrame(sorted(rows, key=lambda row: row["mean"])).set_index("encoding")


VARIANTS = {
    "table": (
        table_of_embedding,
        table_with_leading_axis,
        table_by_one_hot,
        table_by_loop,
        table_gathered,
    ),
    "stretch": (
        stretch_by_loop,
        stretch_by_lerp,
        stretch_by_tent_functions,
        stretch_by_grid_sample,
        stretch_by_ceil_and_floor,
    ),
    "index_mlp": INDEX_MLP,
    "fourier": FOURIER,
    "summary": (summary_by_agg, summary_by_loop, summary_by_pivot, summary_by_statistics),
}
