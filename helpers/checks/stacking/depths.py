"""Unit 06, “Depth”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part, call
from helpers.checks.stacking import common


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
    yield _of(common.random_tree(rng, shuffled=False)).map(common.with_dtype)


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
    forbidden=(encodings.tree_offsets,),
    explains=("Write `tree_depths`.",),
    generic={
        "`parents` stays as it is": IN_PLACE,
    },
    module=__name__,
)
