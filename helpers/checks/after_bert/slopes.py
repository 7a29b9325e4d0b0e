"""Unit 05, “Slopes for any number of heads”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from torch import Tensor

from helpers import encodings
from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.encodings import distance


def _slopes(num_heads: int) -> Tensor:
    """Return 2^(−8h/P) for the largest power P of 2 up to H, then every second one for 2P, (H,)."""
    return distance.alibi_slopes(num_heads)


def _powers(_rng: Random) -> Iterator[Case]:
    return (call(heads).map(with_dtype) for heads in (8, 4, 16, 1, 2, 32, 64, 512))


def _other_numbers(rng: Random) -> Iterator[Case]:
    numbers = [*range(3, 41), rng.randint(65, 127), rng.randint(129, 255), rng.randint(513, 900)]
    return (call(heads).map(with_dtype) for heads in numbers if heads & (heads - 1))


slopes = Exercise(
    "slopes",
    _slopes,
    (Part("powers of 2", 1, _powers), Part("any other number of heads", 1, _other_numbers)),
    forbidden=(encodings.Alibi, distance.alibi_slopes),
    # The last slope is 1/256, of which the usual 1e-4 would be 3 %.
    tolerance=3e-6,
    explains=("For $H = 3$ that is",),
    module=__name__,
)
