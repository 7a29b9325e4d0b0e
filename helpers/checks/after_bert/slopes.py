"""Unit 05, “Slopes for any number of heads”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.encodings import distance

POWERS, OTHERS = "powers of 2", "any other number of heads"
DTYPES = (torch.float32, torch.float64)


def _slopes(num_heads: int) -> Tensor:
    """2^(−8h/P) for the largest power P of 2 up to H, then every second one for 2P, (H,)."""
    return distance.alibi_slopes(num_heads)


def _as_tensor(num_heads: int) -> Case:
    def ask(answer: Answer) -> Any:
        found = answer(num_heads)
        return {"its type": _kind(found), "its dtype": _dtype(found), "the slopes": found}

    return Case(f"({num_heads})", ask)


def _kind(found: Any) -> str:
    """A parameter is a tensor as well."""
    return "Tensor" if isinstance(found, Tensor) else type(found).__name__


def _dtype(found: Any) -> str:
    """Either of the two will do; of anything else it is said what it is."""
    dtype = found.dtype if isinstance(found, Tensor) else DTYPES[0]
    return "float32 or float64" if dtype in DTYPES else str(dtype).removeprefix("torch.")


def _powers(_rng: Random) -> Iterator[Case]:
    return (_as_tensor(heads) for heads in (8, 4, 16, 1, 2, 32, 64, 128, 256, 512, 2048))


def _other_numbers(rng: Random) -> Iterator[Case]:
    numbers = [*range(3, 72), rng.randint(72, 127), rng.randint(129, 255)]
    numbers += [rng.randint(257, 511), rng.randint(513, 900), rng.randint(1025, 2000)]
    numbers += rng.sample(range(65, 71), 2)  # asked before, which makes no difference
    return (_as_tensor(heads) for heads in numbers if heads & (heads - 1))


slopes = Exercise(
    "slopes",
    _slopes,
    (
        Part(POWERS, 1, _powers),
        Part(OTHERS, 1, _other_numbers),
    ),
    forbidden=(encodings.Alibi, distance.alibi_slopes),
    # The last slope is 1/256, of which the usual 1e-4 would be 3 %.
    tolerance=3e-6,
    explains=("For $H = 3$ that is",),
    module=__name__,
)
