"""Unit 07, “The longest match”: what goes wrong with many pieces, and with what is returned."""

from __future__ import annotations

from helpers.checks.bert_inputs.pieces import pieces as exercise
from helpers.checks.bert_inputs.pieces_cuts import greedy_pieces
from helpers.checks.engine import changed


@exercise.mistake(
    "You give up on words of very many pieces. Here a word may have any length.",
    loses="any word, however long",
    breaks="to thousands of pieces",
)
@changed(greedy_pieces, "return pieces", 'return pieces if len(pieces) <= 1000 else ["[UNK]"]')
def pieces_up_to_a_thousand(): ...


@exercise.mistake(
    "Your function calls itself once for each piece, and Python allows about a thousand nested "
    "calls. A loop that moves along the word has no such limit.",
    loses="any word, however long",
)
def pieces_by_recursion(word, vocabulary):
    def cut(rest, mark):
        for end in range(len(rest), 0, -1):
            if mark + rest[:end] in vocabulary:
                if end == len(rest):
                    return [mark + rest]
                after = cut(rest[end:], "##")
                return after if after == ["[UNK]"] else [mark + rest[:end], *after]
        return ["[UNK]"]

    return cut(word, "")


@exercise.mistake(
    "You search with ##, but leave it out of what you return. Return the pieces as they are in the "
    "vocabulary.",
    loses=("a word of several pieces", "the longest piece first", "any word, however long"),
    breaks="every piece but the first is looked up",
)
@changed(greedy_pieces, "append(mark + word[start:end])", "append(word[start:end])")
def pieces_returned_without_the_mark(): ...


@exercise.mistake(
    "You take the digits of a number one by one. Among digits, too, the longest piece that fits "
    "comes first.",
    loses="a word of several pieces",
    breaks="of any characters",
)
@changed(
    greedy_pieces,
    "range(len(word), start, -1)",
    "range(start + 1 if word[start].isdigit() else len(word), start, -1)",
)
def pieces_with_single_digits(): ...
