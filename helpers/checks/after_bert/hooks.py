"""Unit 05, “Which hook for which paper”: what it asks, of each paper and of several together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.engine.compare import Other
from helpers.encodings.base import HOOKS

NEEDED = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
PAPERS = "ABCDEF"
MOST = 4  # papers that must be right by themselves before several together count


def _needed(papers: str) -> list[str]:
    return sorted({NEEDED[paper] for paper in papers} - {""})


def _hooks_for(papers: str) -> tuple[str, ...]:
    return tuple(_needed(papers))


def _names(found: Any) -> list[str] | str:
    """Return the hooks that an answer names, each as often as it does; else what it says."""
    if found is None:
        return "None (no hook is the empty tuple, ())"
    if type(found) is str:
        return f"the string {found!r} (a tuple of one name has a comma: (name,))"
    if type(found) not in (tuple, list, set, frozenset):
        return f"{type(found).__name__} (expected a tuple of names)"
    names = sorted(map(str, found))
    return names if set(names) <= set(HOOKS) else f"{names} (not all of them are names of hooks)"


def _asked(answer: Answer, papers: str) -> list[str] | str:
    """Ask about other papers; that an answer knows nothing of these is no fault here."""
    try:
        return _names(answer(papers))
    except NotImplementedError:
        raise
    except Exception as error:
        return type(error).__name__


def _told(found: list[str] | str, needed: list[str]) -> Other:
    """Tell only whether it is right, so that no message gives the answer away."""
    if found == needed:
        return Other("words", "the hooks that are needed")
    return Other("words", found if isinstance(found, str) else " and ".join(found) or "no hook")


def _alone(paper: str, _rng: Random) -> list[Case]:
    """Ask about one paper. What it needs is known where it is read, not where it is asked."""
    asked = Case(f"({paper!r})", lambda answer: _names(answer(paper)))
    return [Case(asked.label, asked.ask, lambda names: _told(names, _needed(paper)))]


def _together(rng: Random) -> Iterator[Case]:
    """Ask about all pairs, and larger sets, in any order."""
    pairs = ["".join(rng.sample(pair, 2)) for pair in combinations(PAPERS, 2)]
    yield from map(_mixed, rng.sample(pairs, len(pairs)))
    for size in (3, 3, 4, 4, 5, 6):
        yield _mixed("".join(rng.sample(PAPERS, size)))


def _mixed(papers: str) -> Case:
    """Right is what the answer itself says of the papers one by one, if it knows most of them."""

    def ask(answer: Answer) -> list[Any]:
        alone = {paper: _asked(answer, paper) for paper in PAPERS}
        return [alone, _names(answer(papers))]

    def read(said: list[Any]) -> Other:
        alone, names = said
        if sum(alone[paper] == _needed(paper) for paper in PAPERS) < MOST:
            return Other("words", "too few single papers right (several are checked after that)")
        named = [alone[paper] for paper in papers if isinstance(alone[paper], list)]
        return _told(names, sorted(set().union(*named)))

    return Case(f"({papers!r})", ask, read)


hooks = Exercise(
    "hooks",
    _hooks_for,
    (
        *(Part(f"paper {paper}", 0.25, partial(_alone, paper)) for paper in PAPERS),
        Part("combined", 0.5, _together),
    ),
    explains=("Here are six papers.", "Some sums can be computed at two hooks"),
    module=__name__,
)
