"""Unit 06: what several of its exercises draw and ask with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks import draws
from helpers.checks.dtypes import with_dtype
from helpers.checks.engine import Case, call, compare

SENTENCE = torch.tensor([1, 2, -1, 2, 5, 3])  # “the cat sat on the mat” of the text
normal_numbers = partial(draws.normal, dtype=torch.float64)
SHOWN = 30  # words of a tree that a label shows in full


def random_tree(rng: Random, shuffled: bool) -> Tensor:
    """Parents of a tree with a branch below the root's child, (T,)."""
    length = rng.randint(8, 12)
    parents = [-1, 0, 1, 1, *(rng.randrange(n) for n in range(4, length))]
    place = list(range(length))
    while shuffled and not mixed(parents, place):
        rng.shuffle(place)
    return moved(parents, place)


def moved(parents: list[int], place: list[int]) -> Tensor:
    """The same tree with word n at `place[n]`, (T,)."""
    found = [0] * len(parents)
    for word, parent in enumerate(parents):
        found[place[word]] = -1 if parent < 0 else place[parent]
    return torch.tensor(found)


def mixed(parents: list[int], place: list[int]) -> bool:
    """True where the root is neither first nor last, and words stand on both sides of parents."""
    to_the_right = {place[word] > place[parent] for word, parent in enumerate(parents) if word}
    # Words 2 and 3 hang on word 1, which must come after the one and before the other.
    apart = (place[2] - place[1]) * (place[3] - place[1]) < 0
    return place[0] not in (0, len(place) - 1) and len(to_the_right) == 2 and apart


def chain(length: int) -> Tensor:
    """Each word hangs on the one before it, (T,)."""
    return torch.arange(length) - 1


def reversed_chain(length: int) -> Tensor:
    """Each word hangs on the one behind it, (T,): from left to right nothing is known in time."""
    return moved(chain(length).tolist(), list(range(length))[::-1])


def winding_chain(rng: Random, length: int) -> Tensor:
    """A chain whose words stand anywhere, (T,): a pass over the text gets only a few steps on."""
    return moved(chain(length).tolist(), rng.sample(range(length), length))


def shown_tree(parents: Tensor) -> str:
    """The tree as a learner may type it, or the two ends of a long one."""
    words = parents.tolist()
    if len(words) <= SHOWN:
        return f"torch.tensor({words})"
    first, last = (", ".join(map(str, part)) for part in (words[:3], words[-3:]))
    form = "chain" if len(set(words)) == len(words) else "tree"
    return f"torch.tensor([{first}, …, {last}]), a {form} of {len(words)} words"


def of_tree(parents: Tensor) -> Case:
    """The small tree itself in the label: a learner may want to draw it."""
    return call(parents).labelled(f"({shown_tree(parents)})")


def integers(rng: Random, shuffled: bool) -> Iterator[Case]:
    """The result for a tree, and its dtype."""
    int64 = partial(with_dtype, dtypes=(torch.int64,))
    yield of_tree(random_tree(rng, shuffled)).map(int64)


def only(asked: Tensor, words: str, found: Any) -> Any:
    """Where a result has the shape of `asked`, what it says there, and 0 elsewhere."""
    tensor = compare.as_tensor(found)
    if tensor is not None and tensor.shape == asked.shape:
        found = torch.where(asked, tensor, 0.0)
    return {words: found}
