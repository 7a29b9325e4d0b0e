"""Unit 06, “Depth”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import torch

from helpers import encodings
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part
from helpers.checks.stacking import common


def _left_to_right(rng: Random) -> Iterator[Case]:
    yield common.of_tree(common.random_tree(rng, shuffled=False))
    yield common.of_tree(torch.tensor([-1]))
    yield common.of_tree(torch.tensor([-1, 0]))
    for last in (4, 0):  # of two trees that begin alike
        yield common.of_tree(torch.tensor([-1, 0, 1, 2, 3, last]))
    # The deepest there is; no fixed number of passes will do, from whichever end they begin.
    yield common.of_tree(common.chain(400))


def _any_order(rng: Random) -> Iterator[Case]:
    yield common.of_tree(common.random_tree(rng, shuffled=True))
    yield common.of_tree(common.SENTENCE)
    yield common.of_tree(common.winding_chain(rng, rng.randint(22, 28)))
    yield common.of_tree(torch.tensor([1, -1]))
    yield common.of_tree(common.reversed_chain(rng.randint(280, 300)))


depths = Exercise(
    "depths",
    encodings.tree_depths,
    (
        Part("each word after its parent", 0.25, _left_to_right),
        Part("any order of the words", 0.5, _any_order),
        Part("integers", 0.25, partial(common.integers, shuffled=False)),
    ),
    forbidden=(encodings.tree_offsets,),
    generic={"`parents` stays as it is": IN_PLACE},
    module=__name__,
)
