"""Unit 06, “Offsets in a tree”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part
from helpers.checks.stacking import common

ON_A_PATH, ACROSS = "one word above the other", "words on different branches"


def _on_a_path(parents: Tensor) -> Tensor:
    """True for pairs of which one stands above the other, or is it; (T, T)."""
    tree = parents.tolist()
    above = torch.eye(len(tree), dtype=torch.bool)
    for word, parent in enumerate(tree):
        path = []
        while parent >= 0:
            path.append(parent)
            parent = tree[parent]
        above[word, path] = True
    return above | above.T


def _deep_fork(rng: Random, stem: int, *branches: int) -> Tensor:
    """A stem of so many words, and branches of so many from its end, in any order; (T,)."""
    parents = list(range(-1, stem - 1))
    for branch in branches:
        parents += [stem - 1, *range(len(parents), len(parents) + branch - 1)]
    return common.moved(parents, rng.sample(range(len(parents)), len(parents)))


def _sisters(rng: Random) -> Tensor:
    """All words but one hang on the root, and that one on another; (T,)."""
    parents = [-1, *[0] * rng.randint(4, 6), 1]
    return common.moved(parents, rng.sample(range(len(parents)), len(parents)))


def _trees(rng: Random) -> Iterator[Tensor]:
    yield common.random_tree(rng, shuffled=True)
    yield common.random_tree(rng, shuffled=True)
    yield common.SENTENCE
    yield _deep_fork(rng, rng.randint(5, 6), rng.randint(3, 4), rng.randint(5, 6))
    yield _sisters(rng)


def _same_path(rng: Random) -> Iterator[Case]:
    for parents in (
        *_trees(rng),
        torch.tensor([-1]),
        torch.tensor(rng.choice(([-1, 0], [1, -1]))),
        common.reversed_chain(rng.randint(14, 17)),
        common.winding_chain(rng, rng.randint(14, 17)),
        common.winding_chain(rng, 200),  # the deepest there is
    ):
        words = f"{ON_A_PATH} (other pairs shown as 0)"
        yield common.of_tree(parents).map(partial(common.only, _on_a_path(parents), words))


def _across(rng: Random) -> Iterator[Case]:
    stem, short = rng.randint(60, 68), rng.randint(14, 18)
    long = rng.randint(97, 102)  # both words far from where their branches part
    for parents in (
        *_trees(rng),
        # As many words as there may be. Paths of more than 127 steps, and depths that add up to
        # more than 255: eight bits do not do.
        _deep_fork(rng, stem, short, 200 - stem - short),
        _deep_fork(rng, rng.randint(130, 140), 1, rng.randint(2, 3), rng.randint(4, 6)),
        _deep_fork(rng, 1, long, 199 - long),
    ):
        words = f"{ACROSS} (other pairs shown as 0)"
        yield common.of_tree(parents).map(partial(common.only, ~_on_a_path(parents), words))


tree = Exercise(
    "tree",
    encodings.tree_offsets,
    (
        Part(ON_A_PATH, 0.5, _same_path),
        Part(ACROSS, 0.75, _across),
        Part("integers", 0.25, partial(common.integers, shuffled=True)),
    ),
    explains=(
        "Now write the offsets that our attention",
        "You may use `encodings.tree_depths` for the depths.",
    ),
    generic={"`parents` stays as it is": IN_PLACE},
    module=__name__,
)
