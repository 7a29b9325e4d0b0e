"""BERT's corruption of its input (Devlin et al. 2018, section 3.1, task 1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

SELECTED, MASKED, RANDOM = 0.15, 0.80, 0.10  # of the selected, the other 0.10 stay as they are


class MaskedBatch(NamedTuple):
    """What the model sees, what was there, and where it is scored; each (B, T).

    `given` is what the model is told beside the tokens, by the name of its argument: the offsets
    of a tree, for example.
    """

    inputs: Tensor
    targets: Tensor
    selected: Tensor
    given: Mapping[str, Tensor] = MappingProxyType({})
    parents: Tensor | None = None  # of a tree language, for its limit


def corrupt(tokens: Tensor, num_symbols: int, mask_id: int, generator: Generator) -> MaskedBatch:
    """Select 15 % of the places; make 80 % of them [MASK], 10 % a random symbol, keep 10 %.

    Args:
        tokens: ids (B, T), each below `num_symbols`.
        num_symbols: V, how many ids a random symbol is drawn from.
        mask_id: the id of [MASK].
        generator: source of randomness, on the device of `tokens`.
    """

    def uniform() -> Tensor:
        return torch.rand(tokens.shape, generator=generator, device=tokens.device)

    selected = uniform() < SELECTED
    action = uniform()
    symbols = torch.randint(num_symbols, tokens.shape, generator=generator, device=tokens.device)
    changed = torch.where(action < MASKED, mask_id, symbols)
    inputs = torch.where(selected & (action < MASKED + RANDOM), changed, tokens)
    return MaskedBatch(inputs, tokens, selected)


def evidence(inputs: Tensor, num_symbols: int) -> tuple[Tensor, Tensor]:
    """Compute P(what is shown | the true symbol), twice (B, T, V), float64, up to a factor.

    The first is of a place of which one does not know whether it was selected, the second of one
    that is scored, and so was.
    """
    seen = F.one_hot(inputs, num_symbols + 1)[..., :num_symbols].double()
    random = RANDOM / num_symbols
    kept = 1 - MASKED - RANDOM
    unsure = (1 - SELECTED + SELECTED * kept) * seen + SELECTED * random
    scored = kept * seen + random
    hidden = (inputs == num_symbols)[..., None]
    return torch.where(hidden, 1.0, unsure), torch.where(hidden, 1.0, scored)


def negative_log_likelihood(posterior: Tensor, masked: MaskedBatch) -> float:
    """Return the mean −log of what `posterior` (B, T, V) gives the truth where scored, in nats."""
    right = posterior.gather(-1, masked.targets[..., None])[..., 0]
    return float(-right[masked.selected].log().mean())
