"""Unit 01, “Multi-head attention”: questions with scores beyond exp, with a mask and without."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, call
from helpers.checks.order_blind import common

HEAD = 4  # columns of a head: the root is whole, so that the large part of a score is exact
LARGE, HUGE = 120.0, 999_999.0  # exp of the first is beyond float32, of the second beyond float64
LENGTH = 6


def large_scores(rng: Random) -> Iterator[Case]:
    """One key's score is the largest or the smallest among others that are nearly as far from 0."""
    for score in (LARGE, -LARGE, HUGE, -HUGE):
        scores = torch.full((2, LENGTH), 0.999 * score)
        scores[:, rng.randrange(LENGTH)] = score
        yield _case(rng, f"scores near {_words(score)}", scores)


def hidden_scores(rng: Random) -> Iterator[Case]:
    """The largest score of a row is one that the mask hides."""
    lengths = torch.tensor([rng.randint(2, LENGTH - 2), LENGTH - 1])
    padding = common.attention_mask(lengths, LENGTH)[:, :, :1]
    causal = torch.ones(LENGTH, LENGTH).tril().bool()
    for score in (LARGE, HUGE):
        words = f"scores of {_words(score)} where the mask hides, of {_words(-score)} where not"
        yield _case(rng, words, torch.where(padding[:, 0, 0], -score, score), padding)
        words = f"scores from {_words(-score)} to {_words(score)}, the later the larger"
        rising = torch.linspace(-score, score, LENGTH).round().expand(2, -1)
        yield _case(rng, words, rising, causal)


def _case(rng: Random, words: str, scores: Tensor, mask: Tensor | None = None) -> Case:
    """In all heads the keys have these scores (B, T), small ones an addition of the head's own."""
    heads = rng.randint(2, 3)
    width = heads * HEAD
    x = common.normal_numbers(rng, *scores.shape, width)
    x[..., 0], x[..., 1] = HEAD**0.5, scores
    w_q, w_k, w_v, w_o = common.normal_numbers(rng, 4, width, width) * width**-0.5
    w_v[:2] = 0  # the values stay near 1
    for row, weight in enumerate((w_q, w_k)):
        weight[:2] = 0
        if scores.abs().max() > LARGE:  # there float32 has no room for an addition
            weight.zero_()
        weight[:, ::HEAD] = 0
        weight[row, ::HEAD] = 1
    given = () if mask is None else (mask,)
    shape = "" if mask is None else f", a mask {tuple(mask.shape)}"
    label = f"(x of shape {tuple(x.shape)}, four weights, num_heads={heads}{shape}), {words}"
    return common.finite_too(Case(label, partial(_asked, (x, w_q, w_k, w_v, w_o, heads, *given))))


def _asked(given: tuple[Any, ...], answer: Answer) -> Any:
    return call(*given).ask(answer)


def _words(score: float) -> str:
    return f"{score:,.0f}".replace("-", "−")
