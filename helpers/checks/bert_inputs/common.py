"""Unit 07: what several of its exercises draw and ask with."""

from __future__ import annotations

from random import Random
from zlib import crc32

import torch
from torch import Generator, Tensor, nn

from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, SPECIAL, UNK

FIRST_WORD = len(SPECIAL)  # the lowest id of a word


def with_fixed_weights(
    module: nn.Module, norm: bool, dtype: torch.dtype = torch.float32
) -> nn.Module:
    """Weights that depend on their names only, so that two modules compute the same."""
    for name, weight in module.named_parameters():
        if norm or not name.startswith("norm"):
            draw = Generator().manual_seed(crc32(name.encode()))
            weight.data = torch.randn(weight.shape, generator=draw).to(dtype)
    return module


def random_ids(rng: Random, rows: int, length: int, vocab_size: int) -> Tensor:
    """Ids of pairs as in a batch: [CLS] … [SEP] … [SEP], and padding of any length.

    A few [UNK] and [MASK] stand among the words.
    """
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(FIRST_WORD, vocab_size, (rows, length), generator=draw)
    tokens[torch.rand(rows, length, generator=draw) < 0.02] = UNK
    tokens[torch.rand(rows, length, generator=draw) < 0.02] = MASK
    tokens[:, 0], tokens[:, length // 4] = CLS, SEP
    end = torch.randint(length // 2, length, (rows, 1), generator=draw)
    place = torch.arange(length)
    tokens[place == end] = SEP
    tokens[place > end] = PAD
    return tokens


def shape_in_words(tokens: Tensor) -> str:
    """The shape of the tokens, for a label."""
    return f"tokens of shape {tuple(tokens.shape)}"
