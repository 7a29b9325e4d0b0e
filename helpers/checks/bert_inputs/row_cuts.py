"""Unit 07, “One row for a pair”: what people write instead."""

from __future__ import annotations

from helpers.checks.bert_inputs.row import pair_row, row
from helpers.checks.engine import changed
from helpers.corpora.wordpiece import CLS, PAD, SEP


@row.mistake(
    "You cut the finished row, and the last [SEP] goes with it. Shorten the sentences first, "
    "then put them together.",
    breaks="cut **before** the row is put together",
    loses="a pair that is too long",
)
def row_cut_at_its_end(first, second, length):
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = max(0, length - len(tokens))
    return (tokens + [PAD] * rest)[:length], (segments + [0] * rest)[:length]


@row.mistake(
    "The second sentence is shortened, though the first is longer. Each token is taken from "
    "whichever is longer at that moment.",
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
    "You shorten the two sentences alternately, so a short one can vanish. Take each token from "
    "whichever is longer at that moment.",
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
    "You remove tokens from the beginning of a sentence. Remove its last ones.",
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
    "Where both sentences are equally long, you shorten the first. The exercise says which one "
    "loses its token.",
    breaks="if both are equally long, the second one does",
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
    breaks="The lists you are given stay as they are",
    loses="a pair that is too long",
)
def row_cut_from_what_it_was_given(first, second, length):
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "The shorter sentence loses its tokens. While the pair is too long, it is the longer one "
    "that does.",
    loses=("a pair that is too long",),
    breaks="the longer of the two sentences loses its last token",
)
@changed(
    pair_row,
    "len(first) > len(second) else second).pop()",
    "len(first) < len(second) and first else second or first).pop()",
)
def row_cut_from_the_shorter(): ...


@row.mistake(
    "With n = 0 a slice like first[:-n] is empty, so a sentence that should stay whole is lost.",
    breaks="and one row of `length` segments",
)
def row_cut_by_slices_of_nothing(first, second, length):
    over = max(0, len(first) + len(second) + 3 - length)
    second_too = max(0, min(len(second), (over + len(second) - len(first) + 1) // 2))
    first, second = first[: -(over - second_too)], second[:-second_too]
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "You return the same two lists in every call, so earlier rows are overwritten. Make new ones.",
    breaks="two lists of ids become one row of `length` ids",
)
@changed(
    pair_row,
    "return tokens + [PAD] * padding, segments + [0] * padding",
    'kept = globals().setdefault("kept_row", ([], []))\n'
    "    kept[0][:], kept[1][:] = tokens + [PAD] * padding, segments + [0] * padding\n"
    "    return kept",
)
def row_in_the_same_lists(): ...


@row.mistake(
    "Your rows have at most 512 positions, like BERT's. Here `length` says how many.",
    breaks="two lists of ids become one row of `length` ids",
)
@changed(
    pair_row, "    first, second = list", "    length = min(length, 512)\n    first, second = list"
)
def row_of_at_most_512(): ...


@row.mistake(
    "You ask for a sentence's last token where there is none. Either sentence may be empty.",
    breaks="Either sentence may be empty",
)
@changed(
    pair_row,
    "first, second = list(first), list(second)",
    "first, second = [*first[:-1], first[-1]], [*second[:-1], second[-1]]",
)
def row_of_sentences_that_are_not_empty(): ...
