"""Unit 03, “Stretching a table”: right rows of another dtype, without a gradient, or in place."""

from __future__ import annotations

import torch

from helpers.checks.learned.stretch import stretch


@stretch.mistake(
    "Your result is float64 where the table is float32. Does the fraction have a dtype of its "
    "own? The wider dtype wins; convert the fraction to that of the table.",
    loses="dtype and gradients",
)
def stretch_widens_the_dtype(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None]
    return (1 - fraction) * table[low] + fraction * table[low + 1]


@stretch.mistake(
    "Your result is float64 where the table is, but it was computed in float32 and has only "
    "that precision. Convert the fraction to the dtype of the table, and leave the table as it "
    "is.",
    loses="dtype and gradients",
    breaks="has the dtype of `table`",
)
def stretch_computed_in_float32(table, length):
    places = torch.linspace(0, len(table) - 1, length)
    low = places.long().clamp(max=len(table) - 2)
    fraction, rows = (places - low)[:, None], table.float()
    return ((1 - fraction) * rows[low] + fraction * rows[low + 1]).to(table.dtype)


@stretch.mistake(
    "Where no rows have to be mixed, or there are fewer rows than before, you return rows "
    "without a gradient: those of a detached copy. Use the same computation for every length.",
    loses="dtype and gradients",
    breaks="gradient reaches `table`",
)
def stretch_with_gradients_for_longer_texts_only(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    fraction = (places - low)[:, None].to(table.dtype)
    rows = table if length > len(table) else table.detach()
    return (1 - fraction) * rows[low] + fraction * rows[low + 1]


@stretch.mistake(
    "Each old row is kept and rows are put between them, which gives the right positions only "
    "where length − 1 is a multiple of T − 1. Compute s_n for every new row.",
    loses=("longer than the table", "shorter than the table", "dtype and gradients"),
)
def stretch_only_by_whole_factors(table, length):
    times = max(1, (length - 1) // (len(table) - 1))
    share = (torch.arange(times) / times).to(table.dtype)[:, None, None]
    between = ((1 - share) * table[:-1] + share * table[1:]).transpose(0, 1).flatten(0, 1)
    return torch.cat([between, table[-1:].expand(max(1, length - len(between)), -1)])[:length]
