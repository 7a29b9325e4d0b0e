"""Positions in a tree instead of a line: Wang et al. 2019, "structural position representations".

A tree is `parents`, (T,) or (B, T): for each word the place of its parent, −1 for the root.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from helpers.encodings.absolute import Additive
from helpers.encodings.base import Encoding
from helpers.encodings.positions import Positions
from helpers.encodings.shaw import ShawKeys
from helpers.encodings.sinusoidal import sinusoids


def tree_depths(parents: Tensor) -> Tensor:
    """Steps from each word up to the root; the shape of `parents`, int64.

    Raises:
        ValueError: `parents` is no tree.
    """
    length = parents.shape[-1]
    if (parents < -1).any() or (parents >= length).any():
        raise ValueError(f"parents must lie from −1 to T − 1 = {length - 1}")
    if ((parents == -1).sum(-1) != 1).any():
        raise ValueError("parents must have one root, marked −1, in each sentence")
    above = _above(parents)
    if not (above & (parents < 0)[..., None, :]).any(-1).all():
        raise ValueError("parents must lead from every word to the root; some run in a circle")
    return above.sum(-1) - 1


def _above(parents: Tensor) -> Tensor:
    """(…, T, T) for a tree, True where the second is the first or stands above it."""
    places = torch.arange(parents.shape[-1], device=parents.device)
    above = torch.zeros(*parents.shape, len(places), dtype=torch.bool, device=parents.device)
    at = places.expand_as(parents)
    for _ in places:
        above.scatter_(-1, at[..., None], True)
        parent = parents.gather(-1, at)
        at = torch.where(parent < 0, at, parent)  # who is at the root stays there
    return above


def tree_offsets(parents: Tensor) -> Tensor:
    """Signed distance in the tree for each pair of words, (T,) → (T, T) or (B, T) → (B, T, T).

    Where one word stands above the other, depth_j − depth_i. Else the steps from i up to the lowest
    word above both and down to j, with the sign of j − i. Wang et al. add both depths there, as if
    each path led over the root; to turn round at the lowest common word is this course's choice.

    Raises:
        ValueError: `parents` is no tree.
    """
    depth = tree_depths(parents)
    above = _above(parents)
    i, j = depth[..., :, None], depth[..., None, :]
    lowest = torch.full_like(i + j, -1)  # depth of the lowest word that is above both
    for word in range(parents.shape[-1]):  # no GPU multiplies matrices of integers
        lowest += above[..., :, None, word] & above[..., None, :, word]
    places = torch.arange(parents.shape[-1], device=parents.device)
    order = (places[None, :] - places[:, None]).sign()
    on_a_path = lowest == torch.minimum(i, j)
    return torch.where(on_a_path, j - i, order * (i + j - 2 * lowest))


class TreeDepth(Additive):
    """x + tanh(U·PE(place) + V·PE(depth)): where a word stands in the line and in the tree.

    A model is given the depths as `positions`; so layers that ask for positions get depths too.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.place = nn.Linear(d_model, d_model, bias=False)
        self.depth = nn.Linear(d_model, d_model, bias=False)

    def vectors(self, positions: Tensor, before: int = 0) -> Tensor:
        """`positions` are depths, (T,) or (B, T), of words behind `before` others → (…, T, D)."""
        places = torch.arange(before, before + positions.shape[-1], device=positions.device)
        place, depth = (
            sinusoids(index, self.d_model).to(self.place.weight.dtype)
            for index in (places, positions)
        )
        return torch.tanh(self.place(place) + self.depth(depth))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; `positions` are the depths, (T,) or (B, T).

        Offsets that are given as well are for another encoding, which the layers have beside it.

        Raises:
            ValueError: no positions are given, or some with several axes.
        """
        if positions.ordered:
            raise ValueError("positions must be depths in a tree: pass tree_depths(parents)")
        depths = positions.require_axes().queries
        before = positions.keys.shape[-1] - depths.shape[-1]  # in a cache
        return x + self.vectors(depths, before).to(x.dtype)


class TreeOffsets(Encoding):
    """Shaw's vectors twice: by the offset in the text, and by `tree_offsets`.

    Args:
        k: the largest offset with a vector of its own, in both.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.line = ShawKeys(d_model, num_heads, max_len, k)
        self.tree = ShawKeys(d_model, num_heads, max_len, k)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Both key terms, (B, H, T, T).

        Raises:
            ValueError: no offsets are given.
        """
        if positions.given is None:
            raise ValueError("offsets must be those of a tree: pass tree_offsets(parents)")
        in_the_line = replace(positions, given=None)
        return self.line.bias(q, k, in_the_line) + self.tree.bias(q, k, positions)
