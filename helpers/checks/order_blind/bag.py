"""Unit 01, “The best that a bag allows”: what it asks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.order_blind import common

# Pairs that a careless key takes for one: with the same sum, and those of squares; ten and more of
# one word, where a digit counts it; the same digits when sorted, or one after another; the same set
# with the same sum; ids that differ above those of a small vocabulary.
CONFUSED = (
    ([0, 5, 6, 16, 17, 22], [1, 2, 10, 12, 20, 21]),
    ([1] * 11, [0] * 10 + [2]),
    ([0, 11], [10, 10]),
    ([1, 1, 2, 3, 3], [1, 2, 2, 2, 3]),
    ([256, 3], [0, 3]),
    ([1, 112], [11, 12]),
    ([8, 300], [8, 301]),
)


def best_without_order(tokens: Tensor, answers: Tensor) -> float:
    """Largest fraction of the answers that a function of the bag can get right; (N, T), (N,)."""
    bags: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    rows = tokens.sort(1).values.tolist()
    for row, answer in zip(rows, answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(counts.values()) for counts in bags.values()) / len(answers)


def _case(label: str, rows: list[list[int]], answers: list[int]) -> Case:
    words = f"{label}, {len(rows)} sequences of {len(rows[0])} tokens"
    return common.number(words, torch.tensor(rows), torch.tensor(answers))


def _twins(rng: Random) -> Iterator[Case]:
    """Every bag twice: the twin has another order and the other answer, but for some bags."""
    for agree in (0, rng.randint(2, 6)):
        bags = rng.sample(list(combinations(range(9), 5)), 12)
        rows = [rng.sample(bag, 5) for bag in bags]
        twins = [row[::-1] for row in rows]
        answers = [int(n >= agree) for n in range(len(rows))]
        yield _case("each sequence and its reverse", rows + twins, [0] * len(rows) + answers)


def _uneven(rng: Random) -> Iterator[Case]:
    """Four bags of other sizes; two have the same set of tokens, two the same sum."""
    n, (first, second, third) = rng.randint(0, 5), rng.sample(range(5), 3)
    a, b, c, d = range(n, n + 4)
    sequences = [
        *[([a, a, d], first)] * (6 + rng.randint(0, 3)),
        *[([a, b, c], second)] * 4,
        *[([a, d, d], third)] * 5,
        *[([b, b, c], second)] * 2,
        *[([d, a, a], second), ([c, b, a], first), ([d, d, a], first), ([d, d, a], second)] * 2,
    ]
    rng.shuffle(sequences)
    rows, answers = zip(*sequences, strict=True)
    yield _case("bags of different sizes", list(rows), list(answers))


def _nearly_alike(rng: Random) -> Iterator[Case]:
    """Seven sequences of each of two bags; the one's best answer is none of the other's."""
    for pair in CONFUSED:
        answers = rng.sample(range(300), 10)
        rows, said = [], []
        for bag, (best, *others) in zip(pair, (answers[:5], answers[5:]), strict=True):
            for answer in [best] * 3 + others:
                rows.append(rng.sample(bag, len(bag)))
                said.append(answer)
        yield _case("bags that are easily confused", rows, said)
    yield _case("a single sequence", rows[:1], said[:1])


bag = Exercise(
    "bag",
    best_without_order,
    (
        Part("every bag with both answers", 0.5, _twins),
        Part("bags of different sizes", 0.25, _uneven),
        Part("bags that are nearly alike", 0.25, _nearly_alike),
    ),
    module=__name__,
)
