"""Unit 07: what people write instead of the greedy longest match."""

from __future__ import annotations

from helpers.checks.exercise import Mistake


def pieces_without_the_mark(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in vocabulary:
                pieces.append(word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


def pieces_marked_after_the_search(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in vocabulary:
                pieces.append("##" + word[start:end] if start else word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


def pieces_that_all_have_the_mark(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if "##" + word[start:end] in vocabulary:
                pieces.append("##" + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


def pieces_that_count_the_mark(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start += len(pieces[-1])
                break
        else:
            return ["[UNK]"]
    return pieces


def pieces_shortest_first(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(start + 1, len(word) + 1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


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


def pieces_up_to_the_unknown(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
        else:
            return [*pieces, "[UNK]"]
    return pieces


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


def pieces_that_never_end(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
    return pieces


def pieces_without_the_last_letter(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word) - 1, start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


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


def pieces_of_short_words_only(word, vocabulary):
    """As libraries do; theirs give up beyond 100 letters."""
    if len(word) > 100:
        return ["[UNK]"]
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


_SEVERAL, _LONGEST, _UNKNOWN, _ANY = (
    "a word of several pieces",
    "the longest piece first",
    "[UNK] for the whole word",
    "any word, however long",
)
PIECES = (
    Mistake(
        pieces_without_the_mark,
        "You look for the rest of a word among the pieces that begin a word. Inside a word, only "
        "pieces that begin with ## count.",
        (_SEVERAL, _LONGEST, _ANY),
    ),
    Mistake(
        pieces_marked_after_the_search,
        "You write ## in front of what you found, but you search without it. ing and ##ing are two "
        "different pieces: which of them is in the vocabulary?",
        (_SEVERAL, _LONGEST, _ANY),
    ),
    Mistake(
        pieces_that_all_have_the_mark,
        "All your pieces begin with ##, the first one too. What begins a word has no mark.",
        (_SEVERAL, _LONGEST, _UNKNOWN, _ANY),
    ),
    Mistake(
        pieces_that_count_the_mark,
        "After a piece with ## you go on two letters too far: the two marks are no letters of the "
        "word.",
        (_SEVERAL, _LONGEST, _UNKNOWN, _ANY),
    ),
    Mistake(
        pieces_shortest_first,
        "You take the first piece that fits, beginning with a single letter. Begin with all of the "
        "rest, and shorten it from its end.",
        (_LONGEST, _UNKNOWN, _ANY),
    ),
    Mistake(
        pieces_in_the_smallest_number,
        "You look for the split with the fewest pieces. WordPiece is greedy: it takes the longest "
        "piece that fits here, whatever comes of it.",
        (_LONGEST, _UNKNOWN, _ANY),
    ),
    Mistake(
        pieces_with_a_second_try,
        "Where the rest has no piece, you go back and try a shorter one. WordPiece never goes "
        "back: the word is [UNK].",
        (_UNKNOWN,),
    ),
    Mistake(
        pieces_up_to_the_unknown,
        "You keep the pieces found so far and add [UNK] for the rest. One part without a piece "
        "makes [UNK] of the whole word.",
        (_UNKNOWN,),
    ),
    Mistake(
        pieces_with_unknown_letters,
        "You write [UNK] for a single letter and go on behind it. One part without a piece makes "
        "[UNK] of the whole word.",
        (_UNKNOWN,),
    ),
    Mistake(
        pieces_that_never_end,
        "Where no piece fits, your loop goes on at the same letter for ever. What is to happen "
        "when you have tried every length?",
        (_UNKNOWN,),
    ),
    Mistake(
        pieces_without_the_last_letter,
        "Your ends stop one letter before the end of the word. word[start:end] leaves out the "
        "letter at `end`.",
        (_SEVERAL, _LONGEST, _ANY),
    ),
    Mistake(
        pieces_as_numbers,
        "You return the ids. The pieces themselves are asked for.",
        (_SEVERAL, _LONGEST, _UNKNOWN, _ANY),
    ),
    Mistake(
        pieces_of_short_words_only,
        "You give up on long words, as libraries do. Here a word may have any length.",
        (_ANY,),
    ),
)
