"""Unit 07, “The input sum”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers.checks.bert_inputs import common
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.model.bert import Bert


class InputSum(nn.Module):
    """LayerNorm(token + segment + position)."""

    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512) -> None:
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Ids (B, T) and segments (B, T) → (B, T, D)."""
        places = self.positions.weight[: tokens.shape[1]]
        return self.norm(self.words(tokens) + self.segments(segments) + places)


def _summed(rng: Random, after: Callable[[Tensor], Tensor], norm: bool) -> Iterator[Case]:
    batch, length, width = rng.randint(2, 4), rng.randint(6, 9), rng.randint(10, 14)
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(40, (batch, length), generator=draw)
    segments = torch.randint(2, (batch, length), generator=draw)

    def ask(answer: Answer) -> Any:
        module: Any = common.with_fixed_weights(answer(40, width, max_len=20), norm)
        found = module(tokens.clone(), segments.clone())
        return after(found) if isinstance(found, Tensor) else found

    what = "the norm's own weights drawn too" if norm else "whatever its size"
    yield Case(f"forward of {common.shape_in_words(tokens)} and D={width}, {what}", ask)


def _normed(found: Tensor) -> Tensor:
    """Normalised once more, which changes nothing where it has been done."""
    return F.layer_norm(found, found.shape[-1:], eps=1e-12)


vectors = Exercise(
    "vectors",
    InputSum,
    (
        Part("token + segment + position", 0.5, partial(_summed, after=_normed, norm=False)),
        Part("a LayerNorm of the sum", 0.5, partial(_summed, after=lambda x: x, norm=True)),
    ),
    forbidden=(Bert,),
)


class RightSum(nn.Module):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def places(self, tokens):
        return self.positions(torch.arange(tokens.shape[1]))

    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.segments(segments) + self.places(tokens))


@vectors.mistake("The positions are missing: every order of the words would look the same.")
class sum_without_positions(RightSum):
    def places(self, tokens):
        return 0


@vectors.mistake("The segments are missing: the second sentence looks like the first.")
class sum_without_segments(RightSum):
    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.places(tokens))


@vectors.mistake(
    "Your positions run along the batch. tokens is (B, T): a place is along its second axis."
)
class sum_with_positions_along_the_batch(RightSum):
    def places(self, tokens):
        return self.positions(torch.arange(tokens.shape[0]))[:, None]


@vectors.mistake("Your first token gets row 1 of the positions. They count from 0.")
class sum_with_positions_from_one(RightSum):
    def places(self, tokens):
        return self.positions(torch.arange(1, tokens.shape[1] + 1))


@vectors.mistake("You add all max_len rows of positions; a shorter text needs only its first T.")
class sum_with_all_positions(RightSum):
    def places(self, tokens):
        return self.positions.weight


@vectors.mistake("The two segments have changed places. Segment s is row s of its table.")
class sum_with_segments_swapped(RightSum):
    def forward(self, tokens, segments):
        return super().forward(tokens, 1 - segments)


@vectors.mistake("You multiply the words by √D, as the Transformer of 2017 does. BERT does not.")
class sum_with_scaled_words(RightSum):
    def forward(self, tokens, segments):
        words = self.words(tokens) * self.words.embedding_dim**0.5
        return self.norm(words + self.segments(segments) + self.places(tokens))


@vectors.mistake(
    "You normalise each of the three vectors before you add. Add first, then one LayerNorm."
)
class sum_of_three_norms(RightSum):
    def forward(self, tokens, segments):
        parts = (self.words(tokens), self.segments(segments), self.places(tokens))
        return sum(self.norm(part) for part in parts)


@vectors.mistake("The positions are added behind the LayerNorm. All three are added first.")
class sum_with_positions_after_the_norm(RightSum):
    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.segments(segments)) + self.places(tokens)


@vectors.mistake("The sum is right and the LayerNorm is missing.", loses="a LayerNorm of the sum")
class sum_without_norm(RightSum):
    def forward(self, tokens, segments):
        return self.words(tokens) + self.segments(segments) + self.places(tokens)


@vectors.mistake(
    "You normalise by hand and leave out the norm's own weights. self.norm has a factor and a "
    "shift for each of the D numbers, which are trained.",
    loses="a LayerNorm of the sum",
)
class sum_normed_without_its_weights(RightSum):
    def forward(self, tokens, segments):
        x = self.words(tokens) + self.segments(segments) + self.places(tokens)
        x = x - x.mean(-1, keepdim=True)
        return x / x.var(-1, keepdim=True, correction=0).sqrt()
