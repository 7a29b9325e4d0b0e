"""BERT's corruption of its input (Devlin et al. 2018, section 3.1, task 1)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Generator, Tensor

SELECTED, MASKED, RANDOM = 0.15, 0.80, 0.10  # of the selected, the other 0.10 stay as they are


class Masked(NamedTuple):
    """What the model sees, what was there, and where it is scored; each (B, T)."""

    inputs: Tensor
    targets: Tensor
    selected: Tensor


def corrupt(tokens: Tensor, num_symbols: int, mask_id: int, generator: Generator) -> Masked:
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
    return Masked(inputs, tokens, selected)
