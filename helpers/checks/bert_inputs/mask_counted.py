"""Unit 07, “15 %, and 80/10/10”: whether what becomes of one place depends on another."""

from __future__ import annotations

import torch
from torch import Tensor

from helpers.checks.bert_inputs import chance

MIRRORS = {"the row": (1,), "the column": (0,), "both": (0, 1)}
FEW = 50  # pairs that tell nothing


def independent(
    marks: Tensor, among: Tensor, tokens: Tensor, wanted: float, what: str
) -> dict[str, str]:
    """Whether `marks` are independent draws among these places; all (B, T)."""
    rows, places = torch.meshgrid(*map(torch.arange, tokens.shape), indexing="ij")
    found = {f"fraction {what}": chance.about(int(marks[among].sum()), int(among.sum()), wanted)}
    groups = {"row to row": rows, "place to place": places, "word to word": tokens}
    for name, group in groups.items():
        counts = chance.grouped(marks[among], group[among])
        found[f"how much this differs from {name}"] = chance.spread(*counts)
    for name, down, right in (
        ("in a row", 0, 1),
        ("with one between", 0, 2),
        ("in a column", 1, 0),
    ):
        near = slice(None, -down or None), slice(None, -right or None)
        both = among[near] & among[down:, right:]
        pair = marks[near][both], marks[down:, right:][both]
        found[f"two neighbours {name}"] = chance.together(*pair)
    for name, axes in MIRRORS.items():
        first, second = mirrored(marks, among, axes)
        found[f"two places mirrored in {name}"] = (
            chance.together(first, second) if len(first) > FEW else chance.AS_BY_CHANCE
        )
    return found


def mirrored(values: Tensor, among: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The values at places whose mirror image is also `among` those asked, and there."""
    half = [slice(None), slice(None)]
    half[axes[0]] = slice(values.shape[axes[0]] // 2)
    at = tuple(half)
    both = (among & among.flip(axes))[at]
    return values[at][both], values.flip(axes)[at][both]
