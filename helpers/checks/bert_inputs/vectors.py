"""Unit 07, “The input sum”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers.checks import draws
from helpers.checks.bert_inputs import common
from helpers.checks.engine import Answer, Case, Exercise, Part, backward, compare, unchanged
from helpers.checks.engine.hints import DTYPE, IN_PLACE
from helpers.corpora.wordpiece import PAD
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


def _given(rng: Random, batch: int, length: int) -> tuple[Tensor, Tensor]:
    """Draw tokens and segments; padding stands at the end of a row, and in a row's middle."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(40, (batch, length), generator=draw)
    segments = torch.randint(2, (batch, length), generator=draw)
    tokens[0, -1] = tokens[-1, length // 2] = PAD
    return tokens, segments


def _summed(rng: Random, norm: bool) -> Iterator[Case]:
    batch, length, width = rng.randint(2, 4), rng.randint(6, 9), rng.randint(10, 14)
    sizes = (
        ((batch, length), (batch, length), (batch, 3), (1, 1)),  # all given to one module
        ((batch, width + 3),),
        ((length, length),),
        ((1, 540),),  # as many as there are, and beyond BERT's own 512
    )
    for each in sizes:
        texts, most = [_given(rng, *shape) for shape in each], 540 if each[0][1] == 540 else 20
        ask = partial(_asked, texts, width, most, norm)
        shapes = ", then ".join(map(str, each))
        what = "the norm's own weights drawn too" if norm else "whatever its size"
        yield Case(f"forward of shape {shapes}, D={width} and max_len={most}, {what}", ask)


def _asked(
    texts: list[tuple[Tensor, Tensor]], width: int, most: int, norm: bool, answer: Answer
) -> Any:
    """Normalise once more unless the norm's own weights are drawn: else it changes nothing."""
    parts = () if norm else ("words", "segments", "positions")
    module = draws.with_fixed_weights(answer(40, width, max_len=most), *parts)
    if norm:  # so small that another eps shows
        module.words.weight.data /= 50
        module.segments.weight.data /= 50
        module.positions.weight.data /= 50
    found = []
    for text in texts:
        given = tuple(each.clone() for each in text)
        found.append(module(*given))
        unchanged(given, text)
    return [
        each
        if norm or not isinstance(each, Tensor)
        else F.layer_norm(each, each.shape[-1:], eps=1e-12)
        for each in found
    ]


def _backwards(rng: Random) -> Iterator[Case]:
    width = rng.randint(10, 14)
    tokens, segments = _given(rng, 3, rng.randint(6, 9))

    def ask(answer: Answer) -> Any:
        made = draws.with_fixed_weights(answer(40, width, max_len=20))
        single = made(tokens, segments)
        module = draws.with_fixed_weights(made.double())
        shapes = {name: tuple(each.shape) for name, each in module.named_parameters()}
        found = module(tokens, segments)
        if not isinstance(found, Tensor):
            return compare.no_plain_tensor(found)
        backward(found)
        return {
            "shapes of what is trained": shapes,
            "dtype of the result with tables in float32": str(getattr(single, "dtype", "none")),
            "dtype of the result with tables in float64": str(found.dtype),
            "what a gradient reaches": [
                name for name, each in module.named_parameters() if each.grad is not None
            ],
            "gradients": {
                name: torch.zeros(shapes[name]) if each.grad is None else each.grad
                for name, each in module.named_parameters()
            },
        }

    yield Case(f"forward of {common.shape_in_words(tokens)} and D={width}, and backward", ask)


vectors = Exercise(
    "vectors",
    InputSum,
    (
        Part("token + segment + position", 0.5, partial(_summed, norm=False)),
        Part("a LayerNorm of the sum", 0.25, partial(_summed, norm=True)),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=(Bert,),
    generic={
        "The result has the dtype of the tables": DTYPE,
        "the arguments must not be modified": IN_PLACE,
    },
    module=__name__,
)
