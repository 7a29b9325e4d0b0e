"""Unit 07, “The longest match”: what it asks. What people write instead is in pieces_cuts.py."""

from __future__ import annotations

import string
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tokenizers import Tokenizer, models

from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part
from helpers.corpora.wordpiece import SPECIAL, longest_match

UNKNOWN = ["[UNK]"]
MANY = 16  # pieces in a message
ROOM = 150  # function calls within each other, less than a long word has pieces
STEMS = ["play", "walk", "token", "mask", "learn", "count", "train", "batch"]
ENDINGS = ["ing", "ed", "s", "er", "able", "ness", "ly"]
# No letters of a to z: digits, accents, other scripts, and the mark's own sign.
OTHERS = [["4", "77"], ["é", "ß", "ï"], ["語", "字"], ["#"], ["##", "-", "'"], [".", ",", "!", "?"]]
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

    def __init__(self, pieces: dict[str, int], letters: int) -> None:
        super().__init__(pieces)
        self.most = 2000 + 3 * letters**2  # the parts of a word are half its length squared

    def _count(self) -> None:
        self.asked += 1
        if self.asked > self.most:
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


def _ways(word: str, known: list[str]) -> int:
    """In how many ways `word` can be cut, greedily or not."""
    ways = [1] + [0] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            ways[end] += ways[start] * (("##" if start else "") + word[start:end] in known)
    return ways[-1]


def _cut(rng: Random, word: str, known: list[str], many: bool = False) -> Case:
    """How is `word` cut with the pieces `known`? A piece of it has id 0, if it can be cut.

    With `many` of them lookups are counted for its beginning only: that takes longer than they do.
    """
    known = rng.sample(known, len(known))
    zero = longest_match(word, dict.fromkeys(known, 0))[-1]
    order = [zero] * (zero in known) + [piece for piece in [*SPECIAL, *known] if piece != zero]
    vocabulary = {piece: number for number, piece in enumerate(order)}

    def ask(answer: Answer) -> Any:
        given: dict[str, int] = _Vocabulary(vocabulary, len(word))
        if many:
            answer(word[:9], given)  # does it end?
            given = dict(vocabulary)
        found = answer(word, given)
        if [*given.items()] != [*vocabulary.items()]:
            raise ArgumentChangedError
        return list(found) if type(found) is tuple else found

    shown = word if len(word) <= 40 else f"{word[:8]}… ({len(word)} letters)"
    pieces = [piece if len(piece) <= 12 else f"{piece[:9]}…" for piece in known]
    words = " ".join(pieces) if len(pieces) < MANY else f"{' '.join(pieces[:MANY])} …"
    return Case(f"({shown!r}, …) with the pieces {words}", ask)


def _several(rng: Random) -> Iterator[Case]:
    first, second = rng.sample(STEMS, 2)
    one, two, three = rng.sample(ENDINGS, 3)
    known = [first, second, f"##{one}", f"##{two}", f"##{three}", one, f"##{first}"]
    for word in (first + one, second + two + one, first + first + three, second, one):
        yield _cut(rng, word, known)
    yield _cut(rng, first + one, [first[:2], f"##{first[2:]}", f"##{one}"])
    for sign in map(rng.choice, OTHERS):
        marked = [f"##{each}" for each in (sign, one, first)]
        yield _cut(rng, first + sign + one + sign, [first, sign, *marked])
        yield _cut(rng, second + sign + first, [second, *marked])
    yield from _strange(rng, first, one)


def _strange(rng: Random, stem: str, ending: str) -> Iterator[Case]:
    """Words that begin with #, that are numbers, or that something else may read otherwise."""
    yield _cut(rng, f"#{stem}#", ["#", f"##{stem}", "###"])
    yield _cut(rng, f"#{stem}", [stem, "#", f"##{stem}"])
    yield _cut(rng, f"##{stem}{ending}", ["#", f"###{stem}", f"##{ending}"])
    for signs in ("##", "###", "#" * rng.randint(4, 30)):  # words like any other
        yield _cut(rng, signs, ["#", f"##{signs[1:]}"])
    one, two = rng.sample("123456789", 2)
    yield _cut(rng, one + two, [one, f"##{two}"])
    yield _cut(rng, one + two + stem + two + one, [one + two, f"##{stem}", f"##{two}{one}"])
    x, y, z = rng.sample("abcdefgh", 3)
    for sign in ".*+(":  # which mean something else in a regular expression
        yield _cut(rng, x + y + z, [x + sign + z, x, f"##{y}", f"##{z}"])
        yield _cut(rng, x + sign + z, [x, f"##{sign}", f"##{z}"])
    # Letters and signs that other forms of the text have written otherwise: ss, fi, 2, é.
    yield _cut(rng, f"{stem}ß{ending}", [stem, "##ß", f"##{ending}"])
    yield _cut(rng, f"{stem}\ufb01²ée\u0301", [stem, "##\ufb01", "##²", "##é", "##e\u0301"])
    # Any sign may be a piece, alone and among others, the brackets of [UNK] too.
    others = rng.sample([sign for sign in string.punctuation if sign != "["], 3)
    for sign in ("[", *others, rng.choice("éß語字")):
        yield _cut(rng, sign, [sign, stem])
    signs = "".join(rng.sample(string.punctuation, len(string.punctuation)))
    yield _cut(rng, stem + signs, [stem, *(f"##{sign}" for sign in signs)])
    yield _cut(rng, f"[{stem}]", [f"[{stem[:2]}", f"##{stem[2:]}]"])
    for space in (" ", "\u00a0"):
        yield _cut(rng, f"{space}{stem}{space}", [stem, space, f"##{stem}", f"##{space}"])
        yield _cut(rng, stem + space, [stem, f"##{space}"])


def _drawn(rng: Random, fits: bool) -> tuple[str, list[str]]:
    """A word that can be cut in several ways, and pieces with which the longest match does it.

    If not `fits`, the longest match ends where no piece fits, though there is a way.
    """
    letters = rng.sample("abcdefgh", 3)
    while True:
        word = "".join(rng.choices(letters, k=rng.randint(4, 9)))
        drawn = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(26)]
        known = list(dict.fromkeys(drawn[:8] + [f"##{piece}" for piece in drawn[8:]]))
        found = longest_match(word, dict.fromkeys(known, 0))
        if (found != UNKNOWN) == fits and len(found) > 2 * fits and _ways(word, known) > fits:
            return word, known


def _longest(rng: Random) -> Iterator[Case]:
    for word, known in rng.sample(GREEDY, 3):
        yield _cut(rng, word, known)
    for _ in range(12):
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
    for word, known in rng.sample(DEAD_ENDS, 3):
        yield _cut(rng, word, known)
    for _ in range(8):
        yield _cut(rng, *_drawn(rng, fits=False))


def _any(rng: Random) -> Iterator[Case]:
    x, y, z = rng.sample("abcdefgh", 3)

    def drawn(number: int) -> str:
        return "".join(rng.choices((x, y, z), k=number))

    known = [x, y, z, x + z, *(f"##{piece}" for piece in (x, y, z, x + y, y + z + z))]
    yield _cut(rng, x, known)
    word = z + drawn(rng.randint(6, 8))
    yield _cut(rng, word, known)
    yield _cut(rng, word, [*known, f"##{word[1:4]}"])  # the same word, another vocabulary
    yield _cut(rng, word, [*known[:-1], f"##{word[1:]}"])  # and one as large
    yield _cut(rng, drawn(3), known)
    # xyzz is cut as ##xy ##z ##z, though ##x ##yzz would be fewer pieces.
    yield _cut(rng, drawn(3) + x + y + z + z + drawn(rng.randint(110, 130)), known)
    yield _cut(rng, drawn(3) + x + y + z + z + drawn(rng.randint(260, 290)), known)
    long = drawn(rng.randint(110, 130))
    yield _cut(rng, long, [*known, long[:40], f"##{long[40:105]}", f"##{long[40:43]}"])
    long, end = drawn(540), rng.randint(260, 270)
    yield _cut(rng, long, [*known, long[:end], f"##{long[end:]}", f"##{long[end : end + 9]}"])
    asked = _cut(rng, drawn(3) + z * rng.randint(1010, 1015), known, many=True)
    yield Case(f"{asked.label}, with room for {ROOM} nested calls", _in_little_room(asked))


def _in_little_room(asked: Case) -> Callable[[Answer], Any]:
    """As with a word of thousands of letters, of which it would take too long to ask."""

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

    return ask


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
        "No word starts with a continuation piece",
        "The library `tokenizers`",
    ),
    module=__name__,
)
