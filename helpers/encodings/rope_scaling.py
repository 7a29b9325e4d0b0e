"""RoPE for texts longer than those of the training: the angles of each pair, slowed down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from helpers.encodings.positions import Positions
from helpers.encodings.rotary import Rotary


class Extended(Rotary):
    """The base of all extensions: by how much, and what the model was trained on.

    Args:
        factor: s, how many times longer a text may be than in training; at least 1.
        original_max_len: L, the length of the training, in tokens; `max_len` if it is not given.
        rotary: `base`, `layout` and `partial_rotary_factor`, as `Rotary` has them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        factor: float = 4.0,
        original_max_len: int | None = None,
        **rotary: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **rotary)
        self.factor = factor
        self.original_max_len = self.max_len if original_max_len is None else original_max_len
        for name in ("factor", "original_max_len"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name):g} must be at least 1")

    def rope(self, pair: Tensor) -> Tensor:
        """θ_n of RoPE itself."""
        return self.base ** (-2 * pair / self.rotary_dim)

    def mixed(self, pair: Tensor, kept: Tensor) -> Tensor:
        """γ_n θ_n + (1 − γ_n) θ_n/s; `kept` is γ_n, 1 where a pair stays as it is."""
        rope = self.rope(pair)
        return (1 - kept) * rope / self.factor + kept * rope


class Interpolated(Extended):
    """Position interpolation: position p is read as p/s, so that none is new."""

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """θ_n/s, which turns p as θ_n turns p/s."""
        return self.rope(pair) / self.factor


class Ntk(Extended):
    """NTK-aware interpolation: a larger base. The fastest pair stays, the slowest slows by s."""

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """base^(−2n/r)·s^(−2n/(r−2)); a single pair stays as it is."""
        return self.rope(pair) * self.factor ** (-2 * pair / max(self.rotary_dim - 2, 1))


class ByLength(Extended):
    """The base of the extensions whose θ depends on the current length of the text.

    Args:
        rerotate: rotate all cached keys anew at each step, as the papers have it. Without, a cache
            keeps each key as it was rotated when it was read, as in transformers: that is quicker,
            and mixes keys that were rotated for different lengths.
        extended: as `Extended` has them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        rerotate: bool = True,
        **extended: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **extended)
        self.rerotate = rerotate

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """θ of each text, (B or 1, 1, r/2), where its positions are."""
        device = positions.keys.device
        double = device.type in ("cpu", "cuda")  # Apple's GPUs have no float64
        exact = torch.float64 if double else torch.float32
        pair = pair.to(device, exact, non_blocking=True)
        return self.by_length(pair, positions.lengths()[..., None])

    def by_length(self, pair: Tensor, length: Tensor) -> Tensor:
        """θ of each pair in texts of some lengths, (B or 1, 1, 1)."""
        raise NotImplementedError


class DynamicNtk(ByLength):
    """NTK-aware interpolation whose s grows with the text, and is 1 up to the trained length.

    s = factor·T/L − (factor − 1), with T the furthest position plus 1. Cached keys are rotated
    anew with the current s. But the hidden states of earlier tokens were computed with an earlier
    s, so with two or more layers, decoding with a cache differs from one forward pass. Documents
    in one row have one s, that of the longest.
    """

    def by_length(self, pair: Tensor, length: Tensor) -> Tensor:
        """As `Ntk`, each text with its own s."""
        longer = length.clamp(min=self.original_max_len).to(pair.dtype) / self.original_max_len
        s = self.factor * longer - (self.factor - 1)
        return self.rope(pair) * s ** (-2 * pair / max(self.rotary_dim - 2, 1))


class Yarn(Extended):
    """YaRN: pairs that turn often in training stay, those that hardly turn are interpolated.

    Between them is a ramp over the number of the pair, as in the authors' code; the paper has it
    over the number of turns. Queries and keys are multiplied by 0.1·ln s + 1.

    Args:
        fast: turns in the trained length from which on a pair stays; β in the paper, above `slow`.
        slow: turns up to which a pair is interpolated; α in the paper, positive.
        temperature: multiply by 0.1·ln s + 1.
        truncate: let the ramp begin and end at a whole pair; gpt-oss does not.
        extended: as `Extended` has them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        fast: float = 32.0,
        slow: float = 1.0,
        temperature: bool = True,
        truncate: bool = True,
        **extended: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **extended)
        if not 0 < slow < fast:
            raise ValueError(f"slow={slow:g} must be positive, and fast={fast:g} above it")
        self.fast, self.slow = fast, slow
        self.temperature, self.truncate = temperature, truncate
        if temperature:
            self.attention_factor = 0.1 * math.log(self.factor) + 1

    def _pair_with(self, turns: float) -> float:
        """Which pair turns so often in the trained length, not rounded."""
        ratio = self.original_max_len / (turns * 2 * math.pi)
        return self.rotary_dim * math.log(ratio) / 2 / math.log(self.base)

    def kept(self, pair: Tensor) -> Tensor:
        """γ_n: 1 where a pair stays as it is, 0 where it is interpolated."""
        low, high = self._pair_with(self.fast), self._pair_with(self.slow)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low = max(low, 0)
        high = max(low, min(high, self.rotary_dim - 1))
        return 1 - ((pair - low) / (high - low or 0.001)).clamp(0, 1)

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """θ_n and θ_n/s, mixed by γ_n."""
        return self.mixed(pair, self.kept(pair))


class LongRope(ByLength):
    """LongRoPE: a factor of its own for each pair, found by search, and others for short texts.

    Queries and keys are multiplied by √(1 + ln s/ln L).

    Args:
        long: λ_n, by which θ_n is divided beyond the trained length, r/2 numbers; s if not given.
        short: the same up to the trained length; 1 if not given.
        extended: as `ByLength` has them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        long: Sequence[float] | None = None,
        short: Sequence[float] | None = None,
        **extended: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **extended)
        pairs = self.rotary_dim // 2
        # Plain numbers: a buffer would be rounded with the model, and the error grow with p.
        self.long = [self.factor] * pairs if long is None else list(long)
        self.short = [1.0] * pairs if short is None else list(short)
        for name, numbers in (("long", self.long), ("short", self.short)):
            if len(numbers) != pairs:
                raise ValueError(f"{name} has {len(numbers)} numbers; it must have {pairs}")
        if self.original_max_len > 1:
            ratio = math.log(self.factor) / math.log(self.original_max_len)
            self.attention_factor = math.sqrt(1 + ratio)

    def by_length(self, pair: Tensor, length: Tensor) -> Tensor:
        """θ_n divided by the numbers for a text of its length."""
        long, short = (pair.new_tensor(numbers) for numbers in (self.long, self.short))
        return self.rope(pair) / torch.where(length > self.original_max_len, long, short)


class Llama3(Extended):
    """Llama 3.1: pairs with long waves are interpolated, those with short waves stay.

    Args:
        high: waves shorter than L/high stay; above `low`.
        low: waves longer than L/low are interpolated; positive. Between the two is a ramp over
            L/wavelength.
        extended: as `Extended` has them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int = 1,
        max_len: int = 512,
        high: float = 4.0,
        low: float = 1.0,
        **extended: Any,
    ) -> None:
        super().__init__(d_model, num_heads, max_len, **extended)
        if not 0 < low < high:
            raise ValueError(f"low={low:g} must be positive, and high={high:g} above it")
        self.high, self.low = high, low

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        """θ_n and θ_n/s, mixed by how often the pair turns in the trained length."""
        turns = self.original_max_len * self.rope(pair) / (2 * math.pi)
        return self.mixed(pair, ((turns - self.low) / (self.high - self.low)).clamp(0, 1))
