"""Unit 07, “15 %, and 80/10/10”: what one call gives, and how the calls of a generator differ."""

from __future__ import annotations

from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs import mask_counted
from helpers.checks.engine import Answer
from helpers.corpora.wordpiece import MASK


def masked_with(
    answer: Answer, tokens: Tensor, vocab_size: int, seed: int, *probability: float
) -> Any:
    draw = Generator().manual_seed(seed)
    return mask_counted.two(answer(tokens.clone(), vocab_size, draw, *probability), tokens)


def again(tokens: Tensor, seed: int, answer: Answer) -> Any:
    def masked(draw: Generator) -> tuple[Tensor, Tensor]:
        return mask_counted.two(answer(tokens.clone(), 50, draw, 0.5), tokens)

    draw = Generator().manual_seed(seed)
    once, repeated, other = masked(draw), masked(Generator().manual_seed(seed)), masked(draw)
    another = masked(Generator().manual_seed(seed + 1))
    default, given = (
        masked_with(answer, tokens, 50, seed, *probability) for probability in ((), (0.15,))
    )
    return {
        "two generators with the same seed give the same result": torch.equal(
            torch.cat(once), torch.cat(repeated)
        ),
        "the default of probability is 0.15": torch.equal(default[1], given[1]),
        "the next call gives different targets": not torch.equal(once[1], other[1]),
        "a generator with another seed gives different targets": not torch.equal(
            once[1], another[1]
        ),
    }


def other_words(tokens: Tensor, seed: int, answer: Answer) -> dict[str, bool]:
    """Whether the random words are others in the next call, and with another generator."""

    def replaced(draw: Generator) -> Tensor:
        seen, _ = mask_counted.two(answer(tokens.clone(), 30_000, draw, 1.0), tokens)
        return torch.where((seen == MASK) | (seen == tokens), -1, seen)

    def alike(one: Tensor, other: Tensor) -> bool:
        both = (one >= 0) & (other >= 0)  # some fifty of the tokens
        return bool((one == other)[both].double().mean() > 0.5)

    draw = Generator().manual_seed(seed)
    once, following = replaced(draw), replaced(draw)
    another = replaced(Generator().manual_seed(seed + 1))
    return {
        "the next call draws different random words": not alike(once, following),
        "a generator with another seed draws different random words": not alike(once, another),
    }
