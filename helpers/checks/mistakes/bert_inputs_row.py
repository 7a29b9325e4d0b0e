"""Unit 07: what people write instead of a row of two sentences."""

from __future__ import annotations

from helpers.checks.exercise import Mistake
from helpers.wordpiece import CLS, PAD, SEP


def row_without_the_last_mark(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 2:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second]
    segments = [0] * (len(first) + 2) + [1] * len(second)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_without_the_mark_between(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 2:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, *second, SEP]
    segments = [0] * (len(first) + 1) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_with_two_beginnings(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 4:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, CLS, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 2)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_with_the_middle_mark_in_the_second(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 1) + [1] * (len(second) + 2)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_with_padding_in_the_second(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    tokens += [PAD] * (length - len(tokens))
    return tokens, [0] * (len(first) + 2) + [1] * (length - len(first) - 2)


def row_with_segments_one_and_two(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [1] * (len(first) + 2) + [2] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_without_padding(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    return tokens, [0] * (len(first) + 2) + [1] * (len(second) + 1)


def row_with_padding_at_the_front(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return [PAD] * rest + tokens, [0] * rest + segments


def row_cut_at_its_end(first, second, length):
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = max(0, length - len(tokens))
    return (tokens + [PAD] * rest)[:length], (segments + [0] * rest)[:length]


def row_cut_in_the_second_only(first, second, length):
    second = second[: max(0, length - 3 - len(first))]
    first = first[: length - 3 - len(second)]
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


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


def row_cut_at_the_front_of_a_sentence(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop(0)
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_cut_in_the_first_if_equal(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (second if len(second) > len(first) else first).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_cut_without_room_for_three(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


def row_cut_from_what_it_was_given(first, second, length):
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


_TOKENS, _SEGMENTS, _LONG = "the tokens of a pair", "its segments", "a pair that is too long"
ROW = (
    Mistake(
        row_without_the_last_mark,
        "There is no [SEP] behind the second sentence. BERT closes both.",
        (_TOKENS, _SEGMENTS, _LONG),
    ),
    Mistake(
        row_without_the_mark_between,
        "Nothing stands between the two sentences. BERT closes both with a [SEP].",
        (_TOKENS, _SEGMENTS, _LONG),
    ),
    Mistake(
        row_with_two_beginnings,
        "The second sentence has a [CLS] of its own. There is one only, at place 0.",
        (_TOKENS, _SEGMENTS, _LONG),
    ),
    Mistake(
        row_with_the_middle_mark_in_the_second,
        "Your first [SEP] is in segment 1. It closes the first sentence, so it belongs to it.",
        (_SEGMENTS,),
    ),
    Mistake(
        row_with_padding_in_the_second,
        "Your padding is in segment 1. Segment 1 ends with the last [SEP]; padding has 0.",
        (_SEGMENTS,),
    ),
    Mistake(
        row_with_segments_one_and_two,
        "Your segments are 1 and 2. They count from 0: the table of segments has rows 0 and 1.",
        (_SEGMENTS,),
    ),
    Mistake(
        row_without_padding,
        "Your row is as long as its sentences. All rows of a batch need `length` numbers, so fill "
        "up with [PAD].",
        (_TOKENS, _SEGMENTS),
    ),
    Mistake(
        row_with_padding_at_the_front,
        "Your padding stands in front. [CLS] has place 0 in every row; padding comes last.",
        (_TOKENS, _SEGMENTS),
    ),
    Mistake(
        row_cut_at_its_end,
        "You cut the finished row, and the last [SEP] goes with it. Shorten the sentences first, "
        "then put them together.",
        (_LONG,),
    ),
    Mistake(
        row_cut_in_the_second_only,
        "The second sentence pays for both. Each token comes from whichever is longer just then.",
        (_LONG,),
    ),
    Mistake(
        row_cut_in_turns,
        "You shorten the sentences in turns, so that a short one can vanish. Each token comes from "
        "whichever is longer just then.",
        (_LONG,),
    ),
    Mistake(
        row_cut_at_the_front_of_a_sentence,
        "You drop the first words of a sentence. Here it loses its last ones.",
        (_LONG,),
    ),
    Mistake(
        row_cut_in_the_first_if_equal,
        "Where both are equally long, yours shortens the first. The exercise says which one.",
        (_LONG,),
    ),
    Mistake(
        row_cut_without_room_for_three,
        "You shorten the sentences to `length`, and then three more tokens come: [CLS] and two "
        "[SEP].",
        (_LONG,),
    ),
    Mistake(
        row_cut_from_what_it_was_given,
        "pop and del shorten the caller's own list: the sentence would be shorter in its next pair "
        "too. Work on a copy, list(first).",
        (_LONG,),
    ),
)
