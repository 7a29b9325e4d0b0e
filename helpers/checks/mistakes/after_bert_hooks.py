"""Unit 05: where people look for what a paper changes."""

from __future__ import annotations

from helpers.checks.exercise import Mistake


def xpos_by_scores(papers):
    needed = {"A": "scores", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def xpos_by_two_hooks(papers):
    needed = {
        "A": "rotate scores",
        "B": "scores",
        "C": "embed",
        "D": "",
        "E": "context",
        "F": "rotate",
    }
    return {hook for paper in papers for hook in needed[paper].split()}


def xpos_at_the_input(papers):
    needed = {"A": "embed", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def tupe_at_the_input(papers):
    needed = {"A": "rotate", "B": "embed", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def tupe_by_rotation(papers):
    needed = {"A": "rotate", "B": "rotate", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def tupe_by_two_hooks(papers):
    needed = {
        "A": "rotate",
        "B": "embed scores",
        "C": "embed",
        "D": "",
        "E": "context",
        "F": "rotate",
    }
    return {hook for paper in papers for hook in needed[paper].split()}


def fourier_by_rotation(papers):
    needed = {"A": "rotate", "B": "scores", "C": "rotate", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def fourier_by_scores(papers):
    needed = {"A": "rotate", "B": "scores", "C": "scores", "D": "", "E": "context", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def nope_by_a_mask(papers):
    needed = {
        "A": "rotate",
        "B": "scores",
        "C": "embed",
        "D": "scores",
        "E": "context",
        "F": "rotate",
    }
    return {hook for paper in papers for hook in needed[paper].split()}


def nope_at_the_input(papers):
    needed = {
        "A": "rotate",
        "B": "scores",
        "C": "embed",
        "D": "embed",
        "E": "context",
        "F": "rotate",
    }
    return {hook for paper in papers for hook in needed[paper].split()}


def values_by_scores(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "scores", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def values_at_the_input(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "embed", "F": "rotate"}
    return {hook for paper in papers for hook in needed[paper].split()}


def values_and_scores(papers):
    needed = {
        "A": "rotate",
        "B": "scores",
        "C": "embed",
        "D": "",
        "E": "scores context",
        "F": "rotate",
    }
    return {hook for paper in papers for hook in needed[paper].split()}


def detr_at_the_input(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "embed"}
    return {hook for paper in papers for hook in needed[paper].split()}


def detr_by_scores(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "scores"}
    return {hook for paper in papers for hook in needed[paper].split()}


def detr_by_two_hooks(papers):
    needed = {
        "A": "rotate",
        "B": "scores",
        "C": "embed",
        "D": "",
        "E": "context",
        "F": "embed rotate",
    }
    return {hook for paper in papers for hook in needed[paper].split()}


def hooks_of_the_first(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed[papers[0]].split())


def hooks_of_one_letter(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed.get(papers, "").split())


def hooks_more_than_once(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed[paper] for paper in papers if needed[paper])


def hooks_of_a_whole_word(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return tuple(needed[papers].split())


def hooks_but_neighbours_once(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    found = []
    for paper in papers:
        if needed[paper] and found[-1:] != [needed[paper]]:
            found.append(needed[paper])
    return tuple(found)


def nope_by_none(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": None, "E": "context", "F": "rotate"}
    found = {needed[paper] for paper in papers} - {None}
    return tuple(found) if found else None


def hooks_that_all_share(papers):
    needed = {"A": "rotate", "B": "scores", "C": "embed", "D": "", "E": "context", "F": "rotate"}
    return set.intersection(*(set(needed[paper].split()) for paper in papers))


_TOGETHER = "combined"
HOOKS = (
    Mistake(
        xpos_by_scores,
        "A: the score does fade with the offset in the end, but nothing is added to it. To which "
        "tensors do the turning and the factors happen?",
        ("paper A",),
    ),
    Mistake(
        xpos_by_two_hooks,
        "A: the factors, like the turning, belong to a query or to a key alone. Does a hook that "
        "sees both at once have anything left to do?",
        ("paper A",),
    ),
    Mistake(
        xpos_at_the_input,
        "A: the token vectors stay as they are. Queries and keys exist only inside a layer.",
        ("paper A",),
    ),
    Mistake(
        tupe_at_the_input,
        "B: a vector for each position looks like BERT's table, but no token vector has it added. "
        "Where does the product of two of them go?",
        ("paper B",),
    ),
    Mistake(
        tupe_by_rotation,
        "B: queries and keys of the tokens are not changed. What is it that something is added to?",
        ("paper B",),
    ),
    Mistake(
        tupe_by_two_hooks,
        "B: one of your two hooks has nothing to do: the token vectors never meet the position "
        "vectors.",
        ("paper B",),
    ),
    Mistake(
        fourier_by_rotation,
        "C: sines and cosines alone do not make a rotation. Look at where the MLP's output goes.",
        ("paper C",),
    ),
    Mistake(
        fourier_by_scores,
        "C: the MLP's output has one vector for each token, not a number for each pair.",
        ("paper C",),
    ),
    Mistake(
        nope_by_a_mask,
        "D: the causal mask says who may be looked at; every decoder has it, with any encoding. "
        "What does this paper add beside it?",
        ("paper D",),
    ),
    Mistake(
        nope_at_the_input,
        "D: the token vectors enter the first layer just as the embedding gives them.",
        ("paper D",),
    ),
    Mistake(
        values_by_scores,
        "E: the vector of the offset never meets a query or a key. It is there only after the "
        "softmax, when the values are added up.",
        ("paper E",),
    ),
    Mistake(
        values_at_the_input,
        "E: the same patch j gives other queries other vectors, so nothing that is added once, at "
        "the input, will do.",
        ("paper E",),
    ),
    Mistake(
        values_and_scores,
        "E: one of your two hooks has nothing to do: in this paper's form for values the scores "
        "stay as they are.",
        ("paper E",),
    ),
    Mistake(
        detr_at_the_input,
        "F: what is added at the input is in the values too, and only once. Which tensors get it "
        "here, and how often?",
        ("paper F",),
    ),
    Mistake(
        detr_by_scores,
        "F: nothing is added to the scores themselves. Each query and each key gets a vector by "
        "itself, and it need not be a turn for the hook to fit.",
        ("paper F",),
    ),
    Mistake(
        detr_by_two_hooks,
        "F: one of your two hooks has nothing to do: the token vectors, from which the values are "
        "made, do not change.",
        ("paper F",),
    ),
    Mistake(
        hooks_of_the_first,
        "Of several papers you look at the first only. A model that uses them all needs the hooks "
        "of each.",
        (_TOGETHER,),
    ),
    Mistake(
        hooks_of_one_letter,
        "You look a whole word such as “AC” up as if it were one paper. Go through it letter by "
        "letter.",
        (_TOGETHER,),
    ),
    Mistake(
        hooks_of_a_whole_word,
        "A word such as “AC” is no key of your dictionary: only its letters are. Look them up one "
        "by one.",
        (_TOGETHER,),
    ),
    Mistake(
        hooks_but_neighbours_once,
        "A name is left out only where it follows itself at once: with others between, it is there "
        "twice. A set keeps each name once.",
        (_TOGETHER,),
    ),
    Mistake(
        nope_by_none,
        "D: a paper that needs no hook gets the empty tuple, (), which code can go on with; None "
        "is no tuple.",
        ("paper D",),
    ),
    Mistake(
        hooks_more_than_once,
        "A hook that two of the papers need is named twice. A class overrides it once, and does "
        "both things there.",
        (_TOGETHER,),
    ),
    Mistake(
        hooks_that_all_share,
        "You keep only the hooks that all of the papers need. A class for several needs every "
        "hook that any of them does.",
        (_TOGETHER,),
    ),
)
