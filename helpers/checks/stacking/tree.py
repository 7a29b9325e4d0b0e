"""Unit 06, “Offsets in a tree”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, compare
from helpers.checks.stacking import common


def _on_a_path(parents: Tensor) -> Tensor:
    """True for pairs of which one stands above the other, or is it; (T, T)."""
    above = torch.eye(len(parents), dtype=torch.bool)
    for word in range(len(parents)):
        at = word
        while (at := int(parents[at])) >= 0:
            above[word, at] = True
    return above | above.T


def _pairs(rng: Random, on_a_path: bool) -> Iterator[Case]:
    for _ in range(2):
        parents = common.random_tree(rng, shuffled=True)
        asked = _on_a_path(parents) == on_a_path

        def ask(answer: Answer, parents: Tensor = parents, asked: Tensor = asked) -> Any:
            found = answer(parents.clone())
            tensor = compare.as_tensor(found)
            if tensor is None or tensor.shape != asked.shape:
                return found
            return torch.where(asked, tensor, 0.0)

        yield Case(f"(torch.tensor({parents.tolist()})), all other pairs shown as 0", ask)


def _same_path(rng: Random) -> Iterator[Case]:
    return _pairs(rng, on_a_path=True)


def _across(rng: Random) -> Iterator[Case]:
    return _pairs(rng, on_a_path=False)


tree = Exercise(
    "tree",
    encodings.tree_offsets,
    (
        Part("one word above the other", 0.5, _same_path),
        Part("words on different branches", 1, _across),
    ),
)


@tree.mistake(
    "All your signs are reversed. Row i is the query, column j the key, and offsets are "
    "counted from i to j."
)
def offsets_with_the_sign_of_i_minus_j(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            shared = len(set(a) & set(b))
            steps = len(a) + len(b) - 2 * shared
            one_path = shared in (len(a), len(b))
            found[i, j] = len(a) - len(b) if one_path else (steps if i > j else -steps)
    return found


@tree.mistake(
    "You give distances. An offset has a sign, or a parent could not be told from a child."
)
def offsets_without_a_sign(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [set(path(word)) for word in range(len(parents))]
    return torch.tensor([[len(a ^ b) for b in up] for a in up])


@tree.mistake(
    "Your path across goes through the root. Two words may meet further down: stop at the "
    "lowest word that is above both.",
    loses="words on different branches",
)
def offsets_through_the_root(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(a) + len(b) - 2
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found


@tree.mistake(
    "You take the sign from the order in the line everywhere. Where one word is above the "
    "other, the tree itself says which way is up.",
    loses="one word above the other",
)
def offsets_always_with_the_sign_of_the_line(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [set(path(word)) for word in range(len(parents))]
    steps = torch.tensor([[len(a ^ b) for b in up] for a in up])
    places = torch.arange(len(parents))
    return (places[None, :] - places[:, None]).sign() * steps


@tree.mistake(
    "You use the difference of depths for every pair. For two sisters that is 0, as if they "
    "were one word; across branches it takes the steps up and down.",
    loses="words on different branches",
)
def offsets_as_differences_of_depth(parents):
    def depth(word):
        return 0 if parents[word] < 0 else 1 + depth(int(parents[word]))

    found = torch.tensor([depth(word) for word in range(len(parents))])
    return found[None, :] - found[:, None]


@tree.mistake(
    "Across branches you take two steps too many. Are depths and the depth of the common word "
    "counted alike?",
    loses="words on different branches",
)
def offsets_past_the_common_word(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b)) + 2
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found


@tree.mistake(
    "You count the steps up and forget those down again.", loses="words on different branches"
)
def offsets_up_to_the_common_word_only(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) - set(b))
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found


@tree.mistake(
    "Your steps across branches are all positive. They are negative where j stands before i.",
    loses="words on different branches",
)
def offsets_across_without_a_sign(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else len(set(a) ^ set(b))
    return found


@tree.mistake(
    "From a word to its parent it should be −1. Your sign is reversed where one word is above "
    "the other.",
    loses="one word above the other",
)
def offsets_reversed_on_a_path(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            one_path = i in b or j in a
            found[i, j] = len(a) - len(b) if one_path else (steps if j > i else -steps)
    return found


@tree.mistake(
    "Across branches your sign is reversed. It is plus where the key j stands behind the query i.",
    loses="words on different branches",
)
def offsets_reversed_across(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if i > j else -steps)
    return found


@tree.mistake(
    "Where one word is above the other, all yours are positive. Up is minus, down is plus.",
    loses="one word above the other",
)
def offsets_on_a_path_without_a_sign(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            one_path = i in b or j in a
            found[i, j] = steps if one_path or j > i else -steps
    return found


@tree.mistake(
    "Across branches you count the words on the path, one more than its steps.",
    loses="words on different branches",
)
def offsets_counted_in_words(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            words = len(set(a) ^ set(b)) + 1
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (words if j > i else -words)
    return found


@tree.mistake(
    "You treat parent and child as one above the other, but not grandparents. Every ancestor "
    "is above a word.",
    loses="one word above the other",
)
def offsets_with_parents_only_above(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            near = steps <= 1
            found[i, j] = len(b) - len(a) if near else (steps if j > i else -steps)
    return found


@tree.mistake("These are offsets in the line, j − i. The tree has no say in them.")
def offsets_in_the_line(parents):
    places = torch.arange(len(parents))
    return places[None, :] - places[:, None]
