"""Unit 03, “MLP of the index”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.learned import common
from helpers.encodings.additive import Additive


def _mlp_with(answer: Answer, seed: int) -> Any:
    return common.with_fixed_weights(answer(d_model=24, max_len=50), seed)


def _of_the_index(rng: Random) -> Iterator[Case]:
    seed, length = rng.randrange(1000), rng.randint(10, 30)
    for words, positions in (
        (f"0 … {length - 1}", torch.arange(length)),
        ("in no order", common.random_positions(rng, 50, length)),
    ):

        def ask(answer: Answer, positions: Tensor = positions) -> Tensor:
            # Normalised once more, which changes nothing where it has been done.
            return F.layer_norm(_mlp_with(answer, seed).vectors(positions.clone()), (24,))

        yield Case(f"vectors of the positions {words}, max_len=50, but for their size", ask)


def _of_any_shape(rng: Random) -> Iterator[Case]:
    positions = common.random_positions(rng, 50, rng.randint(2, 4), rng.randint(5, 9))
    yield Case(
        f"shape of vectors(positions) with positions of shape {tuple(positions.shape)}",
        lambda answer: tuple(_mlp_with(answer, 0).vectors(positions.clone()).shape),
    )


def _of_size_one(rng: Random) -> Iterator[Case]:
    positions, seed = torch.arange(rng.randint(10, 30)), rng.randrange(1000)
    yield Case(
        "mean square of each vector's entries",
        lambda answer: _mlp_with(answer, seed).vectors(positions.clone()).square().mean(-1),
    )


index_mlp = Exercise(
    "index_mlp",
    encodings.IndexMLP,
    (
        Part("the MLP of p / max_len", 1, _of_the_index),
        Part("positions (B, T) as well", 0.5, _of_any_shape),
        Part("entries of size 1", 0.5, _of_size_one),
    ),
    tolerance=1e-3,  # the smallest rows meet the LayerNorm's epsilon
)


class RightMLP(Additive):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        hidden = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, d_model))
        self.norm = nn.LayerNorm(d_model)

    def index(self, positions):
        return positions[..., None] / self.max_len

    def vectors(self, positions):
        return self.norm(self.mlp(self.index(positions)))


@index_mlp.mistake(
    "The MLP is given p itself, numbers up to max_len. Divide first, so that they lie between "
    "0 and 1.",
    loses="the MLP of p / max_len",
)
class index_raw(RightMLP):
    def index(self, positions):
        return positions[..., None].float()


@index_mlp.mistake(
    "You divide by T, the length of this text. Then position 5 has another vector in every "
    "text; divide by max_len.",
    loses="the MLP of p / max_len",
)
class index_divided_by_this_text(RightMLP):
    def index(self, positions):
        return positions[..., None] / positions.shape[-1]


@index_mlp.mistake(
    "You divide by the largest position in this call, so a position's vector depends on its "
    "neighbours. Divide by max_len.",
    loses="the MLP of p / max_len",
)
class index_divided_by_the_largest_here(RightMLP):
    def index(self, positions):
        return positions[..., None] / positions.max()


@index_mlp.mistake(
    "You divide by max_len − 1. That is as good a choice; the formula here has max_len.",
    loses="the MLP of p / max_len",
)
class index_divided_by_the_last(RightMLP):
    def index(self, positions):
        return positions[..., None] / (self.max_len - 1)


@index_mlp.mistake(
    "You divide by D. The width of a vector says nothing about how large a position can be.",
    loses="the MLP of p / max_len",
)
class index_divided_by_the_width(RightMLP):
    def index(self, positions):
        return positions[..., None] / self.d_model


@index_mlp.mistake(
    "Your first position is 1. Positions count from 0.", loses="the MLP of p / max_len"
)
class index_from_one(RightMLP):
    def index(self, positions):
        return (positions[..., None] + 1) / self.max_len


@index_mlp.mistake(
    "// divides whole numbers and rounds down: nothing but 0 reaches the MLP.",
    loses="the MLP of p / max_len",
)
class index_rounded_away(RightMLP):
    def index(self, positions):
        return (positions[..., None] // self.max_len).float()


@index_mlp.mistake(
    "You count 0, 1, 2, … whatever positions holds. Use the positions that are given.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_counted_anew(RightMLP):
    def index(self, positions):
        return torch.arange(positions.shape[-1])[:, None] / self.max_len


@index_mlp.mistake(
    "The axis of length 1 that the MLP reads has to be the last. With [:, None] it is the "
    "second, which is the same for (T,) only.",
    loses="positions (B, T) as well",
)
class index_as_a_column_of_the_batch(RightMLP):
    def index(self, positions):
        return positions[:, None] / self.max_len


@index_mlp.mistake(
    "You hand all positions to the MLP as if they were one vector. It reads one number at a "
    "time: a last axis of length 1 is missing."
)
class index_without_an_axis(RightMLP):
    def index(self, positions):
        return positions / self.max_len


@index_mlp.mistake(
    "You subtract the mean of the positions in this call and divide by their deviation, so a "
    "position's vector depends on its neighbours. Divide by max_len.",
    loses="the MLP of p / max_len",
)
class index_standardised(RightMLP):
    def index(self, positions):
        positions = positions[..., None].float()
        return (positions - positions.mean()) / positions.std()


@index_mlp.mistake(
    "The norm stands in front of the MLP. It belongs behind it, on vectors of width D."
)
class index_normed_before_the_mlp(RightMLP):
    def vectors(self, positions):
        return self.mlp(self.norm(self.index(positions)))


@index_mlp.mistake(
    "What the MLP returns is added as it is. self.norm has not been used.",
    loses="entries of size 1",
)
class index_without_a_norm(RightMLP):
    def vectors(self, positions):
        return self.mlp(self.index(positions))


@index_mlp.mistake(
    "Your vectors have the length 1, so their entries are small, about 1/√D. The LayerNorm "
    "alone gives entries of size 1.",
    loses="entries of size 1",
)
class index_of_length_one(RightMLP):
    def vectors(self, positions):
        return F.normalize(self.norm(self.mlp(self.index(positions))), dim=-1)
