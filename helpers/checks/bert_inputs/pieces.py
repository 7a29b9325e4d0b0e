"""Unit 07, “The longest match”: what it asks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from typing import Any

from tokenizers import Tokenizer, models

from helpers.checks.engine import Answer, Case, Exercise, Part, unchanged
from helpers.corpora.wordpiece import SPECIAL, longest_match

UNKNOWN = ["[UNK]"]
MANY = 16  # pieces in a message
ROOM = 150  # function calls within each other, less than a long word has pieces
STEMS = ["play", "walk", "token", "mask", "learn", "count", "train", "batch"]
ENDINGS = ["ing", "ed", "s", "er", "able", "ness", "ly"]
# No letters of a to z: digits, accents, other scripts, and the mark's own sign.
OTHERS = [["4", "77"], ["é", "ß", "語"], ["#"], ["-", "'", ".", "["]]
# A greedy split, and a shorter one that it does not see.
GREEDY = [
    ("international", ["inter", "intern", "in", "##at", "##ion", "##al", "##national"]),
    ("forever", ["for", "fore", "##v", "##er", "##e", "##ever"]),
    ("reset", ["re", "res", "##e", "##t", "##set"]),
]
# The longest piece that fits leads to a rest without a piece.
DEAD_ENDS = [
    ("notable", ["not", "nota", "##able", "##s"]),
    ("together", ["to", "tog", "##gether", "##er"]),
]


class EndlessLoopError(Exception):
    """An answer has asked for far more pieces than any word needs."""


class _Vocabulary(dict[str, int]):
    """Piece → id; ends a loop that would never end."""

    left = 0

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise EndlessLoopError(
                "it looks up far more pieces than any word needs; does its loop end?"
            )

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


def _cut(rng: Random, word: str, known: list[str]) -> Case:
    """Ask how `word` is cut with the pieces `known`; one that it has has id 0, if it can be cut."""
    known = rng.sample(known, len(known))
    zero = longest_match(word, dict.fromkeys(known, 0))[-1]
    order = [zero] * (zero in known) + [piece for piece in [*SPECIAL, *known] if piece != zero]
    vocabulary = {piece: number for number, piece in enumerate(order)}

    def ask(answer: Answer) -> Any:
        given = _Vocabulary(vocabulary)
        given.left = 2000 + 3 * len(word) ** 2  # the parts of a word are half its length squared
        found = answer(word, given)
        unchanged((word, dict(given)), (word, vocabulary))
        return list(found) if type(found) is tuple else found

    shown = word if len(word) <= 40 else f"{word[:8]}… ({len(word)} letters)"
    words = " ".join(known) if len(known) < MANY else f"{' '.join(known[:MANY])} …"
    return Case(f"({shown!r}, …) with the pieces {words}", ask)


def _several(rng: Random) -> Iterator[Case]:
    first, second = rng.sample(STEMS, 2)
    one, two, three = rng.sample(ENDINGS, 3)
    known = [first, second, f"##{one}", f"##{two}", f"##{three}", one, f"##{first}"]
    for word in (first + one, second + two + one, first + first + three, second, one):
        yield _cut(rng, word, known)
    for sign in map(rng.choice, OTHERS):
        marked = [f"##{each}" for each in (sign, one, first)]
        yield _cut(rng, first + sign + one + sign, [first, sign, *marked])
        yield _cut(rng, sign + first, [sign, *marked])
    yield _cut(rng, f"##{first}{one}", ["#", f"###{first}", f"##{one}"])
    yield _cut(rng, "##", ["#", "###"])


def _drawn(rng: Random, fits: bool) -> tuple[str, list[str]]:
    """Draw a word of a few letters, and pieces with which it can be cut, or cannot."""
    letters = rng.sample("abcdefgh", 3)
    while True:
        word = "".join(rng.choices(letters, k=rng.randint(4, 9)))
        drawn = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(26)]
        known = list(dict.fromkeys(drawn[:8] + [f"##{piece}" for piece in drawn[8:]]))
        found = longest_match(word, dict.fromkeys(known, 0))
        if (found != UNKNOWN) == fits and len(found) > 2 * fits:
            return word, known


def _longest(rng: Random) -> Iterator[Case]:
    for word, known in GREEDY:
        yield _cut(rng, word, known)
    for _ in range(8):
        yield _cut(rng, *_drawn(rng, fits=True))


def _unknown(rng: Random) -> Iterator[Case]:
    stem, other = rng.sample(STEMS, 2)
    one, two = rng.sample(ENDINGS, 2)
    known = [stem, f"##{one}", f"##{two}"]
    strange = rng.choice("qxzü9")
    for word in (stem + one + strange, strange + stem, stem + strange + two, one, strange):
        yield _cut(rng, word, known)
    yield _cut(rng, stem + one, [stem, one, two])  # within a word there is no such piece
    yield _cut(rng, other, [stem, f"##{other}"])  # and here none at its beginning
    for word, known in DEAD_ENDS:
        yield _cut(rng, word, known)
    for _ in range(4):
        yield _cut(rng, *_drawn(rng, fits=False))


def _any(rng: Random) -> Iterator[Case]:
    x, y, z = rng.sample("abcdefgh", 3)
    known = [x, y, z, x + z, *(f"##{piece}" for piece in (x, y, z, x + y, y + z + z))]
    for length in (1, 8, rng.randint(110, 130), rng.randint(260, 290)):
        # xyzz is cut as ##xy ##z ##z, though ##x ##yzz would be fewer pieces.
        yield _cut(rng, "".join(rng.choices((x, y, z), k=length)) + x + y + z + z, known)
    yield _in_little_room(_cut(rng, x + z * rng.randint(260, 290), known))


def _in_little_room(asked: Case) -> Case:
    """Ask as with a word of thousands of letters, of which it would take too long to ask."""

    def ask(answer: Answer) -> Any:
        most, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
        while frame.f_back:
            depth, frame = depth + 1, frame.f_back
        sys.setrecursionlimit(depth + ROOM)
        try:
            return asked.ask(answer)
        except RecursionError as error:  # Python's text says where it happened to end
            error.args = ("your function calls itself too often for a long word",)
            raise
        finally:
            sys.setrecursionlimit(most)

    return Case(f"{asked.label}, with room for {ROOM} nested calls", ask)


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
    explains=(
        "It is in lower case already",
        "no word begins with these five characters",
        "The library `tokenizers`",
    ),
    module=__name__,
)
