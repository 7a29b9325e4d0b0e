"""Unit 06, “The rank residual”: lost digits, dtypes, gradients, and an argument that is changed."""

from __future__ import annotations

import torch

from helpers.checks.stacking.residual import residual


@residual.mistake(
    "Right on paper, but you subtract two sums of squares that agree in all their digits, and "
    "nothing is left. Subtract the rows first, then take the norm.",
    loses="rows that are almost the same, small numbers",
)
def residual_by_pythagoras(x):
    mean = x.mean(1, keepdim=True).expand_as(x)
    rest = x.square().sum((1, 2)) - mean.square().sum((1, 2))
    return rest.clamp_min(0).sqrt() / x.square().sum((1, 2)).sqrt()


@residual.mistake(
    "float32 has 7 digits, so a difference in the ninth digit is lost. Keep the precision of x.",
    loses=("rows that are almost the same, small numbers", "dtype and gradients"),
    breaks="Keep the precision of `x`",
)
def residual_in_single_precision(x):
    x = x.float()
    return torch.linalg.matrix_norm(x - x.mean(1, keepdim=True)) / torch.linalg.matrix_norm(x)


@residual.mistake(
    "Where all entries of X are small, your result differs from that for 1000·X. The two should "
    "be the same. Your guard against a division by 0 matters there. Leave it out.",
    loses="rows that are almost the same, small numbers",
    breaks="do not add a small number to the denominator",
)
def residual_with_a_guard(x):
    rest = x - x.mean(1, keepdim=True)
    return torch.linalg.matrix_norm(rest) / (torch.linalg.matrix_norm(x) + 1e-8)


@residual.mistake(
    "Where rows hardly differ, you set the residual to 0 or to a value without a gradient. It is a "
    "number like any other there, and such rows are what it is meant to measure.",
    loses="rows that are almost the same, small numbers",
)
def residual_of_nothing_where_it_is_small(x):
    rest = x - x.mean(1, keepdim=True)
    found = torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)
    return torch.where(found < 1e-3, found.detach(), found) * (found > 1e-12)
