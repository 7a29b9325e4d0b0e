"""Every way to tell a Transformer where a token stands, behind one interface.

`create(name, d_model=...)` builds one; `available()` lists the names.
"""

from __future__ import annotations

from typing import Any

from helpers.encodings.additive import Additive
from helpers.encodings.axes import Fourier2d, Learned2d, Rotary2d, Rotary3d
from helpers.encodings.base import Encoding, interface
from helpers.encodings.bias import ClippedBias, T5Bias, Window
from helpers.encodings.convolution import Convolution
from helpers.encodings.cope import Cope
from helpers.encodings.deberta import Deberta
from helpers.encodings.distance import Alibi, Fire, Kerple
from helpers.encodings.gates import Fox, Path
from helpers.encodings.huang import Huang
from helpers.encodings.learned import Learned
from helpers.encodings.longer import (
    DynamicNtk,
    Interpolated,
    Llama3,
    LongRope,
    Ntk,
    PRope,
    Yarn,
)
from helpers.encodings.of_index import Fourier, IndexMLP
from helpers.encodings.pope import Pope
from helpers.encodings.positions import Positions, ask, embed
from helpers.encodings.rotary import Rotary, XPos
from helpers.encodings.shaw import Shaw, ShawKeys
from helpers.encodings.sinusoidal import (
    Sinusoidal,
    offset_profile,
    shift_matrix,
    sinusoidal_table,
    sinusoids,
    wavelengths,
)
from helpers.encodings.transformer_xl import TransformerXL
from helpers.encodings.tree import TreeDepth, TreeOffsets, tree_depths, tree_offsets
from helpers.encodings.tupe import Tupe

BY_NAME: dict[str, type[Encoding]] = {
    "none": Encoding,
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "index_mlp": IndexMLP,
    "fourier": Fourier,
    "shaw_keys": ShawKeys,
    "shaw": Shaw,
    "huang": Huang,
    "transformer_xl": TransformerXL,
    "clipped_bias": ClippedBias,
    "t5_bias": T5Bias,
    "alibi": Alibi,
    "kerple": Kerple,
    "fire": Fire,
    "rotary": Rotary,
    "xpos": XPos,
    "deberta": Deberta,
    "cope": Cope,
    "tupe": Tupe,
    "tree_depth": TreeDepth,
    "tree_offsets": TreeOffsets,
    "window": Window,
    "convolution": Convolution,
}
# What has come since: RoPE for longer texts and positions on several axes, of which unit 10 teaches
# some, and others that no unit teaches yet.
LATER: dict[str, type[Encoding]] = {
    "interpolated": Interpolated,
    "ntk": Ntk,
    "dynamic_ntk": DynamicNtk,
    "yarn": Yarn,
    "longrope": LongRope,
    "llama3": Llama3,
    "p_rope": PRope,
    "rotary_2d": Rotary2d,
    "rotary_3d": Rotary3d,
    "learned_2d": Learned2d,
    "fourier_2d": Fourier2d,
    "pope": Pope,
    "fox": Fox,
    "path": Path,
}
ALL = BY_NAME | LATER

__all__ = [
    "ALL",
    "BY_NAME",
    "LATER",
    "Additive",
    "Alibi",
    "ClippedBias",
    "Convolution",
    "Cope",
    "Deberta",
    "DynamicNtk",
    "Encoding",
    "Fire",
    "Fourier",
    "Fourier2d",
    "Fox",
    "Huang",
    "IndexMLP",
    "Interpolated",
    "Kerple",
    "Learned",
    "Learned2d",
    "Llama3",
    "LongRope",
    "Ntk",
    "PRope",
    "Path",
    "Pope",
    "Positions",
    "Rotary",
    "Rotary2d",
    "Rotary3d",
    "Shaw",
    "ShawKeys",
    "Sinusoidal",
    "T5Bias",
    "TransformerXL",
    "TreeDepth",
    "TreeOffsets",
    "Tupe",
    "Window",
    "XPos",
    "Yarn",
    "ask",
    "available",
    "create",
    "embed",
    "interface",
    "offset_profile",
    "shift_matrix",
    "sinusoidal_table",
    "sinusoids",
    "tree_depths",
    "tree_offsets",
    "wavelengths",
]


def available() -> list[str]:
    """Names that `create` knows, in the order in which the course meets them, then later ones."""
    return list(ALL)


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
    if name not in ALL:
        raise ValueError(f"name={name!r} is no encoding; choose from {available()}")
    try:
        return ALL[name](d_model=d_model, num_heads=num_heads, max_len=max_len, **options)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
