"""Unit 07: is it chance, or does it only look like it?

A check asks about eighty such questions, and refuses a right answer less than once in 10⁶ draws.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

SIGMAS = 5.7  # beyond it on either side: 1.2 · 10⁻⁸
SKEWED = 10  # of χ², which is far above its mean more often: 10⁻¹⁰ with 30 degrees of freedom
AS_BY_CHANCE, NOTHING = "what chance gives", "there is nothing to count"


def about(count: float, total: float, wanted: float) -> str:
    """Whether `count` of `total` is what independent draws with this probability give."""
    if not total:
        return NOTHING
    off = count / total - wanted
    if abs(off) < SIGMAS * math.sqrt(wanted * (1 - wanted) / total):
        return f"about {wanted:g}"
    if abs(off) < 0.04:
        return f"a little {'more' if off > 0 else 'less'} than {wanted:g}"
    return f"near {round(20 * count / total) / 20:g}"


def spread(counts: Tensor, totals: Tensor) -> str:
    """Whether groups differ as much as groups of independent draws do: the mean of χ²."""
    counts, totals = counts[totals > 0].double(), totals[totals > 0].double()
    if len(totals) < 2:
        return NOTHING
    p = float(counts.sum() / totals.sum())
    if p in (0, 1):
        return "all alike"
    free = len(totals) - 1
    chi = float(((counts - p * totals) ** 2 / (p * (1 - p) * totals)).sum()) / free
    far = (chi - 1) / math.sqrt(2 / free)  # its mean is 1, its variance 2/free
    if -SIGMAS < far < SKEWED:
        return AS_BY_CHANCE
    return "too little" if far < 0 else "too much"


def together(first: Tensor, second: Tensor) -> str:
    """Whether two marks (N,), True and False, have nothing to do with each other."""
    first, second = first.double(), second.double()
    if not len(first):
        return NOTHING
    a, b = first - first.mean(), second - second.mean()
    scale = float(a.std() * b.std() * math.sqrt(len(a)))
    if not scale > 0:
        return "all alike"
    far = float((a * b).sum()) / scale
    return AS_BY_CHANCE if abs(far) < SIGMAS else "too often alike" if far > 0 else "too seldom"


def even(counts: Tensor) -> str:
    """Whether all possibilities come up as often as one another."""
    mean = counts.double().mean()
    if not mean:
        return NOTHING
    off = (counts - mean).abs().max() / mean.sqrt()
    return "about equally often" if off < SIGMAS + 0.7 else "not equally often"


def grouped(marks: Tensor, groups: Tensor) -> tuple[Tensor, Tensor]:
    """How many of each group's draws are marked, and how many there are."""
    number = int(groups.max()) + 1 if len(groups) else 0
    counts = torch.bincount(groups, weights=marks.double(), minlength=number)
    return counts, torch.bincount(groups, minlength=number).double()
