"""Unit 05, “Which hook for which paper”: what it asks, and what people write instead.

Which of the four hooks a paper needs, and which a model that mixes several of them. What people do
with such a mix is in `hooks_mixed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.engine.compare import Other
from helpers.encodings.base import HOOKS

NEEDED = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
PAPERS = "ABCDEF"
NEEDED_HOOKS = "the hooks that are needed"
MOST = 4  # papers that must be right by themselves before a mix of them counts
COLLECTIONS = (tuple, list, set, frozenset)


def _needed(papers: str) -> list[str]:
    return sorted({NEEDED[paper] for paper in papers} - {""})


def _hooks_for(papers: str) -> tuple[str, ...]:
    return tuple(_needed(papers))


def _names(found: Any) -> list[str] | str:
    """The hooks that an answer names, each as often as it does; or in words what it says else."""
    if found is None:
        return "None (no hook is the empty tuple, ())"
    if type(found) is str:
        return f"the string {found!r} (a tuple of one name has a comma: (name,))"
    if type(found) not in COLLECTIONS:
        return f"{type(found).__name__} (expected a tuple of names)"
    if not all(type(name) is str for name in found):
        return f"{found!r} (not all of them are names of hooks)"
    names = sorted(found)
    if set(names) <= set(HOOKS):
        return names
    if all(len(name) == 1 for name in names):
        return "single letters (a tuple of one name has a comma: (name,))"
    return f"{names!r} (not all of them are names of hooks)"


def _said(found: list[str] | str, needed: list[str]) -> Other:
    """Only whether it is right, so that the message does not give the answer away."""
    if found == needed:
        return _words(NEEDED_HOOKS)
    return _words(found if isinstance(found, str) else " and ".join(found) or "no hook")


def _words(text: str) -> Other:
    """As the words that a message is made of."""
    return Other("words", text)


def _alone(paper: str, _rng: Random) -> Iterable[Case]:
    """A paper by itself. What is needed is known where it is read, not where it is asked."""

    def ask(answer: Answer) -> list[Any]:
        names = _names(answer(paper))
        return [names, [_asked(answer, other) for other in PAPERS]]

    def read(said: list[Any]) -> Other:
        names, each = said
        if type(names) is list and all(other == names for other in each):
            return _words("the same for each of the six papers, or what earlier calls have left")
        return _said(names, _needed(paper))

    return [Case(f"({paper!r})", ask, read)]


def _asked(answer: Answer, papers: str) -> list[str] | str:
    """What is said of other papers; that an answer knows nothing of these is no fault here."""
    try:
        return _names(answer(papers))
    except NotImplementedError:
        raise
    except Exception as error:
        return type(error).__name__


def _together(rng: Random) -> Iterator[Case]:
    """Every mix of two papers and more, with each of them last once, the others in any order."""
    mixes = [
        "".join(rng.sample([paper for paper in papers if paper != last], size - 1)) + last
        for size in range(2, len(PAPERS) + 1)
        for papers in combinations(PAPERS, size)
        for last in papers
    ]
    return (_mixed(papers) for papers in rng.sample(mixes, len(mixes)))


def _mixed(papers: str) -> Case:
    """Right is what the answer itself says of the papers one by one, if it knows most of them."""

    def ask(answer: Answer) -> list[Any]:
        alone = {paper: _asked(answer, paper) for paper in PAPERS}
        return [alone, _names(answer(papers))]

    def read(said: list[Any]) -> Other:
        alone, names = said
        if sum(alone[paper] == _needed(paper) for paper in PAPERS) < MOST:
            return _words("too few single papers right (combinations are checked after that)")
        named = [alone[paper] for paper in papers if isinstance(alone[paper], list)]
        return _said(names, sorted(set().union(*named)))

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
