"""The one interface: four places where position can enter a Transformer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor, nn

if TYPE_CHECKING:
    from helpers.encodings.positions import Positions

HOOKS = ("embed", "rotate", "scores", "context")
# What a class says of itself. An instance may have an attribute of such a name all the same.
INTERFACE = (*HOOKS, "hooks", "scale", "settled", "head_width", "paper", "formula")


def interface(encoding: Encoding, name: str) -> Any:
    """What the class of an encoding says of a name of `INTERFACE`, whatever its instance has there.

    A model asks in this way, so that whoever writes an encoding may call a Parameter `scale`.
    """
    if encoding._giving_way is None:
        return getattr(encoding, name)
    return getattr(super(encoding._giving_way, encoding), name)


class Encoding(nn.Module):
    """No positions at all; every other encoding overrides the hooks that it needs.

    Shapes: B batch, T length, D model width, H heads, d = D/H head width.

    Args:
        d_model: D, width of the token vectors.
        num_heads: H; D must be a multiple of it.
        max_len: longest sequence that a table is made for, in tokens.

    Raises:
        ValueError: a size is below 1, or `num_heads` does not divide `d_model`.
    """

    paper: ClassVar[str] = "Vaswani et al. 2017, section 3.2"
    formula: ClassVar[str] = r"q_i · k_j"
    # Whether `rotate` turns a key by its own position alone, so that a cache may keep it turned.
    settled: ClassVar[bool] = False
    _giving_way: ClassVar[type[Encoding] | None] = None

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__()
        for name, size in [("d_model", d_model), ("num_heads", num_heads), ("max_len", max_len)]:
            if size < 1:
                raise ValueError(f"{name}={size} must be at least 1")
        if d_model % num_heads:
            raise ValueError(f"num_heads={num_heads} must divide d_model={d_model}")
        self.d_model, self.num_heads, self.max_len = d_model, num_heads, max_len

    def __setattr__(self, name: str, value: Any) -> None:
        self._give_way(name)
        super().__setattr__(name, value)

    def register_parameter(self, name: str, param: nn.Parameter | None) -> None:
        """As for any module, also under a name of `INTERFACE`."""
        self._give_way(name)
        super().register_parameter(name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """As for any module, also under a name of `INTERFACE`."""
        self._give_way(name)
        super().register_buffer(name, tensor, persistent)

    @property
    def head_width(self) -> int:
        """d = D/H."""
        return self.d_model // self.num_heads

    @property
    def scale(self) -> float:
        """What the scores are multiplied by before the softmax: 1/sqrt(d)."""
        return 1 / math.sqrt(self.d_model // self.num_heads)

    def embed(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        """Once, at the input. `x` is (B, T, D), `positions` (T,) or (B, T); returns (B, T, D)."""
        return x

    def rotate(self, q: Tensor, k: Tensor, at: Positions | None = None) -> tuple[Tensor, Tensor]:
        """In each layer, on queries and keys (B, H, T, d); returns the same shapes, or both wider.

        `at` says where they stand; T queries and T keys at 0 … T−1 if it is not given.
        """
        return q, k

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None = None) -> Tensor | None:
        """Added to q·kᵀ before scaling: (B, H, T, T) or what broadcasts to it; None adds nothing.

        `offsets` is (T, T) or (B, T, T) and replaces j − i, so that one class serves the words
        of a sentence, the nodes of a tree, and (T, S) for T queries beside the S keys of a cache.
        A hook that asks i and j themselves takes `at: Positions | None = None` as a fourth.
        """
        return None

    def context(self, weights: Tensor, offsets: Tensor | None = None) -> Tensor | None:
        """Added to weights·v: (B, H, T, T) → (B, H, T, d); None adds nothing."""
        return None

    @classmethod
    def hooks(cls) -> tuple[str, ...]:
        """Names of the hooks that this encoding uses."""
        return tuple(name for name in HOOKS if getattr(cls, name) is not getattr(Encoding, name))

    def _give_way(self, name: str) -> None:
        """Let an attribute of this instance have a name that its class has from `Encoding` only."""
        kind = type(self)
        own = kind.__mro__[: kind.__mro__.index(Encoding)]
        if name not in INTERFACE or any(name in vars(each) for each in own):
            return
        if kind._giving_way is not kind:
            kind = type(kind.__name__, (kind,), {"__module__": kind.__module__})
            kind._giving_way = kind
            self.__class__ = kind
        setattr(kind, name, _GivenWay(kind.__mro__[1], name))

    def _check_length(self, length: int) -> None:
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}; build a longer one")


class _GivenWay:
    """Hides what a class has under a name, so that what its instance has is found."""

    def __init__(self, kind: type, name: str) -> None:
        self.kind, self.name = kind, name

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return getattr(self.kind, self.name)
        raise AttributeError(self.name)
