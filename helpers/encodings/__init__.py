"""Every way to tell a Transformer where a token stands, behind one interface.

`create(name, d_model=...)` builds one; `available()` lists the names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.encodings.base import Encoding
from helpers.encodings.bias import Alibi, ClippedBias, T5Bias
from helpers.encodings.learned import Learned
from helpers.encodings.rotary import Rotary
from helpers.encodings.shaw import Shaw
from helpers.encodings.sinusoidal import (
    Sinusoidal,
    offset_profile,
    shift_matrix,
    sinusoidal_table,
    wavelengths,
)

__all__ = [
    "Alibi",
    "ClippedBias",
    "Encoding",
    "Learned",
    "Rotary",
    "Shaw",
    "Sinusoidal",
    "T5Bias",
    "available",
    "create",
    "offset_profile",
    "shift_matrix",
    "sinusoidal_table",
    "wavelengths",
]

_BY_NAME: dict[str, Callable[..., Encoding]] = {
    "none": Encoding,
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "shaw": Shaw,
    "clipped_bias": ClippedBias,
    "t5_bias": T5Bias,
    "alibi": Alibi,
    "rotary": Rotary,
}


def available() -> list[str]:
    """Names that `create` knows, in the order in which the course meets them."""
    return list(_BY_NAME)


def create(
    name: str, *, d_model: int, num_heads: int = 1, max_len: int = 512, **options: Any
) -> Encoding:
    """Build the encoding `name` for a model of width `d_model`.

    Args:
        name: one of `available()`.
        d_model: D, width of the token vectors.
        num_heads: H; D must be a multiple of it.
        max_len: longest sequence that a table is made for, in tokens.
        options: what only this encoding has, for example `base` for "sinusoidal".

    Raises:
        ValueError: the name is unknown or a size is impossible.
    """
    if name not in _BY_NAME:
        raise ValueError(f"name={name!r} is no encoding; choose from {available()}")
    return _BY_NAME[name](d_model=d_model, num_heads=num_heads, max_len=max_len, **options)
