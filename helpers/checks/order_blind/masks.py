"""Unit 01, “Two masks”: what it asks, and what people write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, compare
from helpers.checks.order_blind import common


def _lengths(rng: Random, longest: int, sequences: int) -> Tensor:
    """One sequence of a single token, one of `longest`, the others in between."""
    between = [rng.randint(2, longest - 1) for _ in range(sequences - 2)]
    lengths = [longest, 1, *between]
    rng.shuffle(lengths)
    return torch.tensor(lengths)


def _mask_cases(rng: Random, causal: bool) -> Iterator[Case]:
    """A full sequence among fewer sequences than tokens; then more sequences, all with padding."""
    num_tokens = rng.randint(6, 8)
    yield _mask_case(num_tokens, _lengths(rng, num_tokens, rng.randint(3, 4)), causal)
    short = _lengths(rng, num_tokens - rng.randint(1, 3), rng.randint(17, 20))
    yield _mask_case(num_tokens, short, causal)
    yield _mask_case(num_tokens, short.flip(0).clamp(min=2), causal)
    yield _mask_case(num_tokens, torch.full((rng.randint(2, 4),), num_tokens), causal)
    yield _mask_case(num_tokens, _lengths(rng, num_tokens, num_tokens), causal)  # B = T
    yield _mask_case(1, torch.ones(rng.randint(1, 3), dtype=torch.int64), causal)
    # More tokens than BERT reads.
    yield _mask_case(rng.randint(522, 530), torch.tensor([rng.randint(514, 520)]), causal)


def _mask_case(num_tokens: int, lengths: Tensor, causal: bool) -> Case:
    shape = (len(lengths), 1, num_tokens, num_tokens)
    arguments = (lengths, num_tokens, True) if causal else (lengths, num_tokens)

    def ask(answer: Answer) -> Any:
        found = call(*arguments).ask(answer)
        tensor = compare.as_tensor(found)
        if tensor is None or isinstance(found, np.ndarray):
            return compare.no_plain_tensor(found)
        # What broadcasts to the shape is as good.
        with contextlib.suppress(RuntimeError):
            tensor = tensor.expand(shape)
        true_or_false = found.dtype == torch.bool
        seen = tensor.bool() if true_or_false else tensor
        return {"it holds True and False": true_or_false, "who may look at whom": seen}

    label = f"({lengths.tolist()}, {num_tokens}{', causal=True' if causal else ''})"
    return Case(label, ask)


masks = Exercise(
    "masks",
    common.attention_mask,
    (
        Part("padding", 0.5, partial(_mask_cases, causal=False)),
        Part("padding and causal", 0.5, partial(_mask_cases, causal=True)),
    ),
    explains=("The axis of size 1 is for the heads.", "Every length is at least 1."),
    module=__name__,
)
