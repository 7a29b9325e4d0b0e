"""Unit 06, “Offsets in a tree”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import IN_PLACE, Case, Exercise, Part, call, compare
from helpers.checks.stacking import common

ON_A_PATH, ACROSS, WHOLE = (
    "one word above the other",
    "words on different branches",
    "integers",
)


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


def _pairs(trees: Iterator[Tensor], on_a_path: bool) -> Iterator[Case]:
    name = f"{ON_A_PATH if on_a_path else ACROSS} (other pairs shown as 0)"
    for parents in trees:
        asked = _on_a_path(parents) == on_a_path

        def told(found: Any, asked: Tensor = asked) -> Any:
            tensor = compare.as_tensor(found)
            if tensor is not None and tensor.shape == asked.shape:
                found = torch.where(asked, tensor, 0.0)
            return None if found is None else {name: found}

        yield call(parents).labelled(f"({common.shown_tree(parents)})").map(told)


def _same_path(rng: Random) -> Iterator[Case]:
    def trees() -> Iterator[Tensor]:
        yield from _trees(rng)
        yield torch.tensor([-1])
        yield torch.tensor(rng.choice(([-1, 0], [1, -1])))
        yield common.reversed_chain(rng.randint(14, 17))
        yield common.winding_chain(rng, rng.randint(14, 17))
        yield common.winding_chain(rng, 200)  # the deepest there is

    return _pairs(trees(), on_a_path=True)


def _across(rng: Random) -> Iterator[Case]:
    def trees() -> Iterator[Tensor]:
        yield from _trees(rng)
        # As many words as there may be. Paths of more than 127 steps, and depths that add up to
        # more than 255: eight bits do not do.
        stem, short = rng.randint(60, 68), rng.randint(14, 18)
        yield _deep_fork(rng, stem, short, 200 - stem - short)
        yield _deep_fork(rng, rng.randint(130, 140), 1, rng.randint(2, 3), rng.randint(4, 6))
        long = rng.randint(97, 102)  # both words far from where their branches part
        yield _deep_fork(rng, 1, long, 199 - long)

    return _pairs(trees(), on_a_path=False)


def _whole(rng: Random) -> Iterator[Case]:
    parents = common.random_tree(rng, shuffled=True)
    yield call(parents).labelled(f"({common.shown_tree(parents)})").map(common.with_dtype)


tree = Exercise(
    "tree",
    encodings.tree_offsets,
    (
        Part(ON_A_PATH, 0.5, _same_path),
        Part(ACROSS, 0.75, _across),
        Part(WHOLE, 0.25, _whole),
    ),
    explains=(
        "Now write the offsets that our attention",
        "Write `tree_offsets`.",
        "You may use `encodings.tree_depths` for the depths.",
    ),
    generic={
        "`parents` stays as it is": IN_PLACE,
    },
    module=__name__,
)
