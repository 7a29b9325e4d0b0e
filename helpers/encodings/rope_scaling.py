"""RoPE for texts longer than those of the training: other frequencies θ of the pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from helpers.encodings.positions import Positions, in_float64
from helpers.encodings.rotary import Rotary


class Extended(Rotary):
    """The base class of all extensions of RoPE.

    Args:
        factor: s, how many times longer a text may be than in training; at least 1.
        original_max_len: L, the longest text of the training, in tokens; `max_len` if not given.
        sizes: d_model, num_heads and max_len, as in `Encoding`.
        rotary: `base`, `layout` and `partial_rotary_factor` of `Rotary`.
    """

    def __init__(
        self,
        *sizes: Any,
        factor: float = 4.0,
        original_max_len: int | None = None,
        **rotary: Any,
    ) -> None:
        super().__init__(*sizes, **rotary)
        self.factor = factor
        self.original_max_len = self.max_len if original_max_len is None else original_max_len
        for name in ("factor", "original_max_len"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name):g} must be at least 1")

    def mixed(self, theta: Tensor, gamma: Tensor) -> Tensor:
        """Return γ_n θ_n + (1 − γ_n) θ_n/s."""
        return (1 - gamma) * theta / self.factor + gamma * theta


class Interpolated(Extended):
    """Position interpolation: reads position p as p/s, so that no position is new."""

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return θ_n/s, which rotates by p as θ_n does by p/s."""
        return super().frequencies(pair, positions) / self.factor


class Ntk(Extended):
    """NTK-aware interpolation: a larger base. The fastest θ stays, the slowest is divided by s."""

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return base^(−2n/r)·s^(−2n/(r−2)); a single pair stays as it is."""
        theta = super().frequencies(pair, positions)
        return theta * self.factor ** (-2 * pair / max(self.rotary_dim - 2, 1))


class ByLength(Extended):
    """The base class of extensions whose θ depends on the length of the text.

    Args:
        rerotate: rotate all cached keys anew at each step, as in the papers. If false, each key
            stays as it was rotated when it was read, as in transformers: that is quicker, but
            keys are then rotated for different lengths.
        sizes, extended: sizes and options of `Extended`.
    """

    def __init__(self, *sizes: Any, rerotate: bool = True, **extended: Any) -> None:
        super().__init__(*sizes, **extended)
        self.rerotate = rerotate


class DynamicNtk(ByLength):
    """NTK-aware interpolation whose s grows with the text, and is 1 up to the trained length.

    s = factor·T/L − (factor − 1), where T is the largest position plus 1. With two or more layers,
    decoding with a cache differs from one forward pass: cached keys are rotated anew with the
    current s, but the hidden states that they were projected from were computed with an earlier s.
    All documents packed in one row have the s of the longest.
    """

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return θ as in `Ntk`, (B or 1, 1, r/2), for each text by its own s."""
        length = in_float64(positions.lengths()[..., None])  # (B or 1, 1, 1)
        times = length.clamp(min=self.original_max_len) / self.original_max_len
        s = self.factor * times - (self.factor - 1)
        theta = super().frequencies(pair, positions)
        return theta * s ** (-2 * pair / max(self.rotary_dim - 2, 1))


class Yarn(Extended):
    """YaRN: keeps pairs that turn often within the trained length, and interpolates slow ones.

    γ_n goes from 1 to 0 in a ramp over n, as in the authors' code; in the paper, in a ramp over the
    number of turns. Queries and keys are multiplied by 0.1·ln s + 1.

    Args:
        fast: pairs that make more turns within the trained length stay; β in the paper.
        slow: pairs that make fewer turns are interpolated; α in the paper, from 0 to `fast`.
        temperature: multiply by 0.1·ln s + 1.
        truncate: let the ramp begin and end at a whole n; gpt-oss does not.
        sizes, extended: sizes and options of `Extended`.
    """

    def __init__(
        self,
        *sizes: Any,
        fast: float = 32.0,
        slow: float = 1.0,
        temperature: bool = True,
        truncate: bool = True,
        **extended: Any,
    ) -> None:
        super().__init__(*sizes, **extended)
        if not 0 < slow < fast:
            raise ValueError(f"slow={slow:g} must be positive, and fast={fast:g} above it")
        if self.base <= 1:
            raise ValueError(f"base={self.base:g} must be above 1, or there is no ramp over pairs")
        self.fast, self.slow = fast, slow
        self.temperature, self.truncate = temperature, truncate
        if temperature:
            self.attention_factor = 0.1 * math.log(self.factor) + 1

    def _pair_with(self, turns: float) -> float:
        """Return n of the pair that makes so many turns within the trained length; no integer."""
        ratio = self.original_max_len / (turns * 2 * math.pi)
        return self.rotary_dim * math.log(ratio) / 2 / math.log(self.base)

    def ramp(self, pair: Tensor) -> Tensor:
        """Return γ_n: 1 where a pair stays, 0 where it is interpolated."""
        low, high = self._pair_with(self.fast), self._pair_with(self.slow)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low = max(low, 0)
        high = max(low, min(high, self.rotary_dim - 1))
        return 1 - ((pair - low) / (high - low or 0.001)).clamp(0, 1)

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return γ_n θ_n + (1 − γ_n) θ_n/s."""
        return self.mixed(super().frequencies(pair, positions), self.ramp(pair))


class LongRope(ByLength):
    """LongRoPE: divides each θ_n by a λ_n of its own, found by search; short texts have other λ_n.

    Queries and keys are multiplied by √(1 + ln s/ln L).

    Args:
        long: λ_n of each pair for texts beyond the trained length, r/2 numbers; s if not given.
        short: the same for texts up to the trained length; 1 if not given.
        sizes, extended: sizes and options of `ByLength`.
    """

    def __init__(
        self,
        *sizes: Any,
        long: Sequence[float] | None = None,
        short: Sequence[float] | None = None,
        **extended: Any,
    ) -> None:
        super().__init__(*sizes, **extended)
        pairs = self.rotary_dim // 2
        # Lists, not buffers, which `model.half()` would round.
        self.long = [self.factor] * pairs if long is None else list(long)
        self.short = [1.0] * pairs if short is None else list(short)
        for name, numbers in (("long", self.long), ("short", self.short)):
            if len(numbers) != pairs or min(numbers) <= 0:
                raise ValueError(f"{name}={numbers} must have {pairs} numbers, all positive")
        if self.original_max_len > 1:
            ratio = math.log(self.factor) / math.log(self.original_max_len)
            self.attention_factor = math.sqrt(1 + ratio)

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return θ_n/λ_n for the length of each text, (B or 1, 1, r/2)."""
        length = in_float64(positions.lengths()[..., None])  # (B or 1, 1, 1)
        long, short = (pair.new_tensor(numbers) for numbers in (self.long, self.short))
        theta = super().frequencies(pair, positions)
        return theta / torch.where(length > self.original_max_len, long, short)


class Llama3(Extended):
    """Llama 3.1: keeps pairs with short wavelengths, and interpolates those with long ones.

    γ_n goes from 0 to 1 in a ramp over L/wavelength, the number of turns within the trained length.

    Args:
        high: pairs that make more turns stay; above `low`.
        low: pairs that make fewer turns are interpolated; positive.
        sizes, extended: sizes and options of `Extended`.
    """

    def __init__(self, *sizes: Any, high: float = 4.0, low: float = 1.0, **extended: Any) -> None:
        super().__init__(*sizes, **extended)
        if not 0 < low < high:
            raise ValueError(f"low={low:g} must be positive, and high={high:g} above it")
        self.high, self.low = high, low

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """Return γ_n θ_n + (1 − γ_n) θ_n/s."""
        theta = super().frequencies(pair, positions)
        turns = self.original_max_len * theta / (2 * math.pi)
        return self.mixed(theta, ((turns - self.low) / (self.high - self.low)).clamp(0, 1))
