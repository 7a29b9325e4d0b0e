"""The tree language: each word follows from the one it hangs on, and the words are shuffled.

The order of the words says nothing; who hangs on whom is told beside them.
"""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from helpers.corpora.masking import MaskedBatch, corrupt, evidence, negative_log_likelihood
from helpers.encodings import tree_depths, tree_offsets


class TreeLanguage:
    """A word is π(its parent) with probability `fidelity`, otherwise any symbol, uniformly.

    Args:
        num_symbols: V, number of symbols; the id of [MASK] is V, so a model needs V + 1 ids.
        fidelity: probability with which the rule holds.
        told: what the model is given: "offsets", "depths" or nothing.
        seed: draws the permutation π.
    """

    def __init__(
        self, num_symbols: int = 8, fidelity: float = 0.9, told: str = "offsets", seed: int = 0
    ) -> None:
        if told not in ("offsets", "depths", "nothing"):
            raise ValueError(f"told={told!r} must be 'offsets', 'depths' or 'nothing'")
        self.num_symbols, self.fidelity, self.told = num_symbols, fidelity, told
        self.mask_id = num_symbols
        self.vocab_size = num_symbols + 1
        self.rule = torch.randperm(num_symbols, generator=Generator().manual_seed(seed))
        # transition[x, y] = P(child = y | parent = x), float64
        follow = torch.eye(num_symbols, dtype=torch.float64)[self.rule]
        self.transition = fidelity * follow + (1 - fidelity) / num_symbols

    def sample(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Draw token ids and parents (−1 for the root), each (batch, length), in random order."""
        tokens = torch.randint(self.num_symbols, (batch, length), generator=generator)
        keeps = torch.rand(batch, length, generator=generator) < self.fidelity
        draws = torch.rand(batch, length, generator=generator)
        parents = torch.full((batch, length), -1)
        for n in range(1, length):  # each new word hangs on any of those before it
            parents[:, n] = (draws[:, n] * n).long()
            above = tokens.gather(1, parents[:, n, None])[:, 0]
            tokens[:, n] = torch.where(keeps[:, n], self.rule[above], tokens[:, n])
        order = torch.rand(batch, length, generator=generator).argsort(1)  # place → word
        place = order.argsort(1)  # word → place
        parents = torch.where(parents < 0, -1, place.gather(1, parents.clamp(min=0)))
        return tokens.gather(1, order), parents.gather(1, order)

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw a fresh batch with BERT's corruption, and the trees as the model is told of them."""
        tokens, parents = self.sample(batch, length, generator)
        masked = corrupt(tokens, self.num_symbols, self.mask_id, generator)
        given = {}
        if self.told == "offsets":
            given["offsets"] = tree_offsets(parents)
        elif self.told == "depths":
            given["positions"] = tree_depths(parents)
        return masked._replace(given=given, parents=parents)

    def posterior(self, masked: MaskedBatch) -> Tensor:
        """Compute P(x_t | all inputs, the tree, place t was selected), (B, T, V), float64, exact.

        Belief propagation: each word hears from its children, deepest first, then from its
        parent, which tells what it knows but for what that word has said.
        """
        if masked.parents is None:
            raise ValueError("parents are missing: this batch is of no tree language")
        parents = masked.parents
        unsure, scored = evidence(masked.inputs, self.num_symbols)
        depths = tree_depths(parents)
        above = parents.clamp(min=0)[..., None].expand_as(unsure)
        said = torch.zeros_like(unsure)  # log of what a word tells its parent
        heard = torch.zeros_like(unsure)  # log of what a word has heard from its children
        for depth in range(int(depths.max()), 0, -1):
            here = (depths == depth)[..., None]
            message = ((unsure * heard.exp()) @ self.transition.T).log()
            said = torch.where(here, message, said)
            heard = heard.scatter_add(1, above, torch.where(here, message, 0.0))
        told = torch.ones_like(unsure)  # what a word hears from its parent; the root: nothing
        for depth in range(1, int(depths.max()) + 1):
            knows = unsure.log() + heard + told.log()
            message = (knows.gather(1, above) - said).softmax(-1) @ self.transition
            told = torch.where((depths == depth)[..., None], message, told)
        posterior = scored * heard.exp() * told
        return posterior / posterior.sum(-1, keepdim=True)

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Compute the lowest mean loss, in nats per selected token, that any model can have."""
        return negative_log_likelihood(self.posterior(masked), masked)
