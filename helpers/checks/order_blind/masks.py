"""Unit 01, “Two masks”: what it asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call, compare
from helpers.checks.order_blind import common


def _mask_cases(rng: Random, causal: bool) -> Iterator[Case]:
    """A full sequence and one of one token among others; all with padding; B = T; and T = 1."""
    num_tokens = rng.randint(6, 8)
    lengths = [1, num_tokens, rng.randint(2, num_tokens - 1)]
    rng.shuffle(lengths)
    yield _mask_case(lengths, num_tokens, causal)
    yield _mask_case([rng.randint(2, 4) for _ in range(9)], num_tokens, causal)
    yield _mask_case([1, 3, 2, 4], 4, causal)
    yield _mask_case([1, 1], 1, causal)


def _mask_case(lengths: list[int], num_tokens: int, causal: bool) -> Case:
    def told(found: Any) -> Any:
        if type(found) is not Tensor:
            return compare.no_plain_tensor(found)
        boolean = found.dtype == torch.bool
        with contextlib.suppress(RuntimeError):  # what broadcasts to the shape is as good
            found = found.expand(len(lengths), 1, num_tokens, num_tokens)
        return {"it holds True and False": boolean, "who may look at whom": found.bool()}

    asked = call(torch.tensor(lengths), num_tokens, *[True] * causal).map(told)
    return asked.labelled(f"({lengths}, {num_tokens}{', causal=True' if causal else ''})")


masks = Exercise(
    "masks",
    common.attention_mask,
    (
        Part("padding", 0.5, partial(_mask_cases, causal=False)),
        Part("padding and causal", 0.5, partial(_mask_cases, causal=True)),
    ),
    explains=("The axis of size 1 is for the heads", "Every length is at least 1."),
    module=__name__,
)
