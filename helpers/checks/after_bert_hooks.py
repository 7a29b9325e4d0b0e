"""Unit 05: which of the four hooks a paper needs, and which a model that mixes several of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import torch

from helpers.checks.exercise import Answer, Case, Exercise, Part
from helpers.checks.mistakes import after_bert as mistakes
from helpers.encodings.base import HOOKS

NEEDED = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
MOST = 4  # papers that must be right by themselves before a mix of them counts


def _needed(papers: str) -> list[str]:
    return sorted({NEEDED[paper] for paper in papers} - {""})


def _hooks_for(papers: str) -> tuple[str, ...]:
    return tuple(_needed(papers))


def _names(found: Any) -> list[str] | str:
    """The hooks that an answer names, each as often as it does; or in words what it says else."""
    if found is None:
        return "None (no hook is the empty tuple, ())"
    if isinstance(found, str):
        found = [found] if found else []
    if not isinstance(found, Iterable) or isinstance(found, torch.Tensor):
        return f"{found!r} (a tuple of names is asked for)"
    names = list(found)
    if set(map(repr, names)) <= set(map(repr, HOOKS)):
        return sorted(names)
    if all(isinstance(name, str) and len(name) == 1 for name in names):
        return "single letters (a tuple of one name has a comma: (name,))"
    return f"{names!r} (not all of them names of hooks)"


def _said(found: list[str] | str, needed: list[str]) -> str:
    """Only whether it is right, so that the message does not give the answer away."""
    if found == needed:
        return "what is needed"
    return found if isinstance(found, str) else " and ".join(found) or "no hook"


def _alone(paper: str, _rng: Random) -> Iterable[Case]:
    def ask(answer: Answer) -> str:
        return _said(_names(answer(paper)), _needed(paper))

    return [Case(f"({paper!r})", ask)]


def _together(rng: Random) -> Iterator[Case]:
    """Words of two papers and of four; two that need the same hook, side by side and far apart."""
    ring = rng.sample(sorted(NEEDED), len(NEEDED))
    yield from (_mixed(first + second) for first, second in pairwise([*ring, ring[0]]))
    yield _mixed("".join(rng.sample(ring, 4)))
    both = rng.sample("AF", 2)
    yield _mixed("".join(both))
    yield _mixed("".join([both[0], *rng.sample("BCDE", 4), both[1]]))


def _mixed(papers: str) -> Case:
    """Right is what the answer itself says of the papers one by one, if it knows most of them."""

    def ask(answer: Answer) -> str:
        alone = {paper: _names(answer(paper)) for paper in NEEDED}
        if sum(alone[paper] == _needed(paper) for paper in NEEDED) < MOST:
            return "something else to do first: the papers one by one"
        named = [names for paper in papers if isinstance(names := alone[paper], list)]
        return _said(_names(answer(papers)), sorted(set().union(*named)))

    return Case(f"({papers!r})", ask)


hooks = Exercise(
    "hooks",
    _hooks_for,
    (
        *(Part(f"paper {paper}", 0.25, partial(_alone, paper)) for paper in NEEDED),
        Part("combined", 0.5, _together),
    ),
    mistakes.HOOKS,
)
