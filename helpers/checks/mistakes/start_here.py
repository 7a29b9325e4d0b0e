"""Unit 00: what people write instead of the positions."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def positions_from_one(tokens):
    return torch.arange(1, tokens.shape[1] + 1).expand(tokens.shape)


def positions_along_the_batch(tokens):
    return torch.arange(tokens.shape[0])[:, None].expand(tokens.shape)


def positions_of_one_sentence(tokens):
    return torch.arange(tokens.shape[1])


def positions_through_the_whole_batch(tokens):
    return torch.arange(tokens.numel()).view(tokens.shape)


def positions_counted_from_the_end(tokens):
    return torch.arange(tokens.shape[1]).flip(0).expand(tokens.shape)


def positions_squeezed(tokens):
    return torch.arange(tokens.shape[1]).expand(tokens.shape).squeeze()


_MANY, _ONE = "several sentences of several words", "a single sentence, or a single word"
POSITIONS = (
    Mistake(
        positions_from_one,
        "Your first position is 1. Positions count from 0, as rows of a table do.",
        (_MANY, _ONE),
    ),
    Mistake(
        positions_along_the_batch,
        "Your numbers grow from sentence to sentence. tokens is (B, T): the words of a sentence "
        "lie along the second axis.",
        (_MANY, _ONE),
    ),
    Mistake(
        positions_of_one_sentence,
        "These are the positions of one sentence, (T,). Asked is the shape of tokens, (B, T): "
        "every sentence gets the same row.",
        (_MANY, _ONE),
    ),
    Mistake(
        positions_through_the_whole_batch,
        "You count on from one sentence into the next. Each sentence begins at 0 again.",
        (_MANY, _ONE),
    ),
    Mistake(
        positions_counted_from_the_end,
        "You count backwards: the first word is position 0.",
        (_MANY, _ONE),
    ),
    Mistake(
        positions_squeezed,
        "squeeze drops axes of size 1, so a batch with one sentence loses its shape.",
        (_ONE,),
    ),
)
