"""Unit 01, “The best that a bag allows”: what it asks, and what people write instead."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part
from helpers.checks.order_blind import common


def best_without_order(tokens: Tensor, answers: Tensor) -> float:
    """Largest fraction of the answers that a function of the bag can get right; (N, T), (N,)."""
    bags: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    rows = tokens.sort(1).values.tolist()
    for row, answer in zip(rows, answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(counts.values()) for counts in bags.values()) / len(answers)


# Pairs of bags with the same product of t + 1, of the same digits, and with the same sum of 8^t;
# 256 is 0 in eight bits. Then with the same sum of 10^t, twice; as odd in their counts; with the
# same sum, smallest and largest; and, in front of others as large as 500, of the same digits.
CONFUSED = (
    ([0, 3], [1, 1]),
    ([1, 12], [11, 2]),
    ([1] * 9, [0] * 8 + [2]),
    ([256, 3], [0, 3]),
    ([7, 9], [7, 8]),
    ([1] * 11, [0] * 10 + [2]),
    ([1] + [2] * 10, [0] * 10 + [3]),
    ([1, 1, 2], [2, 3, 3]),
    ([1, 4, 4, 7], [1, 2, 6, 7]),
    ([12, 34], [1, 234]),
)


def _confused(rng: Random) -> Iterator[Case]:
    """Bags that a careless key takes for one; ten answers, none of them right for half of a bag."""
    length = rng.randint(11, 13)
    for pair in CONFUSED:
        more = 500 if pair is CONFUSED[-1] else 5
        whole = [bag + [more] * (length - len(bag)) for bag in pair]
        rows, said = _with_answers(rng, whole)
        yield _bag_case("bags that are easily confused", rows, said)
    yield _bag_case("a single sequence", rows[:1], said[:1])


def _repeated(rng: Random) -> Iterator[Case]:
    """Two words, one of them n times and the other m times, and the other way round."""
    for n, m in ((3, 5), (9, 11), (rng.randint(17, 20), rng.randint(21, 30))):
        one, other = rng.sample(range(10), 2)
        pair = [[one] * n + [other] * m, [one] * m + [other] * n]
        rows, said = _with_answers(rng, pair)
        yield _bag_case("bags of two words", rows, said)


def _with_answers(rng: Random, bags: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Seven sequences of each bag; the one's best answer is none of the other's."""
    rows, said = [], []
    answers = rng.sample(range(10), 10)
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
        found = common.as_number(answer(given, given_right))
        if not torch.equal(given, tokens):
            raise ArgumentChangedError("tokens")
        if not torch.equal(given_right, right):
            raise ArgumentChangedError("answers")
        return found

    return Case(f"{label}, {len(rows)} sequences of {len(rows[0])} tokens", ask)


# The sums of the tokens agree, and those of their squares, up to their fifth powers.
ALIKE = ([0, 5, 6, 16, 17, 22], [1, 2, 10, 12, 20, 21])


def _twins(rng: Random) -> Iterator[Case]:
    """Every bag twice: the twin has another order and the other answer, but for some bags."""
    for agree in (0, rng.randint(2, 6)):
        bags = rng.sample(list(combinations(range(9), 5)), 12)
        rows = [rng.sample(bag, 5) for bag in bags]
        twins = [row[::-1] for row in rows]
        answers = [int(n >= agree) for n in range(len(rows))]
        yield _bag_case("each sequence and its reverse", rows + twins, [0] * len(rows) + answers)


def _alike(rng: Random) -> Iterator[Case]:
    """Two bags of which no few sums tell one from the other, with an answer each."""
    n, answers = rng.randint(0, 9), rng.sample(range(3), 2)
    often = rng.randint(3, 5)
    rows = [[t + n for t in rng.sample(bag, 6)] for bag in ALIKE for _ in range(often)]
    wrong = [[t + n for t in ALIKE[0]]] * rng.randint(1, 2)
    said = [answer for answer in answers for _ in range(often)] + [answers[1]] * len(wrong)
    yield _bag_case("bags with equal sums", rows + wrong, said)


def _uneven(rng: Random) -> Iterator[Case]:
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
    rows, answers = [row + common for row, _ in every], [answer for _, answer in every]
    yield _bag_case("bags of different sizes", rows, answers)


bag = Exercise(
    "bag",
    best_without_order,
    (
        Part("every bag with both answers", 0.5, _twins),
        Part(
            "bags of different sizes",
            0.25,
            lambda rng: (*_uneven(rng), *_alike(rng), *_repeated(rng)),
        ),
        Part("bags that are nearly alike", 0.25, _confused),
    ),
    explains=("Write `best_without_order`.",),
)

NOT_TWINS = ("bags of different sizes", "bags that are nearly alike")


@bag.mistake(
    "You group by the sequence as it stands, so a shuffled one is new to you. A bag forgets "
    "the order: bring each row into one that does not depend on it.",
    breaks=("knows of each sequence only its bag", "that a function of the bag can get right"),
)
def bag_in_order(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "Each of your bags holds one sequence. As keys of a dictionary, two tensors are different "
    "even where their numbers are equal; .tolist() makes plain numbers of them."
)
def bag_of_tensors(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens, answers, strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "A set forgets how often a token occurs: “a a b” and “a b b” are different bags.",
    loses="bags of different sizes",
)
def bag_is_a_set(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[frozenset(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You tell bags apart by the sum of their ids, and different bags may share a sum: "
    "0 + 3 = 1 + 2.",
    loses=NOT_TWINS,
)
def bag_is_a_sum(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You give every sequence the same answer. A function of the bag may answer each bag "
    "differently.",
    loses=NOT_TWINS,
)
def bag_is_forgotten(tokens, answers):
    return max(Counter(answers.tolist()).values()) / len(answers)


@bag.mistake(
    "Each bag counts the same in your mean. Asked is the fraction of the sequences, so a bag with "
    "many of them counts for more.",
    breaks="of the $N$ answers that can be right",
    loses="bags of different sizes",
)
def bag_mean_over_bags(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) / sum(bag.values()) for bag in bags.values()) / len(bags)


@bag.mistake(
    "You count a bag only where all its answers agree. In any other the best answer is still "
    "right for some of its sequences."
)
def bag_sure_ones_only(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(sum(bag.values()) for bag in bags.values() if len(bag) == 1) / len(answers)


@bag.mistake(
    "Each bag keeps the answer that it met last. The best answer is the one it meets most often.",
    loses=NOT_TWINS,
)
def bag_last_answer_wins(tokens, answers):
    rows = [tuple(sorted(row)) for row in tokens.tolist()]
    said = dict(zip(rows, answers.tolist(), strict=True))
    guesses = torch.tensor([said[row] for row in rows])
    return (guesses == answers).float().mean()


@bag.mistake(
    "You count how often the answer is 1 and how often it is not. There may be more than two "
    "answers.",
    breaks="both whole numbers from 0",
    loses=NOT_TWINS,
)
def bag_two_answers_only(tokens, answers):
    bags = defaultdict(list)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))].append(answer == 1)
    return sum(max(sum(bag), len(bag) - sum(bag)) for bag in bags.values()) / len(answers)


@bag.mistake(
    "This is how many are right. Asked is their fraction of all sequences, between 0 and 1.",
    breaks="Return a number between 0 and 1",
)
def bag_number_not_fraction(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values())


@bag.mistake(
    "You count the bags, each as one right answer. A bag's best answer is right as often as "
    "it occurs in the bag.",
)
def bag_most_of_the_bags(tokens, answers):
    bags = {tuple(sorted(row)) for row in tokens.tolist()}
    return len(bags) / len(answers)


@bag.mistake(
    "You tell bags apart by a few sums, as of ids and their squares, and different bags may agree "
    "in all of them. The sorted tokens tell bags apart for certain.",
    loses="bags of different sizes",
)
def bag_is_two_sums(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(row), sum(t * t for t in row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You make one number of a bag, with a digit for how often each word is in it. A word may be in "
    "it ten times and more, and then one digit does not do. The sorted tokens tell bags apart.",
    loses="bags that are nearly alike",
)
def bag_is_a_number_of_digits(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(10**t for t in row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)
