"""Every way to tell a Transformer where a token stands, behind one interface.

`create(name, d_model=...)` builds one; `available()` lists the names, `REGISTRY` has their papers.
"""

from helpers.encodings.absolute import Additive, Learned
from helpers.encodings.base import HOOKS, Encoding, hooks_of
from helpers.encodings.bias import T5Bias
from helpers.encodings.convolution import Convolution
from helpers.encodings.cope import Cope
from helpers.encodings.distance import Alibi, Kerple
from helpers.encodings.huang import Huang
from helpers.encodings.index_features import Fourier, IndexMLP
from helpers.encodings.more.pope import Pope
from helpers.encodings.positions import Positions, prepare_positions
from helpers.encodings.registry import REGISTRY, available, create
from helpers.encodings.rope_scaling import DynamicNtk, Interpolated, Llama3, Ntk, Yarn
from helpers.encodings.rotary import Rotary, XPos
from helpers.encodings.rotary_nd import Rotary2d, Rotary3d
from helpers.encodings.shaw import Shaw, ShawKeys
from helpers.encodings.sinusoidal import (
    Sinusoidal,
    offset_profile,
    shift_matrix,
    sinusoidal_table,
    sinusoids,
    wavelengths,
)
from helpers.encodings.tree import TreeDepth, TreeOffsets, tree_depths, tree_offsets

__all__ = [
    "HOOKS", "REGISTRY", "Additive", "Alibi", "Convolution", "Cope", "DynamicNtk", "Encoding",
    "Fourier", "Huang", "IndexMLP", "Interpolated", "Kerple", "Learned", "Llama3", "Ntk", "Pope",
    "Positions", "Rotary", "Rotary2d", "Rotary3d", "Shaw", "ShawKeys", "Sinusoidal", "T5Bias",
    "TreeDepth", "TreeOffsets", "XPos", "Yarn", "available", "create", "hooks_of", "offset_profile",
    "prepare_positions", "shift_matrix", "sinusoidal_table", "sinusoids", "tree_depths",
    "tree_offsets", "wavelengths",
]  # fmt: skip
