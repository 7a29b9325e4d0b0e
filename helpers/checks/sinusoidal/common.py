"""Unit 02: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from helpers import encodings
from helpers.checks.engine import Answer, Case
from helpers.checks.positions import given
from helpers.encodings import Encoding


def large_base(rng: Random) -> float:
    """A base well above the paper's, one of too many to work out beforehand."""
    return float(rng.randint(20_000, 90_000))


def small_base(rng: Random) -> float:
    """A base below 13, no whole number."""
    return rng.randint(2, 12) + rng.choice([0.25, 0.5, 0.75])


def base_near_one(rng: Random) -> float:
    """A base between 1 and 1.01."""
    return 1 + rng.randint(2, 9) / 1000


def huge_base(rng: Random) -> float:
    """A base of some millions."""
    return float(rng.randint(2_000_000, 90_000_000))


def even_widths(rng: Random) -> tuple[int, int]:
    """Two D from 10 to 24: one is a multiple of 4, the other is not."""
    return 4 * rng.randint(3, 6), 4 * rng.randint(2, 5) + 2


def odd_widths(rng: Random) -> tuple[int, int]:
    """Two D from 9 to 23: 1 and 3 beyond a multiple of 4."""
    return 4 * rng.randint(2, 5) + 1, 4 * rng.randint(2, 5) + 3


def wide(rng: Random) -> int:
    """D as large as in BERT, even and no multiple of 4."""
    return 4 * rng.randint(120, 190) + 2


def uneven_steps(rng: Random) -> int:
    """A width at which steps of 2/D from 0 do not meet 1, by rounding: one column too many."""
    return rng.choice((98, 196, 206, 214))


def random_length(rng: Random) -> int:
    """How many positions, more than the widths above."""
    return rng.randint(26, 60)


def short_length(rng: Random) -> int:
    """How many positions, fewer than the widths above."""
    return rng.randint(3, 8)


def long_length(rng: Random) -> int:
    """How many positions, more than the longest input of BERT."""
    return rng.randint(513, 600)


def very_long_length(rng: Random) -> int:
    """How many positions, more than half precision can count (2048): for D up to 4.

    With so small a D the angles of float32 are still within the tolerance.
    """
    return rng.randint(2_600, 2_900)


def slow_sines(rng: Random, width: int) -> Case:
    """A thousand times the last sine of the first rows: rounding in float32 is relative to it."""
    length = short_length(rng)

    def ask(answer: Answer) -> Any:
        return answer(length, width)[:, -2 + width % 2] * 1000

    return Case(f"a thousand times the last column of sines of ({length}, {width})", ask)


def slow_hands(rng: Random) -> Case:
    """Slow hands that have turned by a third of a radian to two: too far for a short series."""
    length, width = long_length(rng), wide(rng)
    columns = [2 * (tenth * width // 20) + odd for tenth in (6, 7, 8) for odd in (0, 1)]

    def ask(answer: Answer) -> Any:
        found = answer(length, width)
        return {f"column {column}": found[:, column] for column in columns}

    return Case(f"slow hands of ({length}, {width})", ask)


class ToTheCpu(TorchFunctionMode):
    """Whether something is fetched to the CPU by name: a GPU or `meta` would take seconds here."""

    fetched = False

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Note the calls that bring a tensor to the CPU whatever device it is on."""
        named = [each for each in (*args, *(kwargs or {}).values()) if isinstance(each, str)]
        if func is Tensor.cpu or (func is Tensor.to and "cpu" in named):
            self.fetched = True
        return func(*args, **(kwargs or {}))


class RightModule(Encoding):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        self.keep(encodings.sinusoidal_table(max_len, d_model, base).float())

    def keep(self, table):
        self.register_buffer("table", table)

    def check(self, length):
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def rows(self, x, positions):
        return self.table[: x.shape[1]] if positions is None else self.table[positions]

    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.rows(x, given(positions)).to(x.dtype)
