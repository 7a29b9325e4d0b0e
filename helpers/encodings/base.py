"""The one interface: four places where position can enter a Transformer."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from helpers.encodings.positions import Positions

HOOKS = ("embed", "rotate", "bias", "context")
RESERVED = (*HOOKS, "reset_parameters")


class Encoding(nn.Module):
    """No positions at all; every other encoding overrides the hooks that it needs.

    Each hook is told where the tokens stand.

    Shapes: B batch, T queries, S keys, D model width, H heads, d = D/H head width. S is T, except
    that with a cache it counts the cached keys too.

    Args:
        d_model: D, width of the token vectors.
        num_heads: H; D must be a multiple of it.
        max_len: longest sequence that a table is made for, in tokens.

    Attributes:
        softmax_scale: what q·kᵀ is multiplied by before the softmax, 1/√d (Vaswani et al. 2017,
            equation 1); set another number in `__init__` where a paper has another.

    Raises:
        ValueError: in any encoding, an argument is out of its documented range; in a hook, it
            cannot use the positions' axes, or offsets that are given.
    """

    # True if a key's rotation depends on the length so far, as in dynamic NTK and xPos: a cache
    # then stores keys unrotated, and `rotate` gets all S keys at each step.
    rerotate: bool = False

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__()
        for name, size in [("d_model", d_model), ("num_heads", num_heads), ("max_len", max_len)]:
            if size < 1:
                raise ValueError(f"{name}={size} must be at least 1")
        if d_model % num_heads:
            raise ValueError(f"num_heads={num_heads} must divide d_model={d_model}")
        self.d_model, self.num_heads, self.max_len = d_model, num_heads, max_len
        self.head_dim = d_model // num_heads
        self.softmax_scale = self.head_dim**-0.5

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Once, at the input: token vectors (B, T, D) → (B, T, D)."""
        return x

    def rotate(self, q: Tensor, k: Tensor, positions: Positions) -> tuple[Tensor, Tensor]:
        """In each layer, on queries and keys (B, H, T, d); returns them, d perhaps larger in both.

        With a cache of rotated keys, k and `positions.keys` have the new tokens only.
        """
        return q, k

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor | None:
        """Added to the scaled scores: (B, H, T, S) or what broadcasts to it; None adds nothing.

        q (B, H, T, d) comes rotated and multiplied by `softmax_scale`, so a term q·a needs no
        scale. k (B, H, S, d) comes rotated and not scaled: multiply a term without q, as u·k,
        by the scale yourself.
        """
        return None

    def context(self, weights: Tensor, positions: Positions) -> Tensor | None:
        """Added to weights·v: (B, H, T, S) → (B, H, T, d); None adds nothing."""
        return None

    def reset_parameters(self, std: float = 0.02) -> None:
        """Initialise parameters anew, with this standard deviation.

        `Bert` calls it in each layer, after it has initialised all `Linear` and `Embedding`, those
        of the encoding included. Other parameters stay as `__init__` made them.
        """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in RESERVED:
            raise AttributeError(
                f"{name} is a method of Encoding that a model calls; give your attribute another "
                f"name, as self.my_{name}"
            )
        super().__setattr__(name, value)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "scores" in vars(cls):
            raise TypeError(
                f"{cls.__name__}.scores: this hook is now bias(self, q, k, positions). What it "
                "returns is added after scaling, so nothing is divided by the scale; q comes "
                "scaled, and the offsets are positions.offsets"
            )

    def _check_table(self, positions: Positions) -> None:
        """Refuse keys beyond `max_len` where that is known without waiting for a GPU."""
        if positions.ordered:
            self._check_length(positions.keys.shape[0])

    def _check_length(self, length: int) -> None:
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}; build a longer one")


def hooks_of(encoding: Encoding | type[Encoding]) -> tuple[str, ...]:
    """Names of the hooks that an encoding overrides, in the order in which they act."""
    kind = encoding if isinstance(encoding, type) else type(encoding)
    return tuple(name for name in HOOKS if getattr(kind, name) is not getattr(Encoding, name))
