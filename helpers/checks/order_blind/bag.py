"""Unit 01, “The best that a bag allows”: what people write instead of what bag_cases.py asks."""

from __future__ import annotations

from collections import Counter, defaultdict

import torch
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
)

NOT_TWINS = ("bags of different sizes", "bags that are nearly alike")


@bag.mistake(
    "You group by the sequence itself, so a shuffled one counts as a new bag. A bag forgets the "
    "order: bring each row into a form that does not depend on it.",
    breaks=("knows only the bag of tokens", "that a function of the bag can get right"),
)
def bag_in_order(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "Each of your bags holds one sequence. As dictionary keys, two tensors differ even if their "
    "numbers are equal; .tolist() turns them into plain numbers."
)
def bag_of_tensors(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens, answers, strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "A set forgets how often a token occurs: “a a b” and “a b b” are different bags.",
    loses=NOT_TWINS,
)
def bag_is_a_set(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[frozenset(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You group by a set in the order in which Python lists it; this may differ for the same "
    "tokens. And a set forgets how often a token occurs: “a a b” and “a b b” are different bags.",
    loses=NOT_TWINS,
)
def bag_is_a_tuple_of_a_set(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(set(row))][answer] += 1
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
    "Each bag counts the same in your mean. The result is a fraction of all sequences, so a bag "
    "with many of them counts for more.",
    breaks="of the $N$ answers that can be right",
    loses="bags of different sizes",
)
def bag_mean_over_bags(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) / sum(bag.values()) for bag in bags.values()) / len(bags)


@bag.mistake(
    "You count a bag only if all its answers agree. In the other bags, the best answer is "
    "still right for some of the sequences."
)
def bag_sure_ones_only(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(sum(bag.values()) for bag in bags.values() if len(bag) == 1) / len(answers)


@bag.mistake(
    "For each bag, you keep the answer that you saw last. The best answer is its most frequent "
    "one.",
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
    breaks="both of integers, 0 or larger",
    loses=NOT_TWINS,
)
def bag_two_answers_only(tokens, answers):
    bags = defaultdict(list)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))].append(answer == 1)
    return sum(max(sum(bag), len(bag) - sum(bag)) for bag in bags.values()) / len(answers)


@bag.mistake(
    "This is the number of right answers. Return their fraction of all sequences, between 0 and 1.",
    breaks="Return a number between 0 and 1",
)
def bag_number_not_fraction(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values())


@bag.mistake(
    "You count the bags, each as one right answer. (So does a Counter of tensors, in which no two "
    "are the same key.) A bag's best answer is right as often as it occurs in the bag.",
)
def bag_most_of_the_bags(tokens, answers):
    bags = {tuple(sorted(row)) for row in tokens.tolist()}
    return len(bags) / len(answers)


@bag.mistake(
    "You tell bags apart by a few sums, such as those of the ids and of their squares, and "
    "different bags may agree in all of them. The sorted tokens tell all bags apart.",
    loses=NOT_TWINS,
)
def bag_is_two_sums(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(row), sum(t * t for t in row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You turn each bag into one number, with one digit for the count of each word. A word may "
    "occur ten times or more, and then one digit is not enough. The sorted tokens tell bags "
    "apart.",
    loses="bags that are nearly alike",
)
def bag_is_a_number_of_digits(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(10**t for t in row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You write the sorted tokens as the digits of one number. A token may be as large as the "
    "base or larger, and then two bags give the same number: 0 + 11 · 10 = 10 + 10 · 10.",
    loses="bags that are nearly alike",
)
def bag_is_one_number(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(t * 10**place for place, t in enumerate(sorted(row)))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


@bag.mistake(
    "You keep which tokens there are and a sum or two, but not how often each occurs: “1 1 2 3 3” "
    "and “1 2 2 2 3” have the set and the sum in common.",
    loses="bags that are nearly alike",
)
def bag_is_a_set_with_a_sum(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[frozenset(row), sum(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)
