"""Unit 08: some encodings that are nobody's in particular, and have what is asked for."""

from __future__ import annotations

import math
from types import SimpleNamespace

import torch
from torch import nn

from helpers import encodings
from helpers.encodings import Additive, Encoding


class own_gated_waves(Additive):
    """Sinusoids, each with a loudness that is learned."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.loudness = nn.Parameter(torch.full((d_model,), 0.1))

    def vectors(self, positions):
        return self.loudness * encodings.sinusoids(positions, self.d_model)


class own_left_neighbour(Encoding):
    """Each token is told who stands at its left."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.map = nn.Linear(d_model, d_model, bias=False)

    def embed(self, x, positions):
        left = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)
        return x + self.map(left)


class own_slopes_of_two_sides(Encoding):
    """A slope per head to the left, and another one to the right."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.slopes = nn.Parameter(0.1 * torch.randn(2, num_heads, 1, 1))

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[-2], device=q.device)
        offset = (p[None] - p[:, None]).to(q.dtype)
        return self.slopes[0] * offset.clamp(max=0) - self.slopes[1] * offset.clamp(min=0)


class own_turn_of_the_first_pair(Encoding):
    """The first two numbers of each query and key are turned by a learned angle per position."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("p", torch.arange(max_len).float())
        self.speed = nn.Parameter(torch.tensor(0.5))

    def rotate(self, q, k, positions):
        if q.shape[2] > self.max_len:
            raise ValueError("too long")
        angle = self.p[: q.shape[2]] * self.speed
        cos, sin = angle.cos(), angle.sin()

        def turned(x):
            a, b, rest = x[..., 0], x[..., 1], x[..., 2:]
            first = torch.stack([a * cos - b * sin, a * sin + b * cos], -1)
            return torch.cat([first, rest], -1)

        return turned(q), turned(k)


class own_values_by_side(Encoding):
    """A vector that is added to what comes from the left, in each layer."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.left = nn.Parameter(torch.randn(num_heads, 1, d_model // num_heads))

    def context(self, weights, positions):
        share = weights.tril(-1).sum(-1, keepdim=True)
        return share * self.left


class own_recurrent_clock(Encoding):
    """A row per position from a small recurrent network that counts."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.gru = nn.GRU(1, d_model, batch_first=True)

    def embed(self, x, positions):
        ticks = torch.ones(1, x.size(1), 1, device=x.device, dtype=x.dtype)
        return x + self.gru(ticks / math.sqrt(self.max_len))[0]


class own_with_dropout(own_left_neighbour):
    """Dropout in train mode, and a mask that is spread over texts and heads."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.drop = nn.Dropout(0.2)

    def embed(self, x, positions):
        return nn.functional.dropout(self.drop(super().embed(x, positions)), 0.1, self.training)

    def bias(self, q, k, positions):
        return torch.ones(1, 1, q.shape[2], q.shape[2]).to(q).triu(3)


class own_left_out_now_and_then(own_left_neighbour):
    """In train mode half of the texts are read without it."""

    def embed(self, x, positions):
        return x if self.training and torch.rand(()) < 0.5 else super().embed(x, positions)


class own_bias_for_all_heads(Encoding):
    """Two axes, float32 whatever the model is: torch.where makes it of two Python numbers."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.gain = nn.Parameter(torch.tensor(0.5))

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device)
        offset = p[None, :] - p[:, None]
        return self.gain * torch.where(offset > 0, 1.0, -0.3) * offset.abs()


class own_with_helpers_of_its_own(Encoding):
    """Functions and plain numbers in attributes, lists and the class; tensors are registered."""

    sides = (-1.0, 1.0)
    bent = {"more": 0.1}  # noqa: RUF012

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        slopes = [nn.Parameter(torch.full((num_heads, 1, 1), side)) for side in self.sides]
        self.slopes = nn.ParameterList(slopes)
        self.bend = lambda offset: torch.tanh(offset * self.slopes[1]) + self.bent["more"] * offset
        self.of = SimpleNamespace(divided_by=[2.0, 3.0])

    @staticmethod
    def offsets(length, dtype):
        p = torch.arange(length, dtype=dtype)
        return p[None, :] - p[:, None]

    def bias(self, q, k, positions):
        offset = self.offsets(q.shape[2], q.dtype)
        return self.slopes[0] * offset / self.of.divided_by[0] + self.bend(offset)


class own_faint_neighbour(Encoding):
    """A little more weight on the left neighbour, at most 0.2, which a long text hardly shows."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.more = nn.Parameter(torch.zeros(num_heads, 1, 1))

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device)
        return 0.2 * self.more.sigmoid() * (p[None, :] - p[:, None] == -1).to(q.dtype)


class own_very_faint_neighbours(Encoding):
    """A learned number for each of five offsets, of which a hundredth counts."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.near = nn.Embedding(5, num_heads)

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2])
        near = (p[None, :] - p[:, None]).clamp(-2, 2) + 2
        return 0.01 * self.near(near).permute(2, 0, 1)


class own_with_names_that_others_have(Encoding):
    """Attributes that are called as much else in this course is."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.scale = nn.Parameter(torch.randn(d_model) * 0.1)
        self.scores = nn.Embedding(max_len, d_model)
        self.hooks = 2

    def embed(self, x, positions):
        self._check_length(x.shape[1])
        before = nn.functional.pad(x, (0, 0, self.hooks, 0))[:, : x.shape[1]]
        return x + self.scale * before + self.scores.weight[: x.shape[1]]


class own_gated_decay(Encoding):
    """Each key says how much its side counts, which decays with the distance."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.gate = nn.Parameter(torch.randn(num_heads, self.head_dim) / 4)

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device, dtype=q.dtype)
        offset = p - p[:, None]
        gate = torch.einsum("bhtd,hd->bht", q, self.gate).sigmoid()[..., None]
        return gate * (-offset.abs()).exp() * offset.sign()


class own_scores_in_whole_numbers(Encoding):
    """Offsets as they are, int64."""

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device)
        offset = p[None, :] - p[:, None]
        return torch.where(offset < 0, offset, -3 * offset)


class own_scores_that_are_true_to_the_left(Encoding):
    """Booleans, which count as 1 and 0."""

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device)
        return p[None, :] < p[:, None]


OWN = (
    own_scores_in_whole_numbers,
    own_scores_that_are_true_to_the_left,
    own_gated_waves,
    own_left_neighbour,
    own_slopes_of_two_sides,
    own_turn_of_the_first_pair,
    own_values_by_side,
    own_recurrent_clock,
    own_with_dropout,
    own_left_out_now_and_then,
    own_bias_for_all_heads,
    own_with_helpers_of_its_own,
    own_faint_neighbour,
    own_very_faint_neighbours,
    own_with_names_that_others_have,
    own_gated_decay,
)
