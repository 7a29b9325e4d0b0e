"""Positions in a syntax tree: Wang et al. 2019, "structural position representations".

A tree is given as `parents`, (T,) or (B, T): the index of each word's parent, −1 for the root.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from helpers.encodings.base import Encoding
from helpers.encodings.offsets import offset_matrix
from helpers.encodings.positions import Positions
from helpers.encodings.shaw import ShawKeys
from helpers.encodings.sinusoidal import sinusoids


def tree_depths(parents: Tensor) -> Tensor:
    """Return the number of steps from each word to the root; the shape of `parents`, int64.

    Raises:
        ValueError: `parents` is no tree.
    """
    length = parents.shape[-1]
    if (parents < -1).any() or (parents >= length).any():
        raise ValueError(f"parents must lie from −1 to T − 1 = {length - 1}")
    if ((parents == -1).sum(-1) != 1).any():
        raise ValueError("parents must have one root, marked −1, in each sentence")
    above = _ancestors(parents)
    if not (above & (parents < 0)[..., None, :]).any(-1).all():
        raise ValueError("parents must lead from every word to the root; some run in a circle")
    return above.sum(-1) - 1


def _ancestors(parents: Tensor) -> Tensor:
    """Return True at (i, j) if word j is an ancestor of word i, or i itself; (…, T, T)."""
    words = torch.arange(parents.shape[-1], device=parents.device)
    above = torch.zeros(*parents.shape, len(words), dtype=torch.bool, device=parents.device)
    at = words.expand_as(parents)
    for _ in words:
        above.scatter_(-1, at[..., None], True)
        parent = parents.gather(-1, at)
        at = torch.where(parent < 0, at, parent)  # the root has no parent: stay there
    return above


def tree_offsets(parents: Tensor) -> Tensor:
    """Return the signed distance in the tree of each pair, (T,) → (T, T) or (B, T) → (B, T, T).

    If one word is the other's ancestor, it is depth_j − depth_i. Else it is the length of the path
    over their lowest common ancestor, with the sign of j − i. That is this course's choice; Wang et
    al. count a path over the root.

    Raises:
        ValueError: `parents` is no tree.
    """
    depth = tree_depths(parents)
    above = _ancestors(parents)
    i, j = depth[..., :, None], depth[..., None, :]
    common = torch.full_like(i + j, -1)  # depth of the lowest common ancestor
    for word in range(parents.shape[-1]):  # PyTorch has no product of integer matrices on CUDA
        common += above[..., :, None, word] & above[..., None, :, word]
    sign = offset_matrix(parents.shape[-1], parents.device).sign()
    on_a_path = common == torch.minimum(i, j)
    return torch.where(on_a_path, j - i, sign * (i + j - 2 * common))


class TreeDepth(Encoding):
    """Adds tanh(U·PE(p) + V·PE(depth)), with a word's index p in the text and depth in the tree.

    A model is given the depths as its `positions`, so encodings in its layers get depths, too.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.place = nn.Linear(d_model, d_model, bias=False)
        self.depth = nn.Linear(d_model, d_model, bias=False)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        """Return x + vectors; given offsets, as of a tree, are for the encodings of layers."""
        if positions.ordered:
            raise ValueError("positions must be depths in a tree: pass tree_depths(parents)")
        depths, length = positions.require_axes().queries, positions.keys.shape[-1]
        index = torch.arange(length, device=x.device)[-depths.shape[-1] :]  # behind cached words
        place, depth = (
            sinusoids(each, self.d_model).to(self.place.weight.dtype) for each in (index, depths)
        )
        return x + torch.tanh(self.place(place) + self.depth(depth)).to(x.dtype)


class TreeOffsets(Encoding):
    """Adds Shaw's vectors to the keys twice: by the offset in the text, and by `tree_offsets`.

    Args:
        k: the largest offset with a vector of its own, in both.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.line = ShawKeys(d_model, num_heads, max_len, k)
        self.tree = ShawKeys(d_model, num_heads, max_len, k)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return both key terms, (B, H, T, T)."""
        if positions.given_offsets is None:
            raise ValueError("offsets must be those of a tree: pass tree_offsets(parents)")
        in_text = replace(positions, given_offsets=None)
        return self.line.bias(q, k, in_text) + self.tree.bias(q, k, positions)
