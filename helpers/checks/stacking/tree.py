"""Unit 06, “Offsets in a tree”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed, compare
from helpers.checks.engine.faults import IN_PLACE
from helpers.checks.stacking import common
from helpers.encodings.tree import _above

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

        def ask(answer: Answer, parents: Tensor = parents, asked: Tensor = asked) -> Any:
            found = call(parents).ask(answer)
            tensor = compare.as_tensor(found)
            if tensor is not None and tensor.shape == asked.shape:
                found = torch.where(asked, tensor, 0.0)
            return None if found is None else {name: found}

        yield Case(f"({common.shown_tree(parents)})", ask)


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

    def ask(answer: Answer) -> Any:
        return common.with_dtype("the offsets", call(parents).ask(answer))

    yield Case(f"({common.shown_tree(parents)})", ask)


tree = Exercise(
    "tree",
    encodings.tree_offsets,
    (
        Part(ON_A_PATH, 0.5, _same_path),
        Part(ACROSS, 0.75, _across),
        Part(WHOLE, 0.25, _whole),
    ),
    forbidden=(_above,),
    explains=(
        "Now write the offsets that our attention",
        "Write `tree_offsets`.",
        "You may use `encodings.tree_depths` for the depths.",
    ),
    generic={
        "`parents` stays as it is": IN_PLACE,
    },
)


def offsets_by_paths(parents):
    """A right answer, which the wrong ones below change in one place."""
    tree = parents.tolist()

    def path(word):
        return [word] if tree[word] < 0 else [word, *path(tree[word])]

    up = [set(path(word)) for word in range(len(tree))]
    found = [[0] * len(tree) for _ in tree]
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(a ^ b)
            if i in b or j in a:
                found[i][j] = len(b) - len(a)
            else:
                found[i][j] = steps if j > i else -steps
    return torch.tensor(found)


@tree.mistake(
    "All your signs are reversed. Row i is the query, column j the key, and offsets are "
    "counted from i to j.",
    breaks=("row $i$ and column $j$", "Signed steps from word i to word j"),
)
@changed(offsets_by_paths, "torch.tensor(found)", "torch.tensor(found).T")
def offsets_with_the_sign_of_i_minus_j(): ...


@tree.mistake(
    "You return distances. An offset has a sign; without it a parent looks like a child.",
    breaks="is a signed number of steps",
)
@changed(offsets_by_paths, "torch.tensor(found)", "torch.tensor(found).abs()")
def offsets_without_a_sign(): ...


@tree.mistake(
    "Your path across goes through the root. Two words may meet further down: stop at the "
    "lowest word that is above both.",
    loses=(ACROSS, WHOLE),
    breaks="lowest common ancestor",
)
@changed(offsets_by_paths, "len(a ^ b)", "len(a) + len(b) - 2")
def offsets_through_the_root(): ...


@tree.mistake(
    "You take the sign from the order in the text everywhere. Where one word is above the "
    "other, the sign says whether the path leads up (−) or down (+).",
    loses=(ON_A_PATH, WHOLE),
)
@changed(offsets_by_paths, "len(b) - len(a)", "steps if j > i else -steps")
def offsets_always_with_the_sign_of_the_line(): ...


@tree.mistake(
    "You use the difference of depths for every pair. For two sisters that is 0, as if they "
    "were one word; across branches it takes the steps up and down.",
    loses=(ACROSS, WHOLE),
)
@changed(offsets_by_paths, "steps if j > i else -steps", "len(b) - len(a)")
def offsets_as_differences_of_depth(): ...


@tree.mistake(
    "Across branches you take two steps too many. Do you count the depths of the two words and of "
    "their common ancestor in the same way?",
    loses=(ACROSS, WHOLE),
)
@changed(offsets_by_paths, "len(a ^ b)", "len(a ^ b) + 2")
def offsets_past_the_common_word(): ...


@tree.mistake("You count the steps up and forget those down again.", loses=(ACROSS, WHOLE))
@changed(offsets_by_paths, "len(a ^ b)", "len(a - b)")
def offsets_up_to_the_common_word_only(): ...


@tree.mistake(
    "You count the steps down and forget those up before them.",
    loses=(ACROSS, WHOLE),
    breaks="In the short sentence above",
)
@changed(offsets_by_paths, "len(a ^ b)", "len(b - a)")
def offsets_down_from_the_common_word_only(): ...


@tree.mistake(
    "Your offsets across branches are all positive. They are negative where j stands before i in "
    "the text.",
    loses=(ACROSS, WHOLE),
)
@changed(offsets_by_paths, "steps if j > i else -steps", "steps")
def offsets_across_without_a_sign(): ...


@tree.mistake(
    "Across branches your sign is that of the difference of depths. It is the order in the text "
    "that counts there.",
    loses=(ACROSS, WHOLE),
)
@changed(offsets_by_paths, "if j > i else", "if len(b) >= len(a) else")
def offsets_across_with_the_sign_of_the_depths(): ...


@tree.mistake(
    "The offset from a word to its parent should be −1. Your sign is reversed where one word is "
    "above the other.",
    loses=(ON_A_PATH, WHOLE),
    breaks="it is $\\text{depth}_j - \\text{depth}_i$",
)
@changed(offsets_by_paths, "len(b) - len(a)", "len(a) - len(b)")
def offsets_reversed_on_a_path(): ...


@tree.mistake(
    "Across branches your sign is reversed. It is plus where the key j stands behind the query i.",
    loses=(ACROSS, WHOLE),
    breaks="with a minus where $j$ stands before $i$",
)
@changed(offsets_by_paths, "j > i", "j < i")
def offsets_reversed_across(): ...


@tree.mistake(
    "Where one word is above the other, all your offsets are positive. Up is minus, down is plus.",
    loses=(ON_A_PATH, WHOLE),
)
@changed(offsets_by_paths, "len(b) - len(a)", "steps")
def offsets_on_a_path_without_a_sign(): ...


@tree.mistake(
    "Across branches you count the words on the path, one more than its steps.",
    loses=(ACROSS, WHOLE),
)
@changed(offsets_by_paths, "len(a ^ b)", "len(a ^ b) + 1")
def offsets_counted_in_words(): ...


@tree.mistake(
    "You treat a parent as above its child, but not a grandparent. Every ancestor is above a word.",
    loses=(ON_A_PATH, WHOLE),
)
@changed(offsets_by_paths, "i in b or j in a", "steps <= 1")
def offsets_with_parents_only_above(): ...


@tree.mistake("These are offsets in the text, j − i. They do not depend on the tree at all.")
def offsets_in_the_line(parents):
    places = torch.arange(len(parents))
    return places[None, :] - places[:, None]


@tree.mistake(
    "You go through the words once, from left to right. A parent may stand to the right of its "
    "word; then its path to the root is not known yet.",
    breaks="Again the words may come in any order",
)
def offsets_in_one_pass(parents):
    up = [[]] * len(parents)
    for word, parent in enumerate(parents.tolist()):
        up[word] = [word] if parent < 0 else [word, *up[parent]]
    found = torch.zeros(len(parents), len(parents), dtype=torch.long)
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(a ^ b)
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found
