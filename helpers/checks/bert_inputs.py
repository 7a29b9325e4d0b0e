"""Unit 07, what BERT is fed: pieces of words, and two sentences in a row."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tokenizers import Tokenizer, models

from helpers import inputs
from helpers.checks.bert_inputs_mask import mask
from helpers.checks.bert_inputs_pairs import pairs
from helpers.checks.bert_inputs_vectors import padding, vectors
from helpers.checks.exercise import Answer, ArgumentChangedError, Case, Exercise, Part
from helpers.checks.mistakes.bert_inputs import PIECES
from helpers.checks.mistakes.bert_inputs_row import ROW
from helpers.wordpiece import CLS, PAD, SEP, SPECIAL, longest_match

__all__ = ["mask", "padding", "pairs", "pieces", "row", "vectors"]

MOST_LOOKUPS = 100_000


class NotTwoListsError(Exception):
    """An answer gives something else than tokens and segments."""


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


_STEMS = ["play", "walk", "token", "mask", "learn", "count", "train", "batch"]
_ENDINGS = ["ing", "ed", "s", "er", "able", "ness", "ly"]


def _shuffled(rng: Random, known: list[str]) -> list[str]:
    return rng.sample(known, len(known))


def _several(rng: Random) -> Iterator[Case]:
    first, second = rng.sample(_STEMS, 2)
    one, two, three = rng.sample(_ENDINGS, 3)
    known = [first, second, f"##{one}", f"##{two}", f"##{three}", one, f"##{first}"]
    for word in (first + one, second + two + one, first + first + three, second, one):
        yield _split(word, _shuffled(rng, known))


# A greedy split, and a shorter one that it does not see.
_GREEDY = [
    ("international", ["inter", "intern", "in", "##at", "##ion", "##al", "##national"]),
    ("forever", ["for", "fore", "##v", "##er", "##e", "##ever"]),
    ("notable", ["no", "not", "nota", "##b", "##le", "##able"]),
    ("reset", ["re", "res", "##e", "##t", "##set"]),
    ("together", ["to", "tog", "##e", "##th", "##er", "##gether"]),
]


def _longest(rng: Random) -> Iterator[Case]:
    for word, known in rng.sample(_GREEDY, 3):
        yield _split(word, _shuffled(rng, known))


# The longest piece that fits leads to a rest without a piece.
_DEAD_ENDS = [
    ("forever", ["for", "fore", "##ever", "##st"]),
    ("notable", ["not", "nota", "##able", "##s"]),
    ("reset", ["re", "res", "##set", "##t"]),
    ("together", ["to", "tog", "##gether", "##er"]),
]


def _unknown(rng: Random) -> Iterator[Case]:
    stem = rng.choice(_STEMS)
    one, two = rng.sample(_ENDINGS, 2)
    known = [stem, f"##{one}", f"##{two}"]
    yield _split(stem + one + "q", _shuffled(rng, known))
    yield _split("z" + stem, _shuffled(rng, known))
    yield _split(one, _shuffled(rng, known))
    word, known = rng.choice(_DEAD_ENDS)
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
    PIECES,
    forbidden=(Tokenizer, models.WordPiece),
)


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
    ROW,
    forbidden=(inputs._row, inputs.pairs),
)
