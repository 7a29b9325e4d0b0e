"""Unit 07, “The longest match”: what people write instead."""

from __future__ import annotations

import re

from helpers.checks.bert_inputs.pieces import pieces as exercise
from helpers.checks.engine import changed


def greedy_pieces(word, vocabulary):
    """The right answer in plain loops, of which most mistakes change one thing."""
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


@exercise.mistake(
    "You look for the rest of a word among the pieces that begin a word. Inside a word, only "
    "pieces that begin with ## count.",
    breaks="every piece but the first is looked up",
)
@changed(greedy_pieces, '"##" if pieces else ""', '""')
def pieces_without_the_mark(): ...


@exercise.mistake(
    "You write ## in front of what you found, but you search without it. ing and ##ing are two "
    "different pieces: which of them is in the vocabulary?",
    breaks="every piece but the first is looked up",
)
@changed(greedy_pieces, "if mark + word", "if word")
def pieces_marked_after_the_search(): ...


@exercise.mistake(
    "All your pieces begin with ##, the first one too. The piece that begins a word has no mark.",
    breaks="With the pieces `play`",
)
@changed(greedy_pieces, '"##" if pieces else ""', '"##"')
def pieces_that_all_have_the_mark(): ...


@exercise.mistake(
    "After a piece with ## you go on two letters too far: ## is not part of the word."
)
@changed(greedy_pieces, "start = end", "start += len(pieces[-1])")
def pieces_that_count_the_mark(): ...


@exercise.mistake(
    "You take the shortest piece that fits. Try all of the rest first, then shorten it from its "
    "end.",
    loses=("the longest piece first", "[UNK] for the whole word", "any word, however long"),
    breaks="take the longest piece that fits",
)
@changed(greedy_pieces, "range(len(word), start, -1)", "range(start + 1, len(word) + 1)")
def pieces_shortest_first(): ...


@exercise.mistake(
    "You look for the split with the fewest pieces. WordPiece is greedy: it takes the longest "
    "piece that fits here, whatever follows from that.",
    loses=("the longest piece first", "[UNK] for the whole word", "any word, however long"),
)
def pieces_in_the_smallest_number(word, vocabulary):
    best = [[]]
    for end in range(1, len(word) + 1):
        found = None
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if best[start] is None or piece not in vocabulary:
                continue
            if found is None or len(best[start]) + 1 < len(found):
                found = [*best[start], piece]
        best.append(found)
    return best[-1] or ["[UNK]"]


@exercise.mistake(
    "Where the rest has no piece, you go back and try a shorter one. WordPiece never goes "
    "back: the word is [UNK].",
    loses="[UNK] for the whole word",
    breaks="a choice is never taken back",
)
def pieces_with_a_second_try(word, vocabulary):
    ends, pieces = [len(word)], []
    start = 0
    while start < len(word):
        end = ends[-1]
        mark = "##" if start else ""
        while end > start and mark + word[start:end] not in vocabulary:
            end -= 1
        if end > start:
            pieces.append(mark + word[start:end])
            ends[-1] = end
            ends.append(len(word))
            start = end
        elif pieces:
            ends.pop()
            start -= len(pieces.pop().removeprefix("##"))
            ends[-1] -= 1
        else:
            return ["[UNK]"]
    return pieces


@exercise.mistake(
    "You keep the pieces found so far and add [UNK] for the rest. One part without a piece turns "
    "the whole word into [UNK].",
    loses="[UNK] for the whole word",
    breaks="if nothing fits somewhere",
)
@changed(greedy_pieces, 'return ["[UNK]"]', 'return [*pieces, "[UNK]"]')
def pieces_up_to_the_unknown(): ...


@exercise.mistake(
    "You write [UNK] for a single letter and go on after it. One part without a piece turns the "
    "whole word into [UNK].",
    loses="[UNK] for the whole word",
)
def pieces_with_unknown_letters(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
        else:
            pieces.append("[UNK]")
            start += 1
    return pieces


@exercise.mistake(
    "Where no piece fits, your loop goes on at the same letter for ever. What is to happen "
    "when you have tried every length?",
    loses="[UNK] for the whole word",
)
@changed(greedy_pieces, 'return ["[UNK]"]', "pass")
def pieces_that_never_end(): ...


@exercise.mistake(
    "Nearly every word becomes [UNK], so no piece that reaches the end of a word is found. The "
    "longest try is word[start:len(word)]: `end` itself is left out of a slice.",
    loses=("a word of several pieces", "the longest piece first", "any word, however long"),
)
@changed(greedy_pieces, "range(len(word), start", "range(len(word) - 1, start")
def pieces_without_the_last_letter(): ...


@exercise.mistake(
    "You return the ids. Return the pieces themselves.",
    breaks="Write `word_pieces`",
)
def pieces_as_numbers(word, vocabulary):
    numbers, start = [], 0
    while start < len(word):
        mark = "##" if numbers else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                numbers.append(vocabulary[mark + word[start:end]])
                start = end
                break
        else:
            return [vocabulary["[UNK]"]]
    return numbers


@exercise.mistake(
    "You give up on long words, as libraries do. Here a word may have any length.",
    loses="any word, however long",
    breaks="The word may be of any length",
)
@changed(greedy_pieces, "return pieces", 'return pieces if len(word) <= 100 else ["[UNK]"]')
def pieces_of_short_words_only(): ...


@exercise.mistake(
    "You cut from the end of the word. The longest piece that fits at its beginning comes first.",
    loses=("the longest piece first", "[UNK] for the whole word", "any word, however long"),
    breaks="Greedy longest match from the left",
)
def pieces_from_the_end(word, vocabulary):
    pieces, end = [], len(word)
    while end:
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                pieces.insert(0, piece)
                end = start
                break
        else:
            return ["[UNK]"]
    return pieces


@exercise.mistake(
    "Your first piece has the mark, and the others do not. The mark says that a piece continues a "
    "word, so it is the other way round.",
    breaks="every piece but the first is looked up",
)
@changed(greedy_pieces, '"##" if pieces else ""', '"" if pieces else "##"')
def pieces_with_only_the_first_marked(): ...


@exercise.mistake(
    "The piece with id 0 is not found: 0 counts as False, and is not above 0. Ask whether a piece "
    "is `in` the vocabulary, not for its id.",
    loses=("a word of several pieces", "the longest piece first", "any word, however long"),
    breaks="Any piece may have id 0",
)
@changed(
    greedy_pieces,
    "mark + word[start:end] in vocabulary",
    "vocabulary.get(mark + word[start:end])",
)
def pieces_without_the_one_of_id_zero(): ...


@exercise.mistake(
    "You treat every word with anything but letters as unknown. Only the vocabulary decides that.",
    loses="a word of several pieces",
    breaks="of any characters",
)
@changed(greedy_pieces, "return pieces", 'return pieces if word.isalpha() else ["[UNK]"]')
def pieces_of_letters_only(): ...


@exercise.mistake(
    "You measure a piece by removing every # at its front, but one may belong to the word. Count "
    "the letters you have used instead.",
    loses="a word of several pieces",
    breaks="of any characters",
)
@changed(greedy_pieces, "start = end", 'start += len(pieces[-1].lstrip("#"))')
def pieces_that_lose_a_sign(): ...


@exercise.mistake(
    "You remove # from the front of the word. It is a character of the word like any other.",
    loses="a word of several pieces",
    breaks="digits and `#` among them",
)
@changed(greedy_pieces, "    pieces, start", '    word = word.lstrip("#")\n    pieces, start')
def pieces_of_words_without_the_sign(): ...


@exercise.mistake(
    "Where the word itself begins with ##, your pieces get no mark. Which piece is the first does "
    "not depend on how the word begins.",
    loses="a word of several pieces",
    breaks="digits and `#` among them",
)
@changed(greedy_pieces, "if pieces else", 'if pieces and not word.startswith("##") else')
def pieces_without_a_mark_behind_the_sign(): ...


@exercise.mistake(
    "You change characters of the word, such as ß into ss. Cut its characters as they are.",
    loses="a word of several pieces",
    breaks="of any characters",
)
@changed(greedy_pieces, "    pieces, start", "    word = word.casefold()\n    pieces, start")
def pieces_of_a_folded_word(): ...


@exercise.mistake(
    "You use the pieces as regular expressions, where a.c also matches abc. Compare the texts, or "
    "escape each piece.",
    loses="a word of several pieces",
    breaks="of any characters",
)
def pieces_as_regular_expressions(word, vocabulary):
    pieces = []
    known = sorted(vocabulary, key=len, reverse=True)
    while word:
        mark = "##" if pieces else ""
        fit = [p.removeprefix(mark) for p in known if p.startswith("##") == bool(mark)]
        found = re.match("|".join(each for each in fit if each[0] != "["), word)
        if not found or not found[0]:
            return ["[UNK]"]
        pieces.append(mark + found[0])
        word = word[found.end() :]
    return pieces


@exercise.mistake(
    "For an unknown word you return the text [UNK] itself. Return a list with this one piece.",
    loses="[UNK] for the whole word",
    breaks="if nothing fits somewhere",
)
@changed(greedy_pieces, 'return ["[UNK]"]', 'return "[UNK]"')
def pieces_or_a_text(): ...
