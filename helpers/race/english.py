"""English for the race: masked words of docstrings, which need no network."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import torch
from torch import Generator, Tensor

from helpers.corpora import MaskedBatch
from helpers.corpora.english import docstrings
from helpers.corpora.masking import corrupt

VOCABULARY = 1000  # the most frequent words and signs, without the one that stands for all others
OTHER = VOCABULARY
EVERY = 20  # one document in so many is kept for the test


class EnglishWords:
    """Say the hidden words of running text; a selected word is corrupted as BERT does it.

    The text is that of this machine's packages, the same for all encodings of a race there. Its
    lowest possible loss is not known: `bayes_loss` is 0.

    Args:
        draw: 0 or 1, which half of the documents.
        test: True for documents that no training has.
    """

    vocab_size = VOCABULARY + 2  # OTHER, and the mask

    def __init__(self, draw: int, test: bool) -> None:
        self.words = _stream(draw, test)

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Return stretches of the text, (batch, length), each from anywhere."""
        first = torch.randint(len(self.words) - length, (batch, 1), generator=generator)
        tokens = self.words[first + torch.arange(length)]
        return corrupt(tokens, VOCABULARY + 1, VOCABULARY + 1, generator)

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Return 0, as the limit is not known."""
        return 0.0


@cache
def _documents() -> list[list[str]]:
    return [
        re.findall(r"\w+|[^\w\s]", " ".join(sentences).lower())
        for sentences in docstrings().documents
    ]


@cache
def _stream(draw: int, test: bool) -> Tensor:
    """Return the numbers of the words, one document after another, (N,)."""
    documents = _documents()
    counted = Counter(word for each in documents for word in each)
    number = {word: n for n, (word, _) in enumerate(counted.most_common(VOCABULARY))}
    mine = [each for n, each in enumerate(documents[draw::2]) if (n % EVERY == 0) == test]
    return torch.tensor([number.get(word, OTHER) for each in mine for word in each])
