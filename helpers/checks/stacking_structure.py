"""Unit 06: the exercises on trees and on heads that act as a convolution."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks import compare
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mistakes import stacking as mistakes


def _tree(rng: Random, shuffled: bool) -> Tensor:
    """Parents of a tree with a branch below the root's child, (T,)."""
    length = rng.randint(8, 12)
    parents = [-1, 0, 1, 1, *(rng.randrange(n) for n in range(4, length))]
    place = list(range(length))
    while shuffled and not _mixed(parents, place):
        rng.shuffle(place)
    moved = [0] * length
    for word, parent in enumerate(parents):
        moved[place[word]] = -1 if parent < 0 else place[parent]
    return torch.tensor(moved)


def _mixed(parents: list[int], place: list[int]) -> bool:
    """True where the root is neither first nor last, and words stand on both sides of parents."""
    to_the_right = {place[word] > place[parent] for word, parent in enumerate(parents) if word}
    # Words 2 and 3 hang on word 1, which must come after the one and before the other.
    apart = (place[2] - place[1]) * (place[3] - place[1]) < 0
    return place[0] not in (0, len(place) - 1) and len(to_the_right) == 2 and apart


def _left_to_right(rng: Random) -> Iterator[Case]:
    yield _of(_tree(rng, shuffled=False))


def _any_order(rng: Random) -> Iterator[Case]:
    yield _of(_tree(rng, shuffled=True))


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
    mistakes.DEPTHS,
    forbidden=(encodings.tree_offsets,),
)


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
        parents = _tree(rng, shuffled=True)
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
    mistakes.TREE,
)


def convolution_by_attention(x: Tensor, kernel: Tensor, alpha: float) -> Tensor:
    """Head h looks where j − i is near h − K//2; (T, C), (C', C, K) → (T, C')."""
    taps = kernel.shape[2]
    places = torch.arange(len(x))
    offsets = places[None, :] - places[:, None]
    centres = torch.arange(taps) - taps // 2
    weights = (-alpha * (offsets - centres[:, None, None]).square()).to(x.dtype).softmax(-1)
    return torch.einsum("hij,jc,och->io", weights, x, kernel)


MARGIN = 7  # so far from an edge, the edge changes less than 1e-4


def _rows(rng: Random, inside: bool) -> Iterator[Case]:
    draw = Generator().manual_seed(rng.randrange(2**31))
    for taps in (3, 5):
        length, wide, narrow = rng.randint(18, 24), rng.randint(4, 5), rng.randint(2, 3)
        x = torch.randn(length, wide, generator=draw, dtype=torch.float64)
        kernel = torch.randn(narrow, wide, taps, generator=draw, dtype=torch.float64)
        alpha = rng.choice((0.6, 0.7, 1.6))

        def ask(
            answer: Answer, x: Tensor = x, kernel: Tensor = kernel, alpha: float = alpha
        ) -> Any:
            found = answer(x.clone(), kernel.clone(), alpha)
            tensor = compare.as_tensor(found)
            if tensor is None or tensor.shape != (len(x), len(kernel)):
                return found
            edges = torch.cat([tensor[:MARGIN], tensor[-MARGIN:]])
            return tensor[MARGIN:-MARGIN] if inside else edges

        shapes = f"x {tuple(x.shape)}, kernel {tuple(kernel.shape)}, alpha={alpha:g}"
        where = f"rows {MARGIN} to T − {MARGIN + 1}" if inside else f"{MARGIN} rows at each end"
        yield Case(f"({shapes}), {where}", ask)


def _inside(rng: Random) -> Iterator[Case]:
    return _rows(rng, inside=True)


def _edges(rng: Random) -> Iterator[Case]:
    return _rows(rng, inside=False)


convolution = Exercise(
    "convolution",
    convolution_by_attention,
    (
        Part("away from the edges", 1, _inside),
        Part("at the edges", 0.5, _edges),
    ),
    mistakes.CONVOLUTION,
    forbidden=(encodings.Convolution,),
)
