"""Unit 01, “The best that a bag allows”: what it asks; what people write instead is in bag.py."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import torch

from helpers.checks.engine import Answer, ArgumentChangedError, Case
from helpers.checks.order_blind import common

# The sums of the tokens agree, and those of their squares.
ALIKE = ([0, 5, 6, 16, 17, 22], [1, 2, 10, 12, 20, 21])
# Pairs that a careless key takes for one: with the same sum, and those sums; ten and more of one
# word, where a digit counts it; the same digits when sorted; and the same set with the same sum.
CONFUSED = (
    ([0, 3], [1, 2]),
    ALIKE,
    ([1] * 11, [0] * 10 + [2]),
    ([0, 11], [10, 10]),
    ([1, 1, 2, 3, 3], [1, 2, 2, 2, 3]),
)
# Ids and answers beyond 100, and beyond what eight bits hold.
LARGE = (([7, 107], [7, 7]), ([256, 3], [0, 3]))
ANSWERS = (48, 148, 1124, 2149, 10, 11, 12, 13, 14, 2148)


def large(rng: Random) -> Iterator[Case]:
    """Bags of large ids, with answers as large."""
    for pair in LARGE:
        largest = max(map(max, pair))  # behind it, what is added leaves the others side by side
        for more in ([rng.randint(10, 20)] * 2, [largest + rng.randint(1, 5)] * 3):
            whole = [bag + more for bag in pair]
            yield _bag_case("large ids", *_with_answers(rng, whole, list(ANSWERS)))


def many(rng: Random) -> Iterator[Case]:
    """Bags with an answer each: whoever takes two of them for one is wrong."""
    bags = rng.sample(list(combinations(range(18), 6)), 80)
    said = [n for n in range(80) for _ in range(2)]
    yield _bag_case("eighty bags", [rng.sample(bags[n], 6) for n in said], said)
    # Those of the second half have an answer of three wrong.
    bags, half = rng.sample(list(combinations(range(18), 6)), 120), rng.randint(58, 62)
    pairs = [(bag, n + (n > half) * k) for n, bag in enumerate(bags) for k in (0, 0, 1)]
    rows = [rng.sample(bag, 6) for bag, _ in pairs]
    yield _bag_case("a hundred and twenty bags", rows, [answer for _, answer in pairs])


def long(rng: Random) -> Iterator[Case]:
    """Bags of more than 256 tokens: two differ in their largest only, two in their smallest."""
    ends = ([0, 0, 3], [0, 3, 3], [7, 7, 9], [7, 9, 9])
    bags = [end + [5] * rng.randint(260, 280) for end in ends]
    length = min(map(len, bags))
    yield _bag_case("long bags", *_with_answers(rng, [bag[:length] for bag in bags]))


def confused(rng: Random) -> Iterator[Case]:
    """Bags that a careless key takes for one; ten answers, none of them right for half of a bag."""
    length = rng.randint(13, 15)
    for pair in CONFUSED:
        largest = max(map(max, pair))  # what is added stands behind the others in order of size
        whole = [bag + [largest + 1] * (length - len(bag)) for bag in pair]
        rows, said = _with_answers(rng, whole)
        yield _bag_case("bags that are easily confused", rows, said)
    yield _bag_case("a single sequence", rows[:1], said[:1])


def repeated(rng: Random) -> Iterator[Case]:
    """Two words, one of them n times and the other m times, and the other way round."""
    for n, m in ((3, 5), (9, 11), (rng.randint(17, 20), rng.randint(21, 30))):
        one, other = rng.sample(range(10), 2)
        pair = [[one] * n + [other] * m, [one] * m + [other] * n]
        rows, said = _with_answers(rng, pair)
        yield _bag_case("bags of two words", rows, said)


def _with_answers(
    rng: Random, bags: list[list[int]], answers: list[int] | None = None
) -> tuple[list[list[int]], list[int]]:
    """Seven sequences of each bag; the one's best answer is none of the other's."""
    rows, said = [], []
    answers = answers or rng.sample(range(10), 10)
    for bag in bags:
        best, *others = answers.pop(), *answers[:4]
        for answer in [best] * 3 + others:
            rows.append(rng.sample(bag, len(bag)))
            said.append(answer)
    return rows, said


def _bag_case(label: str, rows: list[list[int]], answers: list[int]) -> Case:
    tokens, right = torch.tensor(rows), torch.tensor(answers)

    def ask(answer: Answer) -> Any:
        given, given_right = tokens.clone(), right.clone()
        found = common.is_number(answer(given, given_right))
        if not torch.equal(given, tokens):
            raise ArgumentChangedError("tokens")
        if not torch.equal(given_right, right):
            raise ArgumentChangedError("answers")
        return found

    return Case(f"{label}, {len(rows)} sequences of {len(rows[0])} tokens", ask)


def twins(rng: Random) -> Iterator[Case]:
    """Every bag twice: the twin has another order and the other answer, but for some bags."""
    for agree in (0, rng.randint(2, 6)):
        bags = rng.sample(list(combinations(range(9), 5)), 12)
        rows = [rng.sample(bag, 5) for bag in bags]
        twins = [row[::-1] for row in rows]
        answers = [int(n >= agree) for n in range(len(rows))]
        yield _bag_case("each sequence and its reverse", rows + twins, [0] * len(rows) + answers)


def alike(rng: Random) -> Iterator[Case]:
    """Two bags of which no few sums tell one from the other, with an answer each."""
    n, answers = rng.randint(0, 9), rng.sample(range(3), 2)
    often = rng.randint(3, 5)
    rows = [[t + n for t in rng.sample(bag, 6)] for bag in ALIKE for _ in range(often)]
    wrong = [[t + n for t in ALIKE[0]]] * rng.randint(1, 2)
    said = [answer for answer in answers for _ in range(often)] + [answers[1]] * len(wrong)
    yield _bag_case("bags with equal sums", rows + wrong, said)


def uneven(rng: Random) -> Iterator[Case]:
    """Four bags of other sizes; two have the same set of tokens, two the same sum."""
    n, common = rng.randint(0, 5), [rng.randint(10, 12)] * rng.randint(0, 2)
    a, b, c, d = n, n + 1, n + 2, n + 3
    first, second, third = rng.sample(range(5), 3)
    more = rng.randint(0, 3)
    often = [
        *[([a, a, d], first)] * (6 + more),
        *[([a, b, c], second)] * 4,
        *[([a, d, d], third)] * 5,
        *[([b, b, c], second)] * 2,
    ]
    rng.shuffle(often)
    # Always in an order of their own, one of them at the very start, the others at the very end.
    seldom = [([d, a, a], second), ([c, b, a], first), ([d, d, a], first), ([d, d, a], second)]
    every = [*seldom[:1], *seldom[:1], *often, *seldom[1:], *seldom[1:]]
    for _ in range(2):
        rows, answers = [row + common for row, _ in every], [answer for _, answer in every]
        yield _bag_case("bags of different sizes", rows, answers)
        every += [([a, a, a], first), ([d, d, d], third)]  # each of them once


def uneven_or_alike(rng: Random) -> Iterator[Case]:
    """Bags that are of other sizes, or have equal sums, or two words; many bags; and long ones."""
    for cases in (uneven, alike, repeated, many, long):
        yield from cases(rng)


def nearly_alike(rng: Random) -> Iterator[Case]:
    """Bags that a careless key takes for one, of small ids and of large ones; and one bag."""
    yield from confused(rng)
    yield from large(rng)
    yield from in_two_orders(rng)


def in_two_orders(rng: Random) -> Iterator[Case]:
    """One bag. Python's set of it, as a tuple, has two orders: 8 apart, both want one slot."""
    n = rng.randint(0, 9)
    rows = [[n, n + 8]] * 3 + [[n + 8, n]] * 2
    yield _bag_case("one bag in two orders", rows, [0, 0, 1, 1, 1])
