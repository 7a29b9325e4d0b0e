"""The lag language: each token follows from the one `lag` places before it.

Only order tells what stands behind a [MASK], so a model without positions must fail, and how
well any model can do is known exactly.
"""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from helpers.corpora.masking import MaskedBatch, corrupt, evidence, negative_log_likelihood


class LagLanguage:
    """x_t = π(x_{t−lag}) with probability `fidelity`, otherwise any symbol, uniformly.

    Args:
        num_symbols: V, number of symbols; the id of [MASK] is V, so a model needs V + 1 ids.
        lag: distance in tokens.
        fidelity: probability with which the rule holds.
        seed: draws the permutation π.

    Raises:
        ValueError: `lag` is below 1.
    """

    def __init__(
        self, num_symbols: int = 8, lag: int = 3, fidelity: float = 0.9, seed: int = 0
    ) -> None:
        if lag < 1:
            raise ValueError(f"lag={lag} must be at least 1")
        self.num_symbols, self.lag, self.fidelity = num_symbols, lag, fidelity
        self.mask_id = num_symbols
        self.vocab_size = num_symbols + 1
        self.rule = torch.randperm(num_symbols, generator=Generator().manual_seed(seed))
        # transition[x, y] = P(x_t = y | x_{t−lag} = x), float64
        follow = torch.eye(num_symbols, dtype=torch.float64)[self.rule]
        self.transition = fidelity * follow + (1 - fidelity) / num_symbols

    def sample(self, batch: int, length: int, generator: Generator) -> Tensor:
        """Draw token ids (batch, length), int64."""
        tokens = torch.randint(self.num_symbols, (batch, length), generator=generator)
        keeps = torch.rand(batch, length, generator=generator) < self.fidelity
        for t in range(self.lag, length):
            tokens[:, t] = torch.where(
                keeps[:, t], self.rule[tokens[:, t - self.lag]], tokens[:, t]
            )
        return tokens

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw a fresh batch with BERT's corruption; each field (batch, length)."""
        tokens = self.sample(batch, length, generator)
        return corrupt(tokens, self.num_symbols, self.mask_id, generator)

    def posterior(self, masked: MaskedBatch) -> Tensor:
        """Compute P(x_t | all inputs, place t was selected), (B, T, V), float64, exact.

        Forward–backward over the chain t, t+lag, t+2·lag, …; a neighbour's evidence does not know
        whether that neighbour was selected, the scored place does.
        """
        unsure, scored = evidence(masked.inputs, self.num_symbols)
        forward = self._messages(unsure, self.transition)
        backward = self._messages(unsure.flip(1), self.transition.T).flip(1)
        posterior = forward * backward * scored
        return posterior / posterior.sum(-1, keepdim=True)

    def _messages(self, evidence: Tensor, step: Tensor) -> Tensor:
        """Compute what the places before t say about t, without its own evidence; (B, T, V)."""
        messages = torch.ones_like(evidence)
        for t in range(self.lag, evidence.shape[1]):
            message = (messages[:, t - self.lag] * evidence[:, t - self.lag]) @ step
            messages[:, t] = message / message.sum(-1, keepdim=True)
        return messages

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Compute the lowest mean loss, in nats per selected token, possible on `masked`.

        A trained model may lie below it only by noise; further below means a leak.
        """
        return negative_log_likelihood(self.posterior(masked), masked)
