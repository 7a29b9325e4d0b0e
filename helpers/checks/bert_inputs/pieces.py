"""Unit 07, “The longest match”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tokenizers import Tokenizer, models

from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part, changed
from helpers.corpora.wordpiece import SPECIAL, longest_match

MOST_LOOKUPS = 100_000
STEMS = ["play", "walk", "token", "mask", "learn", "count", "train", "batch"]
ENDINGS = ["ing", "ed", "s", "er", "able", "ness", "ly"]
# A greedy split, and a shorter one that it does not see.
GREEDY = [
    ("international", ["inter", "intern", "in", "##at", "##ion", "##al", "##national"]),
    ("forever", ["for", "fore", "##v", "##er", "##e", "##ever"]),
    ("notable", ["no", "not", "nota", "##b", "##le", "##able"]),
    ("reset", ["re", "res", "##e", "##t", "##set"]),
    ("together", ["to", "tog", "##e", "##th", "##er", "##gether"]),
]
# The longest piece that fits leads to a rest without a piece.
DEAD_ENDS = [
    ("forever", ["for", "fore", "##ever", "##st"]),
    ("notable", ["not", "nota", "##able", "##s"]),
    ("reset", ["re", "res", "##set", "##t"]),
    ("together", ["to", "tog", "##gether", "##er"]),
]


class EndlessLoopError(Exception):
    """An answer has asked for far more pieces than any word needs."""


class _Vocabulary(dict[str, int]):
    """Piece → id; ends a loop that would never end."""

    asked = 0

    def _count(self) -> None:
        self.asked += 1
        if self.asked > MOST_LOOKUPS:
            raise EndlessLoopError("it has looked up 100,000 pieces for one word; does it end?")

    def __contains__(self, piece: object) -> bool:
        self._count()
        return super().__contains__(piece)

    def __getitem__(self, piece: str) -> int:
        self._count()
        return super().__getitem__(piece)

    def get(self, piece: str, default: Any = None) -> Any:
        """As in a dict."""
        self._count()
        return super().get(piece, default)


def _split(word: str, known: list[str]) -> Case:
    """How is `word` split with the pieces `known`?"""
    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, *known])}

    def ask(answer: Answer) -> Any:
        given = _Vocabulary(vocabulary)
        found = answer(word, given)
        if dict(given) != vocabulary:
            raise ArgumentChangedError
        found = list(found) if type(found) is tuple else found
        return _ends(found) if len(word) > 20 and isinstance(found, list) else found

    shown = word if len(word) <= 20 else f"{word[:8]}… ({len(word)} letters)"
    return Case(f"({shown!r}, …) with the pieces {' '.join(known)}", ask)


def _ends(found: list[Any]) -> dict[str, Any]:
    """What can be shown of a long answer."""
    ends = {"the first ten": found[:10], "the last five": found[-5:]}
    return {"number of pieces": len(found), **ends}


def _shuffled(rng: Random, known: list[str]) -> list[str]:
    return rng.sample(known, len(known))


def _several(rng: Random) -> Iterator[Case]:
    first, second = rng.sample(STEMS, 2)
    one, two, three = rng.sample(ENDINGS, 3)
    known = [first, second, f"##{one}", f"##{two}", f"##{three}", one, f"##{first}"]
    for word in (first + one, second + two + one, first + first + three, second, one):
        yield _split(word, _shuffled(rng, known))


def _longest(rng: Random) -> Iterator[Case]:
    for word, known in rng.sample(GREEDY, 3):
        yield _split(word, _shuffled(rng, known))


def _unknown(rng: Random) -> Iterator[Case]:
    stem = rng.choice(STEMS)
    one, two = rng.sample(ENDINGS, 2)
    known = [stem, f"##{one}", f"##{two}"]
    yield _split(stem + one + "q", _shuffled(rng, known))
    yield _split("z" + stem, _shuffled(rng, known))
    yield _split(one, _shuffled(rng, known))
    word, known = rng.choice(DEAD_ENDS)
    yield _split(word, _shuffled(rng, known))


def _any(rng: Random) -> Iterator[Case]:
    x, y, z = rng.sample("abcdefgh", 3)

    def drawn(number: int) -> str:
        return "".join(rng.choices((x, y, z), k=number))

    known = [x, y, z, x + z, *(f"##{piece}" for piece in (x, y, z, x + y, y + z + z))]
    yield _split(x, known)
    yield _split(z + drawn(rng.randint(6, 8)), known)
    # xyzz is split as ##xy ##z ##z, though ##x ##yzz would be fewer pieces.
    yield _split(drawn(3) + x + y + z + z + drawn(rng.randint(110, 130)), known)


pieces = Exercise(
    "pieces",
    longest_match,
    (
        Part("a word of several pieces", 1, _several),
        Part("the longest piece first", 0.5, _longest),
        Part("[UNK] for the whole word", 0.5, _unknown),
        Part("any word, however long", 0.5, _any),
    ),
    forbidden=(Tokenizer, models.WordPiece),
)


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


@pieces.mistake(
    "You look for the rest of a word among the pieces that begin a word. Inside a word, only "
    "pieces that begin with ## count.",
    loses=("a word of several pieces", "the longest piece first", "any word, however long"),
)
@changed(greedy_pieces, '"##" if pieces else ""', '""')
def pieces_without_the_mark(): ...


@pieces.mistake(
    "You write ## in front of what you found, but you search without it. ing and ##ing are two "
    "different pieces: which of them is in the vocabulary?",
    loses=("a word of several pieces", "the longest piece first", "any word, however long"),
)
@changed(greedy_pieces, "if mark + word", "if word")
def pieces_marked_after_the_search(): ...


@pieces.mistake("All your pieces begin with ##, the first one too. What begins a word has no mark.")
@changed(greedy_pieces, '"##" if pieces else ""', '"##"')
def pieces_that_all_have_the_mark(): ...


@pieces.mistake(
    "After a piece with ## you go on two letters too far: the two marks are no letters of the word."
)
@changed(greedy_pieces, "start = end", "start += len(pieces[-1])")
def pieces_that_count_the_mark(): ...


@pieces.mistake(
    "You take the first piece that fits, beginning with a single letter. Begin with all of the "
    "rest, and shorten it from its end.",
    loses=("the longest piece first", "[UNK] for the whole word", "any word, however long"),
)
@changed(greedy_pieces, "range(len(word), start, -1)", "range(start + 1, len(word) + 1)")
def pieces_shortest_first(): ...


@pieces.mistake(
    "You look for the split with the fewest pieces. WordPiece is greedy: it takes the longest "
    "piece that fits here, whatever comes of it.",
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


@pieces.mistake(
    "Where the rest has no piece, you go back and try a shorter one. WordPiece never goes "
    "back: the word is [UNK].",
    loses="[UNK] for the whole word",
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


@pieces.mistake(
    "You keep the pieces found so far and add [UNK] for the rest. One part without a piece "
    "makes [UNK] of the whole word.",
    loses="[UNK] for the whole word",
)
@changed(greedy_pieces, 'return ["[UNK]"]', 'return [*pieces, "[UNK]"]')
def pieces_up_to_the_unknown(): ...


@pieces.mistake(
    "You write [UNK] for a single letter and go on behind it. One part without a piece makes "
    "[UNK] of the whole word.",
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


@pieces.mistake(
    "Where no piece fits, your loop goes on at the same letter for ever. What is to happen "
    "when you have tried every length?",
    loses="[UNK] for the whole word",
)
@changed(greedy_pieces, 'return ["[UNK]"]', "pass")
def pieces_that_never_end(): ...


@pieces.mistake(
    "Your ends stop one letter before the end of the word. word[start:end] leaves out the "
    "letter at `end`.",
    loses=("a word of several pieces", "the longest piece first", "any word, however long"),
)
@changed(greedy_pieces, "range(len(word), start", "range(len(word) - 1, start")
def pieces_without_the_last_letter(): ...


@pieces.mistake("You return the ids. The pieces themselves are asked for.")
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


@pieces.mistake(
    "You give up on long words, as libraries do. Here a word may have any length.",
    loses="any word, however long",
)
@changed(greedy_pieces, "return pieces", 'return pieces if len(word) <= 100 else ["[UNK]"]')
def pieces_of_short_words_only(): ...
