"""Two tasks whose answer stands somewhere else in the input: only order leads to it.

Both can be solved without error, so the limit is 0.
"""

from __future__ import annotations

import torch
from torch import Generator

from helpers.corpora.masking import MaskedBatch


class Shift:
    """Say the symbol `lag` places back: y_t = x_{t−lag}; the first `lag` places are not scored.

    Args:
        num_symbols: V, number of symbols.
        lag: distance in tokens.
    """

    def __init__(self, num_symbols: int = 8, lag: int = 3) -> None:
        self.vocab_size, self.lag = num_symbols, lag

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw fresh sequences and their answers, (batch, length) each."""
        inputs = torch.randint(self.vocab_size, (batch, length), generator=generator)
        scored = torch.arange(length) >= self.lag
        return MaskedBatch(inputs, inputs.roll(self.lag, 1), scored.expand(batch, -1))

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Return 0: there is no chance in the answer."""
        return 0.0


class Reverse(Shift):
    """Say the sequence backwards: y_t = x_{T−1−t}; which place that is depends on the length."""

    def __init__(self, num_symbols: int = 8) -> None:
        super().__init__(num_symbols, lag=0)

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw fresh sequences and their answers, (batch, length) each."""
        masked = super().batch(batch, length, generator)
        return masked._replace(targets=masked.inputs.flip(1))
