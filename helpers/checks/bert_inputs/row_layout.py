"""Unit 07, “One row for a pair”: what people write instead."""

from __future__ import annotations

from helpers.checks.bert_inputs.row import pair_row, row
from helpers.checks.engine import changed
from helpers.corpora.wordpiece import CLS, PAD, SEP


@row.mistake(
    "There is no [SEP] after the second sentence. BERT closes both.",
    breaks="[CLS] first [SEP] second [SEP] [PAD] …",
)
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


@row.mistake("The second sentence has a [CLS] of its own. There is only one, at position 0.")
def row_with_two_beginnings(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 4:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, CLS, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 2)
    rest = length - len(tokens)
    return tokens + [PAD] * rest, segments + [0] * rest


@row.mistake(
    "Your first [SEP] is in segment 1. It closes the first sentence, so it belongs to segment 0.",
    breaks="the first `[SEP]` is still 0",
    loses=("its segments", "a pair that is too long"),
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
    loses=("its segments", "a pair that is too long"),
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
    "Your row is as long as its sentences. All rows of a batch need `length` numbers: fill "
    "up with [PAD].",
    breaks=("`length` numbers each", "two lists of ids become one row of `length` ids"),
    loses=("the tokens of a pair", "its segments"),
)
def row_without_padding(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    return tokens, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@row.mistake(
    "Your padding comes first. [CLS] is at position 0 in every row; padding comes last.",
    breaks="With `length=9`",
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
    "You return the segments first. Tokens come first, then segments.",
    breaks="and one row of `length` segments",
)
@changed(
    pair_row,
    "return tokens + [PAD] * padding, segments + [0] * padding",
    "return segments + [0] * padding, tokens + [PAD] * padding",
)
def row_with_results_swapped(): ...


@row.mistake(
    "Your second sentence stands first. The first one follows [CLS].",
    breaks="[CLS] first [SEP] second [SEP] [PAD] …",
)
@changed(
    pair_row,
    "tokens = [CLS, *first, SEP, *second, SEP]",
    "first, second = second, first\n    tokens = [CLS, *first, SEP, *second, SEP]",
)
def row_with_sentences_swapped(): ...


@row.mistake(
    "Your segments are swapped: the first sentence is 0, the second 1.",
    loses=("its segments", "a pair that is too long"),
    breaks="Segments are as in the table",
)
@changed(
    pair_row,
    "[0] * (len(first) + 2) + [1] * (len(second) + 1)",
    "[1] * (len(first) + 2) + [0] * (len(second) + 1)",
)
def row_with_segments_swapped(): ...


@row.mistake(
    "[CLS] and [SEP] are swapped. A row begins with [CLS].",
    loses=("the tokens of a pair", "a pair that is too long"),
    breaks="With `length=9`",
)
@changed(pair_row, "[CLS, *first, SEP, *second, SEP]", "[SEP, *first, CLS, *second, CLS]")
def row_with_marks_swapped(): ...


@row.mistake(
    "Your second [SEP] is in segment 0. It closes the second sentence, so it belongs to segment 1.",
    loses=("its segments", "a pair that is too long"),
    breaks="Segments are as in the table",
)
@changed(pair_row, "[1] * (len(second) + 1)", "[1] * len(second) + [0]")
def row_with_the_last_mark_in_the_first(): ...


@row.mistake(
    "Your segments are 0.0 and 1.0. They choose rows of a table, so they are whole numbers.",
    loses=("its segments", "a pair that is too long"),
    breaks="and one row of `length` segments",
)
@changed(
    pair_row,
    "[0] * (len(first) + 2) + [1] * (len(second) + 1)",
    "[0.0] * (len(first) + 2) + [1.0] * (len(second) + 1)",
)
def row_with_numbers_that_are_not_whole(): ...


@row.mistake(
    "Your segments are False and True. They choose rows of a table, so they are whole numbers.",
    loses=("its segments", "a pair that is too long"),
    breaks="all whole numbers (`int`)",
)
@changed(
    pair_row,
    "[0] * (len(first) + 2) + [1] * (len(second) + 1)",
    "[False] * (len(first) + 2) + [True] * (len(second) + 1)",
)
def row_with_truth_values(): ...
