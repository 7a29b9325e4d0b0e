"""Unit 07, “The input sum”: what it asks, and what people write instead.

Mistakes about the norm are in vectors_norms.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers.checks.bert_inputs import common
from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part, compare
from helpers.checks.engine.faults import DTYPE, IN_PLACE
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
    """Tokens and segments; padding stands at the end of a row, and in a row's middle."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(40, (batch, length), generator=draw)
    segments = torch.randint(2, (batch, length), generator=draw)
    tokens[0, -1] = tokens[-1, length // 2] = PAD
    return tokens, segments


def _sizes(rng: Random) -> Iterator[tuple[int, int, int, int]]:
    """B, T, D and max_len: more places than numbers, and fewer; one row, one place, all places."""
    batch, length, width = rng.randint(2, 4), rng.randint(6, 9), rng.randint(10, 14)
    yield batch, length, width, 20
    yield batch, length, width, 20  # the same shapes with other numbers
    yield batch, width + rng.randint(2, 4), width, 20
    yield 1, length, width, length
    yield length, length, length, length + 3
    yield batch, 1, width, 20
    yield 1, rng.randint(530, 540), width, 540  # beyond BERT's own 512


def _summed(rng: Random, after: Callable[[Tensor], Tensor], norm: bool) -> Iterator[Case]:
    for batch, length, width, most in _sizes(rng):
        tokens, segments = _given(rng, batch, length)
        ask = partial(_asked, tokens, segments, width, most, after, norm)
        what = "the norm's own weights drawn too" if norm else "whatever its size"
        shape = common.shape_in_words(tokens)
        yield Case(f"forward of {shape}, D={width} and max_len={most}, {what}", ask)
    ask = partial(_asked, tokens[:, :5], segments[:, :5], width, most, after, norm, scale=0.01)
    yield Case(f"forward of tokens of shape (1, 5), D={width}, small numbers, {what}", ask)
    yield _one_after_another(rng, after, norm)


def _one_after_another(rng: Random, after: Callable[[Tensor], Tensor], norm: bool) -> Case:
    """Longer texts and shorter ones, all given to one module, in training and out of it."""
    lengths = [4, rng.randint(8, 9), rng.randint(2, 3), rng.randint(5, 7), 1, 5, 4]
    texts = [_given(rng, 2, length) for length in lengths]

    def ask(answer: Answer) -> Any:
        module: Any = common.with_fixed_weights(answer(40, 6, max_len=12), norm)
        results = [
            module.train(number % 2 == 0)(tokens.clone(), segments.clone())
            for number, (tokens, segments) in enumerate(texts)
        ]
        return [after(each) if isinstance(each, Tensor) else each for each in results]

    words = ", ".join(map(str, lengths))
    return Case(
        f"one module, called with T = {words}, in turn after .train() and after .eval()", ask
    )


def _asked(
    tokens: Tensor,
    segments: Tensor,
    width: int,
    most: int,
    after: Callable[[Tensor], Tensor],
    norm: bool,
    answer: Answer,
    scale: float = 1,
) -> Any:
    module: Any = common.with_fixed_weights(answer(40, width, max_len=most), norm)
    for name, weight in module.named_parameters():
        weight.data *= 1 if name.startswith("norm") else scale
    given = tokens.clone(), segments.clone()
    found = module(*given)
    if not (torch.equal(given[0], tokens) and torch.equal(given[1], segments)):
        raise ArgumentChangedError
    return after(found) if isinstance(found, Tensor) else found


def _normed(found: Tensor) -> Tensor:
    """Normalised once more, which changes nothing where it has been done."""
    return F.layer_norm(found, found.shape[-1:], eps=1e-12)


def _backwards(rng: Random) -> Iterator[Case]:
    width = rng.randint(10, 14)
    tokens, segments = _given(rng, 3, rng.randint(6, 9))

    def ask(answer: Answer) -> Any:
        module: Any = common.with_fixed_weights(answer(40, width, max_len=20), norm=True)
        shapes = {name: tuple(each.shape) for name, each in module.named_parameters()}
        halves = module.bfloat16()(tokens, segments)
        module = common.with_fixed_weights(module.double(), norm=True, dtype=torch.float64)
        before = {name: each.detach().clone() for name, each in module.named_parameters()}
        found = module(tokens, segments)
        if not isinstance(found, Tensor):
            return compare.no_plain_tensor(found)
        # LayerNorm takes some changes off again, so that no result would show them.
        now = dict(module.named_parameters())
        written = [name for name, each in before.items() if not torch.equal(each, now[name])]
        if found.requires_grad:
            weights = torch.arange(1, found.numel() + 1, dtype=found.dtype).cos()
            (found * weights.reshape(found.shape)).sum().backward()
        gradients = {name: each.grad for name, each in module.named_parameters()}
        return {
            "shapes of what is trained": shapes,
            "dtype of the result with tables in float64": str(found.dtype),
            "dtype of the result with tables in bfloat16": str(getattr(halves, "dtype", "none")),
            "what a call writes into": written,
            "what a gradient reaches": [n for n, g in gradients.items() if g is not None],
            "gradients": {
                name: torch.zeros(shapes[name]) if grad is None else grad
                for name, grad in gradients.items()
            },
        }

    yield Case(f"forward of {common.shape_in_words(tokens)} and D={width}, and backward", ask)


vectors = Exercise(
    "vectors",
    InputSum,
    (
        Part("token + segment + position", 0.5, partial(_summed, after=_normed, norm=False)),
        Part("a LayerNorm of the sum", 0.25, partial(_summed, after=lambda x: x, norm=True)),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=(Bert,),
    generic={
        "The result has the dtype of the tables": DTYPE,
        "the arguments must not be modified": IN_PLACE,
    },
    module=__name__,
)
