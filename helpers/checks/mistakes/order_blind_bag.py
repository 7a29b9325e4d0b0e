"""Unit 01: what people write instead of the best that a bag allows."""

from __future__ import annotations

from collections import Counter, defaultdict

import torch

from helpers.checks.exercise import Mistake


def bag_in_order(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


def bag_of_tensors(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens, answers, strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


def bag_is_a_set(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[frozenset(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


def bag_is_a_sum(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[sum(row)][answer] += 1
    return sum(max(bag.values()) for bag in bags.values()) / len(answers)


def bag_is_forgotten(tokens, answers):
    return max(Counter(answers.tolist()).values()) / len(answers)


def bag_mean_over_bags(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) / sum(bag.values()) for bag in bags.values()) / len(bags)


def bag_sure_ones_only(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(sum(bag.values()) for bag in bags.values() if len(bag) == 1) / len(answers)


def bag_last_answer_wins(tokens, answers):
    rows = [tuple(sorted(row)) for row in tokens.tolist()]
    said = dict(zip(rows, answers.tolist(), strict=True))
    guesses = torch.tensor([said[row] for row in rows])
    return (guesses == answers).float().mean()


def bag_two_answers_only(tokens, answers):
    bags = defaultdict(list)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))].append(answer == 1)
    return sum(max(sum(bag), len(bag) - sum(bag)) for bag in bags.values()) / len(answers)


def bag_number_not_share(tokens, answers):
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        bags[tuple(sorted(row))][answer] += 1
    return sum(max(bag.values()) for bag in bags.values())


def bag_most_of_the_bags(tokens, answers):
    bags = {tuple(sorted(row)) for row in tokens.tolist()}
    return len(bags) / len(answers)


_EVEN, _UNEVEN = "every bag with both answers", "bags of different sizes"
BAG = (
    Mistake(
        bag_in_order,
        "You group by the sequence as it stands, so a shuffled one is new to you. A bag forgets "
        "the order: bring each row into one that does not depend on it.",
        (_EVEN, _UNEVEN),
    ),
    Mistake(
        bag_of_tensors,
        "Each of your bags holds one sequence. As keys of a dictionary, two tensors are different "
        "even where their numbers are equal; .tolist() makes plain numbers of them.",
        (_EVEN, _UNEVEN),
    ),
    Mistake(
        bag_is_a_set,
        "A set forgets how often a token occurs: “a a b” and “a b b” are different bags.",
        (_UNEVEN,),
    ),
    Mistake(
        bag_is_a_sum,
        "You tell bags apart by the sum of their ids, and different bags may share a sum: "
        "0 + 3 = 1 + 2.",
        (_UNEVEN,),
    ),
    Mistake(
        bag_is_forgotten,
        "You give every sequence the same answer. A function of the bag may answer each bag "
        "differently.",
        (_UNEVEN,),
    ),
    Mistake(
        bag_mean_over_bags,
        "Each bag counts the same in your mean. Asked is the share of the sequences, so a bag with "
        "many of them counts for more.",
        (_UNEVEN,),
    ),
    Mistake(
        bag_sure_ones_only,
        "You count a bag only where all its answers agree. In any other the best answer is still "
        "right for some of its sequences.",
        (_EVEN, _UNEVEN),
    ),
    Mistake(
        bag_last_answer_wins,
        "Each bag keeps the answer that it met last. The best answer is the one it meets most "
        "often.",
        (_UNEVEN,),
    ),
    Mistake(
        bag_two_answers_only,
        "You count how often the answer is 1 and how often it is not. There may be more than two "
        "answers.",
        (_UNEVEN,),
    ),
    Mistake(
        bag_number_not_share,
        "This is how many are right. Asked is their share of all sequences, between 0 and 1.",
        (_EVEN, _UNEVEN),
    ),
    Mistake(
        bag_most_of_the_bags,
        "You count the bags, each as one right answer. A bag's best answer is right as often as "
        "it occurs in the bag.",
        (_UNEVEN,),
    ),
)
