"""The positions of queries and keys, which every hook of an encoding is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

_USE = (
    "use positions.queries or positions.keys, the position of each token, or positions.offsets, "
    "j − i for each pair of tokens"
)

WITHOUT_FLOAT64 = {"mps"}  # types of devices: Apple's GPUs


@dataclass(eq=False)
class Positions:
    """Positions of the queries and keys in one call of a model, the same for all layers.

    If a model is given none, `Encoder` and `Bert` count all tokens from 0; `Decoder` counts from 0
    in each document, and leaves out padding.

    Args:
        queries: (T,), (B, T), or (B or 1, T, axes), as rows and columns of an image's patches.
        keys: the same for S keys, cached ones included.
        given_offsets: offsets in place of j − i, as those of a tree; (T, S) or (B or 1, 1, T, S).
        attention_mask: False where a key is padding, (B, S), which makes no text longer and counts
            for nothing between two tokens. The model itself hides it from the queries.
        ordered: whether the keys stand at 0 … S−1, and the queries at the last T of these.
        new_tokens: if earlier keys are cached, the positions of the T new tokens alone, for
            `rotate`; None if S = T.

    Attributes:
        shared: what an encoding computes in one layer and the other layers use again. It may rest
            on parameters, so make a new `Positions` for each call of a model.
    """

    queries: Tensor
    keys: Tensor
    given_offsets: Tensor | None = None
    attention_mask: Tensor | None = None
    ordered: bool = False
    new_tokens: Positions | None = None
    shared: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    _offsets: Tensor | None = field(default=None, init=False, repr=False)

    @classmethod
    def upto(
        cls, num_keys: int, num_queries: int | None = None, device: torch.device | None = None
    ) -> Positions:
        """Return S keys at 0 … S−1; the queries are the last T of them, or all."""
        keys = torch.arange(num_keys, device=device)
        if num_queries is None or num_queries == num_keys:
            return cls(keys, keys, ordered=True)
        new = keys[num_keys - num_queries :]
        return cls(new, keys, ordered=True, new_tokens=cls(new, new))

    @property
    def offsets(self) -> Tensor:
        """Return j − i of query i and key j (Shaw's sign), or `given_offsets`; computed once.

        Returns:
            (T, S), or (B, 1, T, S) where texts differ: either broadcasts to (B, H, T, S).

        Raises:
            ValueError: there is more than one axis.
        """
        if self.given_offsets is not None:
            return self.given_offsets
        if self._offsets is None:
            self.require_axes()
            offsets = self.keys[..., None, :] - self.queries[..., :, None]
            self._offsets = offsets if offsets.dim() == 2 else offsets[:, None]
        return self._offsets

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"positions is no tensor and has no {name}: {_USE}")

    @classmethod
    def __torch_function__(cls, *_args: Any, **_options: Any) -> Any:
        """Refuse `table[positions]` and the like, and say what to write."""
        raise TypeError(f"positions is no tensor: {_USE}")

    @property
    def whole(self) -> bool:
        """Whether queries and keys both stand at 0 … T−1, so that `offsets` is Toeplitz."""
        return self.ordered and self.given_offsets is None and len(self.queries) == len(self.keys)

    def require_axes(self, axes: int = 1) -> Positions:
        """Return self; raise ValueError if there are several axes, but not `axes` of them."""
        found = self.queries.shape[2] if self.queries.dim() == 3 else None
        if found is not None and (axes == 1 or found != axes):
            knows = "one, so (T,) or (B, T)" if axes == 1 else str(axes)
            raise ValueError(f"positions with {found} axes: this encoding knows {knows}")
        return self

    def require_no_offsets(self, who: object) -> Positions:
        """Return self; raise ValueError if offsets are given, as those of a tree."""
        if self.given_offsets is not None:
            raise ValueError(f"offsets must be None: {type(who).__name__} reads positions only")
        return self

    def lengths(self) -> Tensor:
        """Return 1 plus the largest position in each text, padding aside; (1,) or (B, 1)."""
        keys = self.keys
        if self.attention_mask is not None:
            keys = keys.where(self.attention_mask, 0)
        return keys.amax(-1, keepdim=True) + 1


def prepare_positions(
    x: Tensor,
    positions: Tensor | None = None,
    offsets: Tensor | None = None,
    attention_mask: Tensor | None = None,
) -> Positions:
    """Make the `Positions` of a batch of whole texts, (B, T, …).

    Args:
        positions: (T,), (B, T) or (B or 1, T, axes); 0 … T−1 if not given.
        offsets: (T, T) or (B or 1, T, T), in place of j − i.
        attention_mask: boolean, (B, T); False where there is padding.

    Raises:
        ValueError: one of them has a wrong shape, or there is no token.
    """
    batch, length = x.shape[:2]
    if not length:
        raise ValueError("the texts are empty: T must be at least 1")
    if attention_mask is not None and (
        attention_mask.shape != (batch, length) or attention_mask.dtype != torch.bool
    ):
        raise ValueError(
            f"attention_mask is {attention_mask.dtype} of shape {tuple(attention_mask.shape)}; it "
            f"must be torch.bool of shape ({batch}, {length}), as mask.bool() of ones and zeros"
        )
    if offsets is not None:
        if offsets.shape not in ((length, length), (1, length, length), (batch, length, length)):
            raise ValueError(
                f"offsets has shape {tuple(offsets.shape)}; it must be ({length}, {length}) or "
                f"({batch}, {length}, {length})"
            )
        offsets = _as_int64(offsets if offsets.dim() == 2 else offsets[:, None])
    if positions is not None:
        positions = checked_positions(x, positions)
    places = torch.arange(length, device=x.device) if positions is None else positions
    return Positions(places, places, offsets, attention_mask, ordered=positions is None)


def checked_positions(x: Tensor, positions: Tensor) -> Tensor:
    """Return positions, as int64 if whole; raise ValueError if they do not fit x, (B, T, …)."""
    batch, length = x.shape[:2]
    if positions.shape[:2] not in ((length,), (1, length), (batch, length)) or positions.dim() > 3:
        raise ValueError(
            f"positions has shape {tuple(positions.shape)}; it must be ({length},), "
            f"({batch}, {length}), or ({batch} or 1, {length}, axes), as for rows and columns"
        )
    return _as_int64(positions)


def in_float64(x: Tensor) -> Tensor:
    """Return x in float64, on the CPU if its device has no float64.

    In float32 an angle p·θ would be off by 0.03 radians at position 10⁶.
    """
    return (x.cpu() if x.device.type in WITHOUT_FLOAT64 else x).double()


def _as_int64(x: Tensor) -> Tensor:
    """Return whole numbers as int64: j − i of uint8 would overflow, and int8 cannot be an index."""
    return x if x.is_floating_point() else x.long()
