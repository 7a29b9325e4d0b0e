"""Unit 05, “Which hook for which paper”: what people do with several papers, and with none."""

from __future__ import annotations

from helpers.checks.after_bert.hooks import hooks, hooks_by_paper
from helpers.checks.engine import changed


@hooks.mistake(
    "Of several papers you look at the first only. A model that uses them all needs the hooks "
    "of each.",
    loses="combined",
    breaks="Names of the hooks needed for all",
)
@changed(hooks_by_paper, "in papers", "in papers[0]")
def hooks_of_the_first(): ...


@hooks.mistake(
    "You look up a whole string such as “AC” as if it were one paper. Go through it letter by "
    "letter.",
    loses="combined",
    breaks="The argument may have several letters",
)
def hooks_of_one_letter(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed.get(papers, "").split())


@hooks.mistake(
    "A string such as “AC” is not a key of your dictionary: only its letters are. Look them up "
    "one by one.",
    loses="combined",
)
def hooks_of_a_whole_word(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed[papers].split())


@hooks.mistake(
    "You leave out a name only where it directly follows itself: with others in between, it is "
    "there twice. A set keeps each name once.",
    loses="combined",
)
def hooks_but_neighbours_once(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    found = []
    for paper in papers:
        if needed[paper] and found[-1:] != [needed[paper]]:
            found.append(needed[paper])
    return tuple(found)


@hooks.mistake(
    "D: a paper that needs no hook gets the empty tuple, (). None is not a tuple.",
    loses="paper D",
    breaks="For a paper that needs no hook",
)
def nope_by_none(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": None, "E": "context", "F": "rotate"}
    found = {needed[paper] for paper in papers} - {None}
    return tuple(found) if found else None


@hooks.mistake(
    "A hook that two of the papers need is named twice. A class overrides it once, and does "
    "both things there.",
    loses="combined",
    breaks="Name each hook once",
)
def hooks_more_than_once(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed[paper] for paper in papers if needed[paper])


@hooks.mistake(
    "You keep only the hooks that all of the papers need. A class for several needs every "
    "hook that any of them does.",
    loses="combined",
    breaks="does what C **and** A say",
)
def hooks_that_all_share(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return set.intersection(*(set(needed[paper].split()) for paper in papers))


@hooks.mistake(
    "For a single hook you return its name, a string, and looping over a string gives its "
    "letters. A tuple of one has a comma: (name,); brackets alone, (name), make none.",
    loses=("paper A", "paper B", "paper C", "paper E", "paper F", "combined"),
    breaks="returns the names of the hooks",
)
def hooks_without_a_comma(papers):
    needed = {"A": "rotate", "B": "bias", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    found = sorted({needed[paper] for paper in papers} - {""})
    return found[0] if len(found) == 1 else tuple(found)
