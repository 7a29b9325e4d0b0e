"""Unit 07: what the exercises on the sum of three vectors and on padding ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any
from zlib import crc32

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.attention import MultiHeadAttention
from helpers.bert import Bert
from helpers.checks import compare
from helpers.checks.bert_inputs_mask import shape, text
from helpers.checks.exercise import Answer, Case, Exercise, Part
from helpers.checks.mistakes.bert_inputs_vectors import PADDING, VECTORS
from helpers.wordpiece import PAD, UNK


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


def _filled(module: nn.Module, norm: bool) -> nn.Module:
    """Weights that depend on their names only, so that two modules compute the same."""
    for name, weight in module.named_parameters():
        if norm or not name.startswith("norm"):
            draw = Generator().manual_seed(crc32(name.encode()))
            weight.data = torch.randn(weight.shape, generator=draw)
    return module


def _summed(rng: Random, after: Callable[[Tensor], Tensor], norm: bool) -> Iterator[Case]:
    batch, length, width = rng.randint(2, 4), rng.randint(6, 9), rng.randint(10, 14)
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(40, (batch, length), generator=draw)
    segments = torch.randint(2, (batch, length), generator=draw)

    def ask(answer: Answer) -> Any:
        module: Any = _filled(answer(40, width, max_len=20), norm)
        found = module(tokens.clone(), segments.clone())
        return after(found) if isinstance(found, Tensor) else found

    what = "the norm's own weights drawn too" if norm else "whatever its size"
    yield Case(f"forward of {shape(tokens)} and D={width}, {what}", ask)


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
    VECTORS,
    forbidden=(Bert,),
)


def padding_mask(tokens: Tensor) -> Tensor:
    """True at every token that is none of the padding; (B, T) → (B, 1, 1, T)."""
    return (tokens != PAD)[:, None, None, :]


def _real(rng: Random) -> Iterator[Case]:
    tokens = text(rng, rng.randint(2, 4), rng.randint(12, 16), 40)
    tokens[0, 1] = UNK
    wanted = tokens.shape

    def ask(answer: Answer) -> Any:
        found = answer(tokens.clone())
        numbers = compare.as_tensor(found)
        fits = numbers is not None and numbers.numel() == tokens.numel()
        return numbers.reshape(wanted) if numbers is not None and fits else found

    yield Case(f"({shape(tokens)}), its numbers", ask)


def _for_attention(rng: Random) -> Iterator[Case]:
    tokens = text(rng, rng.randint(2, 4), 12, 40)
    tokens[0, 1] = UNK
    nothing = encodings.create("none", d_model=8, num_heads=2)
    attention = _filled(MultiHeadAttention(nothing), norm=True).double()
    draw = Generator().manual_seed(rng.randrange(2**31))
    x = torch.randn(len(tokens), 12, 8, dtype=torch.float64, generator=draw)

    def ask(answer: Answer) -> Any:
        found = answer(tokens.clone())
        if found is None:
            return None
        if not isinstance(found, Tensor):
            return {"shape": getattr(found, "shape", "none"), "kind of number": str(type(found))}
        seen: dict[str, Any] = {"shape": tuple(found.shape), "kind of number": str(found.dtype)}
        if seen == {"shape": (len(tokens), 1, 1, 12), "kind of number": "torch.bool"}:
            seen["each row as without its padding"] = all(
                math.isclose(0, _alone(attention, x, tokens, found, n), abs_tol=1e-9)
                for n in range(len(tokens))
            )
        return seen

    yield Case(f"({shape(tokens)}), as the mask of an attention", ask)


def _alone(attention: nn.Module, x: Tensor, tokens: Tensor, mask: Tensor, n: int) -> float:
    """How far row n with its padding is from the same without."""
    length = int((tokens[n] != PAD).sum())
    with torch.no_grad():
        alone = attention(x[n : n + 1, :length])
        found = attention(x, mask)[n : n + 1, :length]
    return float((found - alone).abs().max())


padding = Exercise(
    "padding",
    padding_mask,
    (
        Part("True where a token is real", 0.5, _real),
        Part("as attention wants it", 0.5, _for_attention),
    ),
    PADDING,
)
