"""Unit 07: what several of its exercises draw and count with."""

from __future__ import annotations

import math
from random import Random

import torch
from torch import Generator, Tensor

from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, SPECIAL, UNK

FIRST_WORD = len(SPECIAL)  # the lowest id of a word
SIGMAS = 6  # standard deviations; a right answer is further off once in 10⁹ counts
NOTHING = "there is nothing to count"


def random_ids(rng: Random, rows: int, length: int, vocab_size: int) -> Tensor:
    """Draw pairs as in a batch, [CLS] … [SEP] … [SEP] and padding of any length; (rows, length).

    A few [UNK] and [MASK] stand among the words.
    """
    draw = Generator().manual_seed(rng.randrange(2**31))
    tokens = torch.randint(FIRST_WORD, vocab_size, (rows, length), generator=draw)
    tokens[torch.rand(rows, length, generator=draw) < 0.02] = UNK
    tokens[torch.rand(rows, length, generator=draw) < 0.02] = MASK
    tokens[:, 0], tokens[:, length // 4] = CLS, SEP
    end = torch.randint(length // 2, length, (rows, 1), generator=draw)
    place = torch.arange(length)
    tokens[place == end] = SEP
    tokens[place > end] = PAD
    return tokens


def shape_in_words(tokens: Tensor) -> str:
    """Return the shape of the tokens, for a label."""
    return f"tokens of shape {tuple(tokens.shape)}"


def independent(marks: Tensor, among: Tensor, wanted: float) -> dict[str, str]:
    """Tell whether `marks` are independent draws of this probability; both (rows, columns)."""
    marks = marks & among
    return {
        "fraction": _about(int(marks.sum()), int(among.sum()), wanted),
        **{
            f"how much it varies from {name}": _spread(marks.sum(axis), among.sum(axis))
            for name, axis in (("row to row", 1), ("column to column", 0))
        },
    }


def _about(count: int, total: int, wanted: float) -> str:
    if not total:
        return NOTHING
    found = count / total
    if abs(found - wanted) < SIGMAS * math.sqrt(wanted * (1 - wanted) / total):
        return f"about {wanted:g}"
    if abs(found - wanted) < 0.04:
        return f"a little {'more' if found > wanted else 'less'} than {wanted:g}"
    return f"near {round(20 * found) / 20:g}"


def _spread(counts: Tensor, totals: Tensor) -> str:
    """Compare the variance between groups with that of independent draws: χ² by its moments."""
    counts, totals = counts[totals > 0].double(), totals[totals > 0].double()
    p = float(counts.sum() / totals.sum()) if len(totals) > 1 else 0
    if not 0 < p < 1:
        return NOTHING
    ratio = ((counts - p * totals).square() / (p * (1 - p) * totals)).mean()
    off = float(ratio - 1) / math.sqrt(2 / len(totals))
    if abs(off) < 10:  # χ² has a long tail
        return "as by chance"
    return "too little" if off < 0 else "too much"


def evenly(counts: Tensor, expected: Tensor) -> str:
    """Tell whether each count is what is expected, but for chance."""
    off = (counts - expected).abs() > SIGMAS * expected.double().sqrt() + SIGMAS
    return "not as often as others" if off.any() else "as often as others"
