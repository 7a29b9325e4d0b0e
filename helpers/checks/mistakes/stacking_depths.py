"""Unit 06: what people write instead of depths in a tree."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def depths_from_one(parents):
    found = []
    for word in range(len(parents)):
        steps = 0
        while word >= 0:
            word, steps = int(parents[word]), steps + 1
        found.append(steps)
    return torch.tensor(found)


def depths_in_one_pass(parents):
    found = torch.zeros(len(parents), dtype=torch.long)
    for word, parent in enumerate(parents.tolist()):
        found[word] = 0 if parent < 0 else found[parent] + 1
    return found


def depths_as_heights(parents):
    found = [0] * len(parents)
    for word in range(len(parents)):
        at, steps = word, 0
        while at >= 0:
            found[at] = max(found[at], steps)
            at, steps = int(parents[at]), steps + 1
    return torch.tensor(found)


def depths_as_numbers_of_children(parents):
    return torch.tensor([int((parents == word).sum()) for word in range(len(parents))])


def depths_as_distance_to_the_parent(parents):
    distance = (torch.arange(len(parents)) - parents).abs()
    return torch.where(parents < 0, 0, distance)


def depths_to_the_first_word(parents):
    found = []
    for word in range(len(parents)):
        steps = 0
        while word != 0 and steps < len(parents):
            word, steps = int(parents[word]), steps + 1
        found.append(steps)
    return torch.tensor(found)


def depths_of_the_parent(parents):
    found = []
    for word in range(len(parents)):
        steps = 0
        while word >= 0:
            word, steps = int(parents[word]), steps + 1
        found.append(max(steps - 2, 0))
    return torch.tensor(found)


_BOTH_DEPTHS = ("each word after its parent", "any order of the words")
DEPTHS = (
    Mistake(
        depths_from_one,
        "Your root has depth 1. Depth is the number of steps up to the root, and the root is there "
        "already.",
        _BOTH_DEPTHS,
    ),
    Mistake(
        depths_in_one_pass,
        "You go through the words once, from left to right. A parent may stand to the right of its "
        "word; then its depth is not known yet.",
        ("any order of the words",),
    ),
    Mistake(
        depths_as_heights,
        "You count steps down to the furthest leaf. Depth counts the steps up to the root.",
        _BOTH_DEPTHS,
    ),
    Mistake(
        depths_as_numbers_of_children,
        "You count how many words hang on each. Depth is how many words it hangs below.",
        _BOTH_DEPTHS,
    ),
    Mistake(
        depths_as_distance_to_the_parent,
        "This is how far the parent stands in the line. Depth is counted in steps of the tree.",
        _BOTH_DEPTHS,
    ),
    Mistake(
        depths_to_the_first_word,
        "You walk up until you meet word 0. The root is the word whose parent is −1, wherever it "
        "stands.",
        ("any order of the words",),
    ),
    Mistake(
        depths_of_the_parent,
        "You stop one step short: a child of the root has depth 1.",
        _BOTH_DEPTHS,
    ),
)
