"""Unit 06, “Depth”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed
from helpers.checks.engine.faults import IN_PLACE
from helpers.checks.stacking import common
from helpers.encodings.tree import _above


def _left_to_right(rng: Random) -> Iterator[Case]:
    yield _of(common.random_tree(rng, shuffled=False))
    yield _of(torch.tensor([-1]))
    yield _of(torch.tensor([-1, 0]))
    for last in (4, 0):  # of two trees that begin alike
        yield _of(torch.tensor([-1, 0, 1, 2, 3, last]))
    # The deepest there is; no fixed number of passes will do, from whichever end they begin.
    yield _of(common.chain(400))


def _any_order(rng: Random) -> Iterator[Case]:
    yield _of(common.random_tree(rng, shuffled=True))
    yield _of(common.SENTENCE)
    yield _of(common.winding_chain(rng, rng.randint(22, 28)))
    yield _of(torch.tensor([1, -1]))
    yield _of(common.reversed_chain(rng.randint(280, 300)))


def _whole(rng: Random) -> Iterator[Case]:
    case = _of(common.random_tree(rng, shuffled=False))

    def ask(answer: Answer) -> Any:
        return common.with_dtype("the depths", case.ask(answer))

    yield case.asking(ask)


def _of(parents: Tensor) -> Case:
    """The small tree itself in the label: a learner may want to draw it."""
    return call(parents).labelled(f"({common.shown_tree(parents)})")


depths = Exercise(
    "depths",
    encodings.tree_depths,
    (
        Part("each word after its parent", 0.25, _left_to_right),
        Part("any order of the words", 0.5, _any_order),
        Part("integers", 0.25, _whole),
    ),
    forbidden=(encodings.tree_offsets, _above),
    explains=("Write `tree_depths`.",),
    generic={
        "`parents` stays as it is": IN_PLACE,
    },
)


def depths_by_steps(parents):
    """A right answer, which some of the wrong ones below change in one place."""
    tree, found = parents.tolist(), []
    for word in range(len(tree)):
        steps = 0
        while tree[word] >= 0:
            word, steps = tree[word], steps + 1
        found.append(steps)
    return torch.tensor(found)


@depths.mistake(
    "Your root has depth 1. Depth is the number of steps up to the root, and the root is there "
    "already.",
    breaks="which itself has depth 0",
)
@changed(depths_by_steps, "while tree[word] >= 0", "while word >= 0")
def depths_from_one(): ...


@depths.mistake(
    "You go through the words once, from left to right. A parent may stand to the right of its "
    "word; then its depth is not known yet.",
    loses="any order of the words",
    breaks=(
        "so a parent may stand to the right of its word",
        "For the short sentence above they are",
    ),
)
def depths_in_one_pass(parents):
    found = torch.zeros(len(parents), dtype=torch.long)
    for word, parent in enumerate(parents.tolist()):
        found[word] = 0 if parent < 0 else found[parent] + 1
    return found


@depths.mistake(
    "You go through the words twice. Where parents stand to the right of their words, each pass "
    "from left to right may settle only one more step.",
    loses="any order of the words",
)
def depths_in_two_passes(parents):
    found = torch.zeros(len(parents), dtype=torch.long)
    for _ in range(2):
        for word, parent in enumerate(parents.tolist()):
            found[word] = 0 if parent < 0 else found[parent] + 1
    return found


@depths.mistake(
    "You go through the words from left to right and then back. Where the way up to the root "
    "turns round in the text more often than that, the depth is not known yet.",
    loses="any order of the words",
)
def depths_in_a_pass_each_way(parents):
    found = torch.zeros(len(parents), dtype=torch.long)
    for word in [*range(len(parents)), *reversed(range(len(parents)))]:
        found[word] = 0 if parents[word] < 0 else found[parents[word]] + 1
    return found


@depths.mistake(
    "You stop after a fixed number of steps. A tree may be a single chain.",
    loses=("each word after its parent", "any order of the words"),
    breaks="may be a single chain",
)
def depths_up_to_ten(parents):
    at, found = parents.clone(), torch.zeros_like(parents)
    for _ in range(10):
        found = found + (at >= 0).long()
        at = torch.where(at >= 0, parents[at.clamp(min=0)], -1)
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


@depths.mistake("You count the children of each word. Depth counts the words above it.")
def depths_as_numbers_of_children(parents):
    return torch.tensor([int((parents == word).sum()) for word in range(len(parents))])


@depths.mistake(
    "This is the distance to the parent in the text. Depth is counted in steps of the tree.",
    breaks="Steps from each word up to the root",
)
def depths_as_distance_to_the_parent(parents):
    distance = (torch.arange(len(parents)) - parents).abs()
    return torch.where(parents < 0, 0, distance)


@depths.mistake(
    "You walk up until you meet word 0. The root is the word whose parent is −1, wherever it "
    "stands.",
    loses="any order of the words",
)
@changed(depths_by_steps, "tree[word] >= 0", "word != 0 and steps < len(tree)")
def depths_to_the_first_word(): ...


@depths.mistake(
    "Each of your depths but the root's is one too small: a child of the root has depth 1."
)
@changed(depths_by_steps, "found.append(steps)", "found.append(max(steps - 1, 0))")
def depths_of_the_parent(): ...


@depths.mistake(
    "You return the depth of the deepest word. Return a depth for each word.",
    breaks="gives depths, of shape $(T,)$",
)
@changed(depths_by_steps, "torch.tensor(found)", "torch.tensor(max(found))")
def depths_of_the_whole_tree(): ...


@depths.mistake(
    "Your depths are right, but their dtype cannot be used for an index: return integers, "
    "torch.int64.",
    loses="integers",
    breaks="Return integers (`torch.int64`)",
)
@changed(depths_by_steps, "torch.tensor(found)", "torch.tensor(found).float()")
def depths_as_floats(): ...


@depths.mistake(
    "Your integers have too few bits: beyond some depth they overflow. Count in int, or in "
    "torch.int64 from the beginning.",
    loses=("each word after its parent", "any order of the words"),
)
@changed(depths_by_steps, "torch.tensor(found)", "torch.tensor(found).to(torch.int8).long()")
def depths_in_eight_bits(): ...
