"""Unit 06, “Depth”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.stacking import common


def _left_to_right(rng: Random) -> Iterator[Case]:
    yield _of(common.random_tree(rng, shuffled=False))


def _any_order(rng: Random) -> Iterator[Case]:
    yield _of(common.random_tree(rng, shuffled=True))


def _of(parents: Tensor) -> Case:
    """The small tree itself in the label: a learner may want to draw it."""
    return Case(f"(torch.tensor({parents.tolist()}))", call(parents).ask)


depths = Exercise(
    "depths",
    encodings.tree_depths,
    (
        Part("each word after its parent", 0.5, _left_to_right),
        Part("any order of the words", 0.5, _any_order),
    ),
    forbidden=(encodings.tree_offsets,),
)


@depths.mistake(
    "Your root has depth 1. Depth is the number of steps up to the root, and the root is there "
    "already."
)
def depths_from_one(parents):
    found = []
    for word in range(len(parents)):
        steps = 0
        while word >= 0:
            word, steps = int(parents[word]), steps + 1
        found.append(steps)
    return torch.tensor(found)


@depths.mistake(
    "You go through the words once, from left to right. A parent may stand to the right of its "
    "word; then its depth is not known yet.",
    loses="any order of the words",
)
def depths_in_one_pass(parents):
    found = torch.zeros(len(parents), dtype=torch.long)
    for word, parent in enumerate(parents.tolist()):
        found[word] = 0 if parent < 0 else found[parent] + 1
    return found


@depths.mistake("You count steps down to the furthest leaf. Depth counts the steps up to the root.")
def depths_as_heights(parents):
    found = [0] * len(parents)
    for word in range(len(parents)):
        at, steps = word, 0
        while at >= 0:
            found[at] = max(found[at], steps)
            at, steps = int(parents[at]), steps + 1
    return torch.tensor(found)


@depths.mistake("You count how many words hang on each. Depth is how many words it hangs below.")
def depths_as_numbers_of_children(parents):
    return torch.tensor([int((parents == word).sum()) for word in range(len(parents))])


@depths.mistake(
    "This is how far the parent stands in the line. Depth is counted in steps of the tree."
)
def depths_as_distance_to_the_parent(parents):
    distance = (torch.arange(len(parents)) - parents).abs()
    return torch.where(parents < 0, 0, distance)


@depths.mistake(
    "You walk up until you meet word 0. The root is the word whose parent is −1, wherever it "
    "stands.",
    loses="any order of the words",
)
def depths_to_the_first_word(parents):
    found = []
    for word in range(len(parents)):
        steps = 0
        while word != 0 and steps < len(parents):
            word, steps = int(parents[word]), steps + 1
        found.append(steps)
    return torch.tensor(found)


@depths.mistake("You stop one step short: a child of the root has depth 1.")
def depths_of_the_parent(parents):
    found = []
    for word in range(len(parents)):
        steps = 0
        while word >= 0:
            word, steps = int(parents[word]), steps + 1
        found.append(max(steps - 2, 0))
    return torch.tensor(found)
