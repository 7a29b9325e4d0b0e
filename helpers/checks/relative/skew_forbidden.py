"""Unit 04, “Skew”: the right numbers, found by what the text forbids."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from helpers.checks.relative.skew import skew


@skew.mistake(
    "The numbers are right, but you read them by an index. The exercise asks for the same with "
    "only pad, flatten, slice and unflatten.",
    loses="without an index",
    breaks="no index",
)
def skew_by_index(products):
    length = products.shape[-2]
    p = torch.arange(length)
    rows = p[None, :] - p[:, None] + length - 1
    return products.gather(-1, rows.expand(*products.shape[:-1], length))


@skew.mistake(
    "The numbers are right, but comparing positions and multiplying by the result is masking: "
    "of the 2T − 1 products for a pair, all but one are 0. The exercise asks for the same "
    "without a mask.",
    loses="without an index",
    breaks="a product with a tensor",
)
def skew_multiplied_by_a_mask(products):
    length, width = products.shape[-2:]
    p = torch.arange(length)
    rows = p[None, :] - p[:, None] + length - 1
    return sum((rows == r) * products[..., r : r + 1] for r in range(width))


@skew.mistake(
    "The numbers are right, but a tensor of zeros and ones is a mask even if it comes from "
    "torch.eye or from padding a 1, not from a comparison: of the 2T − 1 products, all but one "
    "are 0. The exercise asks for the same without a mask.",
    loses="without an index",
    breaks="a product with a tensor",
)
def skew_multiplied_by_slices_of_eye(products):
    length, width = products.shape[-2:]
    eye = torch.eye(width, dtype=products.dtype)
    rows = [
        products[..., i, :] @ eye[:, length - 1 - i : 2 * length - 1 - i] for i in range(length)
    ]
    return torch.stack(rows, -2)


@skew.mistake(
    "The numbers are right, but a loop over all pairs takes T² steps. pad, flatten, slice and "
    "unflatten move all rows at once.",
    loses="without an index",
    breaks="no loop over pairs",
)
def skew_pair_by_pair(products):
    length = products.shape[-2]
    rows = [
        torch.stack([products[..., i, length - 1 - i + j] for j in range(length)], -1)
        for i in range(length)
    ]
    return torch.stack(rows, -2)


@skew.mistake(
    "The numbers are right, but tril, triu and where are masks: part of each tensor is thrown "
    "away. One piece of memory, cut at the right place, has them all.",
    loses="without an index",
    breaks="`tril`, `triu` and",
)
def skew_of_two_triangles(products):
    length = products.shape[-2]

    def to_the_left(columns):
        moved = F.pad(columns, (1, 0)).flatten(-2)[..., length:]
        return moved.unflatten(-1, (length, length))

    right = to_the_left(products[..., length - 1 :].flip(-1, -2)).flip(-1, -2)
    return to_the_left(products[..., :length]).tril() + right.triu(1)
