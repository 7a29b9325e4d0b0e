"""Pictures of symbols: each patch follows from the one a fixed step away, by row and by column.

Read row by row, that step is another number of places in a picture of another width, so a model
must be told rows and columns to go on in a larger picture; and how well any can do is known.
"""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from helpers.corpora.masking import MaskedBatch, corrupt, evidence, negative_log_likelihood


class Patches:
    """x[r, c] = π(x[r − down, c − right]) with probability `fidelity`, otherwise any symbol.

    A picture is a square of R·R patches, told row by row; those without a patch a step before
    them, at the upper and left border, are drawn uniformly.

    Args:
        step: rows down and columns to the right, neither negative, not both 0.
        num_symbols: V, number of symbols; the id of [MASK] is V, so a model needs V + 1 ids.
        fidelity: probability with which the rule holds.
        told: what the model is given: "places", rows and columns, or "order", nothing.
        seed: draws the permutation π.

    Raises:
        ValueError: `told` is neither, or `step` leads nowhere or backwards.
    """

    def __init__(
        self,
        step: tuple[int, int] = (1, 2),
        num_symbols: int = 8,
        fidelity: float = 0.9,
        told: str = "places",
        seed: int = 0,
    ) -> None:
        if told not in ("places", "order"):
            raise ValueError(f"told={told!r} must be 'places' or 'order'")
        if min(step) < 0 or not any(step):
            raise ValueError(f"step={step} must not be negative, nor (0, 0)")
        self.step, self.num_symbols, self.fidelity, self.told = step, num_symbols, fidelity, told
        self.mask_id = num_symbols
        self.vocab_size = num_symbols + 1
        self.rule = torch.randperm(num_symbols, generator=Generator().manual_seed(seed))
        # transition[x, y] = P(x[r, c] = y | x[r − down, c − right] = x), float64
        follow = torch.eye(num_symbols, dtype=torch.float64)[self.rule]
        self.transition = fidelity * follow + (1 - fidelity) / num_symbols

    def sample(self, batch: int, length: int, generator: Generator) -> Tensor:
        """Draw the symbols of `batch` pictures, row by row, (batch, length), int64."""
        symbols = torch.randint(self.num_symbols, (batch, length), generator=generator)
        keeps = torch.rand(batch, length, generator=generator) < self.fidelity
        for place, before in self._followers(length):
            follows = self.rule[symbols[:, before]]
            symbols[:, place] = torch.where(keeps[:, place], follows, symbols[:, place])
        return symbols

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw fresh pictures with BERT's corruption, each field (batch, length).

        Args:
            batch: number of pictures.
            length: R·R, the patches of one.
            generator: source of randomness.

        Raises:
            ValueError: `length` is no square.
        """
        symbols = self.sample(batch, length, generator)
        masked = corrupt(symbols, self.num_symbols, self.mask_id, generator)
        return masked._replace(given={"positions": places(length)} if self.told == "places" else {})

    def posterior(self, masked: MaskedBatch) -> Tensor:
        """Compute P(x_t | all inputs, patch t was selected), (B, T, V), float64, exact.

        Forward–backward over the chains of patches a step apart, as in the lag language.
        """
        unsure, scored = evidence(masked.inputs, self.num_symbols)
        pairs = self._followers(masked.inputs.shape[1])
        forward = _messages(unsure, self.transition, pairs)
        back = [(before, place) for place, before in reversed(pairs)]
        posterior = forward * _messages(unsure, self.transition.T, back) * scored
        return posterior / posterior.sum(-1, keepdim=True)

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Compute the lowest mean loss, in nats per selected patch, possible on `masked`."""
        return negative_log_likelihood(self.posterior(masked), masked)

    def _followers(self, length: int) -> list[tuple[int, int]]:
        """Return each patch that follows from another, and that one, as places row by row."""
        down, right = self.step
        return [
            (row * side + column, (row - down) * side + column - right)
            for side in [_side(length)]
            for row in range(down, side)
            for column in range(right, side)
        ]


def places(length: int) -> Tensor:
    """Return row and column of each patch of a square picture, (1, length, 2), int64."""
    side = _side(length)
    return torch.cartesian_prod(torch.arange(side), torch.arange(side))[None]


def _messages(evidence: Tensor, step: Tensor, pairs: list[tuple[int, int]]) -> Tensor:
    """Compute what a patch hears from the one before it, without its evidence; (B, T, V)."""
    messages = torch.ones_like(evidence)
    for place, before in pairs:
        message = (messages[:, before] * evidence[:, before]) @ step
        messages[:, place] = message / message.sum(-1, keepdim=True)
    return messages


def _side(length: int) -> int:
    side = math.isqrt(length)
    if side * side != length or not length:
        raise ValueError(f"length={length} must be a square: pictures have R·R patches")
    return side
