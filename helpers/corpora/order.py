"""The smallest task of order: which of two symbols stands first?

Every sequence comes with its twin, in which the two have changed places and so the answer too. A
model that knows only the bag of tokens sees no difference between them.
"""

from __future__ import annotations

import torch
from torch import Generator

from helpers.corpora.masking import MaskedBatch


class WhichFirst:
    """A (id 0) and B (id 1) once each among other symbols, [?] (id 2) at the end is the question.

    Args:
        num_symbols: how many other symbols there are; their ids begin at 3.
        causal: tell the model, by its argument `mask`, to look at nothing later.
    """

    FIRST, SECOND, QUESTION = 0, 1, 2

    def __init__(self, num_symbols: int = 5, causal: bool = False) -> None:
        self.vocab_size, self.causal = num_symbols + 3, causal

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw half a batch of sequences, then their twins; only [?] is scored.

        Raises:
            ValueError: `batch` is odd, or `length` leaves no room for the three.
        """
        if batch % 2 or length < 3:
            raise ValueError(f"batch={batch} must be even and length={length} at least 3")
        rows = torch.arange(batch // 2)
        inputs = torch.randint(3, self.vocab_size, (len(rows), length), generator=generator)
        chances = torch.rand(len(rows), length - 1, generator=generator)
        first, second = chances.topk(2).indices.sort(-1).values.T
        inputs[rows, first], inputs[rows, second] = self.FIRST, self.SECOND
        inputs[:, -1] = self.QUESTION
        twins = inputs.clone()
        twins[rows, first], twins[rows, second] = self.SECOND, self.FIRST
        answers = torch.tensor([self.FIRST, self.SECOND]).repeat_interleave(len(rows))
        scored = (torch.arange(length) == length - 1).expand(batch, -1)
        given = {"mask": torch.ones(length, length).tril().bool()} if self.causal else {}
        targets = answers[:, None].expand(-1, length)
        return MaskedBatch(torch.cat([inputs, twins]), targets, scored, given)

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Return 0: there is no chance in the answer."""
        return 0.0
