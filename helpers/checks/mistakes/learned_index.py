"""Unit 03: what people write instead of an MLP of the normalised index."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.encodings.additive import Additive


class RightMLP(Additive):
    """The right module, cut into pieces so that each mistake below shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        hidden = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, d_model))
        self.norm = nn.LayerNorm(d_model)

    def index(self, positions):
        return positions[..., None] / self.max_len

    def vectors(self, positions):
        return self.norm(self.mlp(self.index(positions)))


class index_raw(RightMLP):
    def index(self, positions):
        return positions[..., None].float()


class index_divided_by_this_text(RightMLP):
    def index(self, positions):
        return positions[..., None] / positions.shape[-1]


class index_divided_by_the_largest_here(RightMLP):
    def index(self, positions):
        return positions[..., None] / positions.max()


class index_divided_by_the_last(RightMLP):
    def index(self, positions):
        return positions[..., None] / (self.max_len - 1)


class index_divided_by_the_width(RightMLP):
    def index(self, positions):
        return positions[..., None] / self.d_model


class index_from_one(RightMLP):
    def index(self, positions):
        return (positions[..., None] + 1) / self.max_len


class index_rounded_away(RightMLP):
    def index(self, positions):
        return (positions[..., None] // self.max_len).float()


class index_counted_anew(RightMLP):
    def index(self, positions):
        return torch.arange(positions.shape[-1])[:, None] / self.max_len


class index_as_a_column_of_the_batch(RightMLP):
    def index(self, positions):
        return positions[:, None] / self.max_len


class index_without_an_axis(RightMLP):
    def index(self, positions):
        return positions / self.max_len


class index_standardised(RightMLP):
    def index(self, positions):
        positions = positions[..., None].float()
        return (positions - positions.mean()) / positions.std()


class index_normed_before_the_mlp(RightMLP):
    def vectors(self, positions):
        return self.mlp(self.norm(self.index(positions)))


class index_without_a_norm(RightMLP):
    def vectors(self, positions):
        return self.mlp(self.index(positions))


class index_of_length_one(RightMLP):
    def vectors(self, positions):
        return F.normalize(self.norm(self.mlp(self.index(positions))), dim=-1)


_MLP, _SHAPE, _SIZE = "the MLP of p / max_len", "positions (B, T) as well", "entries of size 1"
INDEX_MLP = (
    Mistake(
        index_raw,
        "The MLP is given p itself, numbers up to max_len. Divide first, so that they lie between "
        "0 and 1.",
        (_MLP,),
    ),
    Mistake(
        index_divided_by_this_text,
        "You divide by T, the length of this text. Then position 5 has another vector in every "
        "text; divide by max_len.",
        (_MLP,),
    ),
    Mistake(
        index_divided_by_the_largest_here,
        "You divide by the largest position in this call, so a position's vector depends on its "
        "neighbours. Divide by max_len.",
        (_MLP,),
    ),
    Mistake(
        index_divided_by_the_last,
        "You divide by max_len − 1. That is as good a choice; the formula here has max_len.",
        (_MLP,),
    ),
    Mistake(
        index_divided_by_the_width,
        "You divide by D. The width of a vector says nothing about how large a position can be.",
        (_MLP,),
    ),
    Mistake(
        index_from_one,
        "Your first position is 1. Positions count from 0.",
        (_MLP,),
    ),
    Mistake(
        index_rounded_away,
        "// divides whole numbers and rounds down: nothing but 0 reaches the MLP.",
        (_MLP,),
    ),
    Mistake(
        index_counted_anew,
        "You count 0, 1, 2, … whatever positions holds. Use the positions that are given.",
        (_MLP, _SHAPE),
    ),
    Mistake(
        index_as_a_column_of_the_batch,
        "The axis of length 1 that the MLP reads has to be the last. With [:, None] it is the "
        "second, which is the same for (T,) only.",
        (_SHAPE,),
    ),
    Mistake(
        index_without_an_axis,
        "You hand all positions to the MLP as if they were one vector. It reads one number at a "
        "time: a last axis of length 1 is missing.",
        (_MLP, _SHAPE, _SIZE),
    ),
    Mistake(
        index_standardised,
        "You subtract the mean of the positions in this call and divide by their deviation, so a "
        "position's vector depends on its neighbours. Divide by max_len.",
        (_MLP,),
    ),
    Mistake(
        index_normed_before_the_mlp,
        "The norm stands in front of the MLP. It belongs behind it, on vectors of width D.",
        (_MLP, _SHAPE, _SIZE),
    ),
    Mistake(
        index_without_a_norm,
        "What the MLP returns is added as it is. self.norm has not been used.",
        (_SIZE,),
    ),
    Mistake(
        index_of_length_one,
        "Your vectors have the length 1, so their entries are small, about 1/√D. The LayerNorm "
        "alone gives entries of size 1.",
        (_SIZE,),
    ),
)
