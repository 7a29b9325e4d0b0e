"""Unit 07, “One row for a pair”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part
from helpers.corpora import inputs
from helpers.corpora.wordpiece import CLS, PAD, SEP


class NotTwoListsError(Exception):
    """An answer gives something else than tokens and segments."""


def pair_row(first: list[int], second: list[int], length: int) -> tuple[list[int], list[int]]:
    """[CLS] first [SEP] second [SEP] and padding, with segments; `length` numbers each."""
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = length - len(tokens)
    return tokens + [PAD] * padding, segments + [0] * padding


def _words(rng: Random, number: int) -> list[int]:
    return [rng.randint(5, 99) for _ in range(number)]


def _row(rng: Random, sizes: tuple[int, int], length: int, which: int) -> Case:
    first, second = (_words(rng, size) for size in sizes)

    def ask(answer: Answer) -> Any:
        given = [*first], [*second]
        found = answer(*given, length)
        if given != (first, second):
            raise ArgumentChangedError
        if found is None:
            return None
        if len(found) != 2 or not all(hasattr(each, "__len__") for each in found):
            raise NotTwoListsError("tokens and segments are due, a list of each")
        return [int(number) for number in found[which]]

    what = ("tokens", "segments")[which]
    return Case(f"({first}, {second}, {length}), its {what}", ask)


def _fits(rng: Random, which: int) -> Iterator[Case]:
    short, long = rng.randint(2, 3), rng.randint(4, 6)
    for sizes in ((short, long), (long, short)):
        yield _row(rng, sizes, short + long + 3 + rng.randint(2, 4), which)
    yield _row(rng, (short, long), short + long + 3, which)


def _too_long(rng: Random) -> Iterator[Case]:
    short, long = rng.randint(2, 3), rng.randint(9, 12)
    for sizes in ((short, long), (long, short)):
        yield _row(rng, sizes, short + 3 + rng.randint(4, 6), 0)
    yield _row(rng, (long, long), 2 * rng.randint(3, 5) + 4, 0)  # an odd number is left
    yield _row(rng, (long + 2, long), 2 * rng.randint(3, 5) + 4, 0)


row = Exercise(
    "row",
    pair_row,
    (
        Part("the tokens of a pair", 0.5, lambda rng: _fits(rng, 0)),
        Part("its segments", 0.5, lambda rng: _fits(rng, 1)),
        Part("a pair that is too long", 0.5, _too_long),
    ),
    forbidden=(inputs._row, inputs.pairs),
)


@row.mistake("There is no [SEP] behind the second sentence. BERT closes both.")
def row_without_the_last_mark(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 2:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second]
    segments = [0] * (len(first) + 2) + [1] * len(second)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake("Nothing stands between the two sentences. BERT closes both with a [SEP].")
def row_without_the_mark_between(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 2:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, *second, SEP]
    segments = [0] * (len(first) + 1) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake("The second sentence has a [CLS] of its own. There is one only, at place 0.")
def row_with_two_beginnings(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 4:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, CLS, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 2)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "Your first [SEP] is in segment 1. It closes the first sentence, so it belongs to it.",
    loses="its segments",
)
def row_with_the_middle_mark_in_the_second(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 1) + [1] * (len(second) + 2)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "Your padding is in segment 1. Segment 1 ends with the last [SEP]; padding has 0.",
    loses="its segments",
)
def row_with_padding_in_the_second(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    tokens += [PAD] * (length - len(tokens))
    return tokens, [0] * (len(first) + 2) + [1] * (length - len(first) - 2)


@row.mistake(
    "Your segments are 1 and 2. They count from 0: the table of segments has rows 0 and 1.",
    loses="its segments",
)
def row_with_segments_one_and_two(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [1] * (len(first) + 2) + [2] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "Your row is as long as its sentences. All rows of a batch need `length` numbers, so fill "
    "up with [PAD].",
    loses=("the tokens of a pair", "its segments"),
)
def row_without_padding(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    return tokens, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@row.mistake(
    "Your padding stands in front. [CLS] has place 0 in every row; padding comes last.",
    loses=("the tokens of a pair", "its segments"),
)
def row_with_padding_at_the_front(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return [PAD] * rest + tokens, [0] * rest + segments


@row.mistake(
    "You cut the finished row, and the last [SEP] goes with it. Shorten the sentences first, "
    "then put them together.",
    loses="a pair that is too long",
)
def row_cut_at_its_end(first, second, length):
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = max(0, length - len(tokens))
    return (tokens + [PAD] * rest)[:length], (segments + [0] * rest)[:length]


@row.mistake(
    "The second sentence pays for both. Each token comes from whichever is longer just then.",
    loses="a pair that is too long",
)
def row_cut_in_the_second_only(first, second, length):
    second = second[: max(0, length - 3 - len(first))]
    first = first[: length - 3 - len(second)]
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "You shorten the sentences in turns, so that a short one can vanish. Each token comes from "
    "whichever is longer just then.",
    loses="a pair that is too long",
)
def row_cut_in_turns(first, second, length):
    first, second = list(first), list(second)
    turn = 0
    while len(first) + len(second) > length - 3:
        (first if turn % 2 and first else second or first).pop()
        turn += 1
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "You drop the first words of a sentence. Here it loses its last ones.",
    loses="a pair that is too long",
)
def row_cut_at_the_front_of_a_sentence(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop(0)
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "Where both are equally long, yours shortens the first. The exercise says which one.",
    loses="a pair that is too long",
)
def row_cut_in_the_first_if_equal(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (second if len(second) > len(first) else first).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "You shorten the sentences to `length`, and then three more tokens come: [CLS] and two [SEP].",
    loses="a pair that is too long",
)
def row_cut_without_room_for_three(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "pop and del shorten the caller's own list: the sentence would be shorter in its next pair "
    "too. Work on a copy, list(first).",
    loses="a pair that is too long",
)
def row_cut_from_what_it_was_given(first, second, length):
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest
