"""Unit 05: which of the four hooks a paper needs, and which a model that mixes several of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from random import Random

from helpers.checks.exercise import Answer, Case, Exercise, Part
from helpers.checks.mistakes import after_bert as mistakes
from helpers.encodings.base import HOOKS

NEEDED = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}


def _hooks_for(papers: str) -> tuple[str, ...]:
    return tuple(hook for hook in HOOKS if any(hook == NEEDED[paper] for paper in papers))


def _hooks_of(papers: str) -> Case:
    """The answer is only said to be right or not, so that the message does not give it away."""
    needed = sorted(_hooks_for(papers))

    def ask(answer: Answer) -> str | None:
        found = answer(papers)
        if found is None:
            return None
        names = [found] if isinstance(found, str) else list(found)
        if sorted(names) == needed:
            return "the hooks that are needed"
        if set(names) <= set(HOOKS):
            return " and ".join(sorted(names)) or "no hook"
        return f"{found!r} (not all of it names of hooks)"

    return Case(f"({papers!r})", ask)


def _alone(paper: str, _rng: Random) -> Iterable[Case]:
    return [_hooks_of(paper)]


def _together(rng: Random) -> Iterator[Case]:
    """Each paper with two others, so that a wrong hook cannot hide; two that need the same one."""
    ring = rng.sample(sorted(NEEDED), len(NEEDED))
    yield from (_hooks_of(first + second) for first, second in pairwise([*ring, ring[0]]))
    yield _hooks_of(rng.choice(("AF", "FA")))
    yield _hooks_of("".join(rng.sample(ring, 4)))


hooks = Exercise(
    "hooks",
    _hooks_for,
    (
        *(Part(f"paper {paper}", 0.25, partial(_alone, paper)) for paper in NEEDED),
        Part("combined", 0.5, _together),
    ),
    mistakes.HOOKS,
)
