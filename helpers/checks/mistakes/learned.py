"""Unit 03: what people write instead of stretching a table."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.learned_summary import SUMMARY
from helpers.checks.mistakes.learned_table import TABLE

__all__ = ["STRETCH", "SUMMARY", "TABLE"]


def stretch_to_the_nearest_row(table, length):
    return table[torch.linspace(0, len(table) - 1, length).round().long()]


def stretch_to_the_row_below(table, length):
    return table[torch.linspace(0, len(table) - 1, length).floor().long()]


def stretch_between_pixel_edges(table, length):
    """What F.interpolate does unless it is told align_corners=True."""
    n = len(table)
    places = (((torch.arange(length) + 0.5) * n / length) - 0.5).clamp(0, n - 1)
    low = places.floor().long().clamp(max=n - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))


def stretch_with_too_long_a_step(table, length):
    n = len(table)
    places = torch.arange(length) * n / length
    low = places.floor().long().clamp(max=n - 1)
    high = (low + 1).clamp(max=n - 1)
    return torch.lerp(table[low], table[high], (places - low)[:, None].to(table.dtype))


def stretch_beyond_the_last_row(table, length):
    n = len(table)
    places = torch.linspace(0, n, length, dtype=torch.float64).clamp(max=n - 1)
    low = places.long().clamp(max=n - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None].to(table.dtype))


def stretch_without_a_row_above(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.floor().long()
    share = (places - low)[:, None]
    return (1 - share) * table[low] + share * table[low + 1]


def stretch_by_repeating_the_table(table, length):
    return table[torch.arange(length) % len(table)]


def stretch_by_repeating_the_last_row(table, length):
    return table[torch.arange(length).clamp(max=len(table) - 1)]


def stretch_with_zeros(table, length):
    rows = torch.zeros(length, table.shape[1], dtype=table.dtype)
    n = min(length, len(table))
    rows[:n] = table[:n]
    return rows


def stretch_along_the_width(table, length):
    width = table.shape[1]
    places = torch.linspace(0, width - 1, length)
    low = places.long().clamp(max=width - 2)
    share = (places - low).to(table.dtype)
    return (1 - share) * table[:, low] + share * table[:, low + 1]


def stretch_with_shares_swapped(table, length):
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    share = (places - low)[:, None]
    return share * table[low] + (1 - share) * table[low + 1]


def stretch_only_longer(table, length):
    if length <= len(table):
        return table[:length]
    places = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = places.long().clamp(max=len(table) - 2)
    return torch.lerp(table[low], table[low + 1], (places - low)[:, None])


_LONGER, _ENDS, _SHORTER = (
    "longer than the table",
    "the ends, and the same length",
    "shorter than the table",
)
STRETCH = (
    Mistake(
        stretch_to_the_nearest_row,
        "Each of your rows is a copy of the nearest old one, so some stand there twice. Between "
        "two old rows lies a mixture of both.",
        (_LONGER, _SHORTER),
    ),
    Mistake(
        stretch_to_the_row_below,
        "You round the place down and lose its fraction. The fraction says how much of the next "
        "row to mix in.",
        (_LONGER, _SHORTER),
    ),
    Mistake(
        stretch_between_pixel_edges,
        "Your places are those of pixels, as image code has them: half a step in from the edges "
        "(align_corners=False). Here old row 0 is new row 0, and last is last.",
        (_LONGER, _SHORTER),
    ),
    Mistake(
        stretch_with_too_long_a_step,
        "Your step between places is T / length, so the last place is not the last old row. How "
        "many steps are there between `length` rows?",
        (_LONGER, _SHORTER),
    ),
    Mistake(
        stretch_beyond_the_last_row,
        "Your places end at T. The rows are counted from 0, so the last one has another number.",
        (_LONGER, _ENDS, _SHORTER),
    ),
    Mistake(
        stretch_without_a_row_above,
        "At the last place you ask for the row above it, and there is none. Hint 2 of the "
        "exercise says what to do.",
        (_LONGER, _ENDS, _SHORTER),
    ),
    Mistake(
        stretch_by_repeating_the_table,
        "After the last row you begin again with the first. The old rows should be spread over "
        "the whole new length.",
        (_LONGER, _ENDS, _SHORTER),
    ),
    Mistake(
        stretch_by_repeating_the_last_row,
        "You keep the old rows where they are and repeat the last. The old rows should be spread "
        "over the whole new length.",
        (_LONGER, _SHORTER),
    ),
    Mistake(
        stretch_with_zeros,
        "Rows beyond the old ones are zero. The old rows should be spread over the whole new "
        "length.",
        (_LONGER, _ENDS, _SHORTER),
    ),
    Mistake(
        stretch_along_the_width,
        "You have interpolated along a row, between its columns. A column is to be stretched: the "
        "positions are the first axis.",
        (_LONGER, _ENDS, _SHORTER),
    ),
    Mistake(
        stretch_with_shares_swapped,
        "The two shares have changed places: a place just behind an old row should be nearly that "
        "row.",
        (_LONGER, _ENDS, _SHORTER),
    ),
    Mistake(
        stretch_only_longer,
        "For a shorter text you cut the table off. Here it is squeezed: the last row stays the "
        "last.",
        (_SHORTER,),
    ),
)
