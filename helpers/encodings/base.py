"""The interface of all encodings: four hooks through which positions enter a Transformer."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from helpers.encodings.positions import Positions

HOOKS = ("embed", "rotate", "bias", "context")
RESERVED = (*HOOKS, "reset_parameters")


class Encoding(nn.Module):
    """No positions at all; every other encoding overrides the hooks that it needs.

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
        ValueError: an argument is out of its documented range. A hook raises it where the text is
            longer than a table, or positions have axes or offsets that the encoding cannot use.
    """

    # True if a key's rotation depends on the length of the text, as in dynamic NTK and xPos. Then
    # a cache stores keys unrotated, and `rotate` gets all S keys at each step.
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
        """In each layer: rotate queries and keys, (B, H, T, d).

        Both may come back with more than d columns, as in PoPE. With a cache of rotated keys, k and
        `positions.keys` hold the new tokens only.
        """
        return q, k

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor | None:
        """Added to the scaled scores: (B, H, T, S) or what broadcasts to it; None adds nothing.

        q (B, H, T, d) is rotated and already multiplied by `softmax_scale`. k (B, H, S, d) is
        rotated but not scaled: a term with k alone, such as u·k, must be scaled here.
        """
        return None

    def context(self, weights: Tensor, positions: Positions) -> Tensor | None:
        """Added to weights·v: (B, H, T, S) → (B, H, T, d); None adds nothing."""
        return None

    def reset_parameters(self, std: float = 0.02) -> None:
        """Draw anew, with standard deviation `std`, what is to begin like a model's weights.

        `Bert` calls this. It draws weights of `nn.Linear` and `nn.Embedding` itself; the other
        parameters of an encoding keep their values.
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
        if "scores" in vars(cls):  # of an older release; it would be ignored in silence
            raise TypeError(
                f"{cls.__name__}.scores: this hook is now bias(self, q, k, positions). What it "
                "returns is added after scaling, so nothing is divided by the scale; q comes "
                "scaled, and the offsets are positions.offsets"
            )

    def _check_table(self, positions: Positions) -> None:
        """Refuse `ordered` positions beyond `max_len`; to read others would wait for the GPU."""
        if positions.ordered:
            self._check_length(positions.keys.shape[0])

    def _check_length(self, length: int) -> None:
        if length > self.max_len:
            raise ValueError(
                f"T={length} is beyond max_len={self.max_len}; build the encoding for more tokens"
            )


def hooks_of(encoding: Encoding | type[Encoding]) -> tuple[str, ...]:
    """Return the names of the hooks that an encoding overrides, in the order of their calls."""
    kind = encoding if isinstance(encoding, type) else type(encoding)
    return tuple(name for name in HOOKS if getattr(kind, name) is not getattr(Encoding, name))
