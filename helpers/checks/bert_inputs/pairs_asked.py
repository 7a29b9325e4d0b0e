"""Unit 07, “Pairs that give nothing away”: asking an answer for its triples."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from random import Random
from typing import Any

from helpers.checks.engine import Answer, ArgumentChangedError, ResultFormError

Triple = tuple[str, str, int]
WATCHED = 20  # calls, of many


class TooManyDrawsError(Exception):
    """An answer draws again and again, and would do so for ever."""


class CountedRandom(Random):
    """Gives what `Random` gives, and stops who draws for ever."""

    left = most = 1_000_000  # where an answer makes one of its own

    def allow(self, draws: int) -> None:
        """From now on, so many more."""
        self.left = self.most = draws

    def random(self) -> float:
        """As `Random` has it."""
        self._count()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        """As `Random` has it."""
        self._count()
        return super().getrandbits(k)

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooManyDrawsError(
                f"one call drew more than {self.most:,} times. Is there a document for which your "
                "loop can never draw a sentence of another document?"
            )


def called(answer: Answer, documents: list[list[str]], seed: int, times: int) -> list[Any]:
    """What the answer makes of the documents, again and again with one `draw`."""
    draw, made = CountedRandom(seed), []
    sentences = sum(map(len, documents))
    for _ in range(min(times, WATCHED)):
        draw.allow(5_000 + 50 * sentences**2)  # as if all were shuffled for each pair, 50 times
        made.append(triples(answer, documents, draw))
    rest = Random()  # counts nothing, which takes less time
    rest.setstate(draw.getstate())
    return made + [triples(answer, documents, rest) for _ in range(times - len(made))]


def triples(answer: Answer, documents: list[list[str]], draw: Random) -> Any:
    """What the answer makes of the documents, each triple as a plain tuple."""
    given = [[*document] for document in documents]
    found = answer(given, draw)
    if given != documents:
        raise ArgumentChangedError
    if found is not None and not isinstance(found, list | tuple):
        raise ResultFormError(f"it returns {type(found).__name__}, not a list of triples")
    return None if found is None else _plain(found)


def _plain(found: Sequence[Any]) -> list[Triple]:
    """By columns, since library calls are counted here, which makes each call slow."""
    if not _all_are(found, (tuple, list)) or set(map(len, found)) - {3}:
        raise ResultFormError(
            "not all entries of the list are triples (sentence, sentence, 0 or 1)"
        )
    firsts, seconds, labels = zip(*found, strict=True) if found else ((), (), ())
    if not (_all_are(firsts, str) and _all_are(seconds, str) and _all_are(labels, Integral)):
        raise ResultFormError("one of its triples is not (sentence, sentence, 0 or 1)")
    return list(zip(firsts, seconds, map(int, labels), strict=True))


def _all_are(values: Sequence[Any], kinds: Any) -> bool:
    return all(issubclass(kind, kinds) for kind in set(map(type, values)))
