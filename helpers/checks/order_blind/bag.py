"""Unit 01, “The best that a bag allows”: what people write instead of what bag_cases.py asks."""

from __future__ import annotations

from collections import Counter, defaultdict

from torch import Tensor

from helpers.checks.engine import Exercise, Part
from helpers.checks.order_blind import bag_cases


def best_without_order(tokens: Tensor, answers: Tensor) -> float:
    """Largest fraction of the answers that a function of the bag can get right; (N, T), (N,)."""
    bags: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    rows = tokens.sort(1).values.tolist()
    for row, answer in zip(rows, answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(counts.values()) for counts in bags.values()) / len(answers)


bag = Exercise(
    "bag",
    best_without_order,
    (
        Part("every bag with both answers", 0.5, bag_cases.twins),
        Part("bags of different sizes", 0.25, bag_cases.uneven_or_alike),
        Part("bags that are nearly alike", 0.25, bag_cases.nearly_alike),
    ),
    explains=("Write `best_without_order`.",),
    module=__name__,
)

NOT_TWINS = ("bags of different sizes", "bags that are nearly alike")
