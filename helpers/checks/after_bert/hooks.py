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

from helpers.checks.engine import Answer, Case, Exercise, Part, changed
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
)


def hooks_by_paper(papers):
    """The right answer; most mistakes have another hook for one paper."""
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


@hooks.mistake(
    "A: the score does fade with the offset in the end, but nothing is added to it. Which tensors "
    "are turned and multiplied?",
    loses="paper A",
    breaks="queries and keys are turned as in RoPE",
)
@changed(hooks_by_paper, '"A": "rotate"', '"A": "bias"')
def xpos_by_scores(): ...


@hooks.mistake(
    "A: the factors, like the turning, belong to a query or to a key alone. Does a hook that "
    "sees both at once have anything left to do?",
    loses="paper A",
    breaks="Then pair $n$ of the query at $i$ is multiplied",
)
@changed(hooks_by_paper, '"A": "rotate"', '"A": "rotate bias"')
def xpos_by_two_hooks(): ...


@hooks.mistake(
    "A: the token vectors stay as they are. Queries and keys exist only inside a layer.",
    loses="paper A",
)
@changed(hooks_by_paper, '"A": "rotate"', '"A": "embed"')
def xpos_at_the_input(): ...


@hooks.mistake(
    "B: a vector for each position looks like BERT's table, but it is never added to a token "
    "vector. Where does the product of two such vectors go?",
    loses="paper B",
    breaks="Token vectors and position vectors are never added",
)
@changed(hooks_by_paper, '"B": "bias"', '"B": "embed"')
def tupe_at_the_input(): ...


@hooks.mistake(
    "B: queries and keys of the tokens are not changed. What does this paper add something to?",
    loses="paper B",
    breaks="is added to $q_i \\cdot k_j$",
)
@changed(hooks_by_paper, '"B": "bias"', '"B": "rotate"')
def tupe_by_rotation(): ...


@hooks.mistake(
    "B: one of your two hooks has nothing to do: the token vectors never meet the position "
    "vectors.",
    loses="paper B",
)
@changed(hooks_by_paper, '"B": "bias"', '"B": "embed bias"')
def tupe_by_two_hooks(): ...


@hooks.mistake(
    "C: sines and cosines alone do not make a rotation. Look at where the MLP's output goes.",
    loses="paper C",
    breaks="go through a small MLP",
)
@changed(hooks_by_paper, '"C": "embed"', '"C": "rotate"')
def fourier_by_rotation(): ...


@hooks.mistake(
    "C: the MLP's output has one vector for each token, not a number for each pair.",
    loses="paper C",
    breaks="Its output is added to the vector of the token",
)
@changed(hooks_by_paper, '"C": "embed"', '"C": "bias"')
def fourier_by_scores(): ...


@hooks.mistake(
    "D: the causal mask says who may be looked at; every decoder has it, with any encoding. "
    "What does this paper add besides it?",
    loses="paper D",
    breaks="a decoder with a causal mask, and nothing else",
)
@changed(hooks_by_paper, '"D": ""', '"D": "bias"')
def nope_by_a_mask(): ...


@hooks.mistake(
    "D: the token vectors enter the first layer just as the embedding gives them.", loses="paper D"
)
@changed(hooks_by_paper, '"D": ""', '"D": "embed"')
def nope_at_the_input(): ...


@hooks.mistake(
    "E: the vector of the offset never meets a query or a key. It is there only after the "
    "softmax, when the values are added up.",
    loses="paper E",
    breaks="in each layer query $i$ adds up",
)
@changed(hooks_by_paper, '"E": "context"', '"E": "bias"')
def values_by_scores(): ...


@hooks.mistake(
    "E: the same patch j gives different vectors to different queries, so adding something "
    "once, at the input, cannot be enough.",
    loses="paper E",
)
@changed(hooks_by_paper, '"E": "context"', '"E": "embed"')
def values_at_the_input(): ...


@hooks.mistake(
    "E: one of your two hooks has nothing to do: in this paper's form for values the scores "
    "stay as they are.",
    loses="paper E",
)
@changed(hooks_by_paper, '"E": "context"', '"E": "bias context"')
def values_and_scores(): ...


@hooks.mistake(
    "F: what is added at the input is in the values too, and only once. Which tensors get it "
    "here, and how often?",
    loses="paper F",
    breaks="and not into its value",
)
@changed(hooks_by_paper, '"F": "rotate"', '"F": "embed"')
def detr_at_the_input(): ...


@hooks.mistake(
    "F: nothing is added to the scores themselves. A vector is added to each query and to "
    "each key separately. A hook can be the right one even if nothing is rotated in it.",
    loses="paper F",
    breaks="Name the hook where the paper itself acts",
)
@changed(hooks_by_paper, '"F": "rotate"', '"F": "bias"')
def detr_by_scores(): ...


@hooks.mistake(
    "F: one of your two hooks has nothing to do: the token vectors, from which the values are "
    "made, do not change.",
    loses="paper F",
)
@changed(hooks_by_paper, '"F": "rotate"', '"F": "embed rotate"')
def detr_by_two_hooks(): ...


@hooks.mistake(
    "The hook on the scores is called `bias` now: what it returns is added after scaling. All "
    "other names are what they were.",
    loses=("paper B", "combined"),
)
@changed(hooks_by_paper, '"B": "bias"', '"B": "scores"')
def hooks_by_their_old_names(): ...
