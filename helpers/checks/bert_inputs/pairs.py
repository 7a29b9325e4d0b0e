"""Unit 07, “Pairs that give nothing away”: what it asks, of one call and of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from numbers import Integral
from random import Random
from typing import Any

import torch

from helpers.checks.bert_inputs import common
from helpers.checks.engine import IN_PLACE, Answer, Case, CheckError, Exercise, Part, unchanged
from helpers.corpora import inputs
from helpers.corpora.inputs import IS_NEXT, NOT_NEXT

Triple = tuple[str, str, int]
CALLS = 500
DRAWS = 1_000_000  # of one call, which no right answer needs


def sentence_pairs(documents: list[list[str]], draw: Random) -> list[Triple]:
    """Return (first, second, label) for each two neighbours; half of the seconds are wrong.

    A wrong second is drawn evenly from all sentences of other documents that follow another one.
    """
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label = IS_NEXT if draw.random() < 0.5 else NOT_NEXT
            other = number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


class TooManyDrawsError(Exception):
    """An answer draws again and again, and would do so for ever."""


class CountedRandom(Random):
    """A `Random` that stops who draws for ever."""

    left = DRAWS

    def random(self) -> float:
        """Draw as `Random` does."""
        self._count()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        """Draw as `Random` does."""
        self._count()
        return super().getrandbits(k)

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooManyDrawsError(
                f"one call drew more than {DRAWS:,} times. Is there a document for which your "
                "loop can never draw a sentence of another document?"
            )


def _called(answer: Answer, documents: list[list[str]], seed: int, times: int) -> list[Any]:
    """Return what the answer makes of the documents, again and again with one `draw`."""
    draw = CountedRandom(seed)
    made = []
    for _ in range(times):
        draw.left = DRAWS
        given = [[*document] for document in documents]
        found = answer(given, draw)
        if given != documents:  # to look at each sentence takes long
            unchanged((given,), (documents,))
        made.append(_plain(found))
    return made


def _plain(found: Any) -> list[Triple]:
    """Return the triples as plain tuples."""
    if not isinstance(found, list | tuple):
        raise CheckError(f"expected a list of triples, found {type(found).__name__}")
    columns = [*zip(*found, strict=True)] if {*map(type, found)} <= {tuple, list} else []
    kinds = (str, str, Integral)
    if found and not (
        len(columns) == 3
        and all(
            isinstance(each, kind)
            for column, kind in zip(columns, kinds, strict=True)
            for each in column
        )
    ):
        raise CheckError("expected triples (sentence, sentence, 0 or 1) only")
    return [(first, second, int(label)) for first, second, label in found]


def _documents(sizes: list[int]) -> list[list[str]]:
    """Make sentences whose order is not that of the alphabet, nor that of documents."""
    return [
        [f"Sentence {size - n} of text {len(sizes) - d}." for n in range(size)]
        for d, size in enumerate(sizes)
    ]


def _neighbours(documents: list[list[str]]) -> list[tuple[int, str, str]]:
    return [(n, *each) for n, document in enumerate(documents) for each in pairwise(document)]


def _properties(rng: Random) -> Iterator[Case]:
    sizes = [rng.randint(2, 5) for _ in range(4)] + [1]
    for each in (rng.sample(sizes, 5), [3, 1, 2, 1], [2, 2]):
        yield _exact(rng, _documents(each))
    twice = _documents([6, 1, 5])
    twice[0][3] = twice[0][0]  # a sentence that comes twice, with another neighbour each time
    twice[2][4] = twice[2][3]  # and one twice in succession
    yield _exact(rng, twice, ", two of them twice")


def _exact(rng: Random, documents: list[list[str]], more: str = "") -> Case:
    seed, neighbours = rng.randrange(1000), _neighbours(documents)

    def ask(answer: Answer) -> Any:
        tries = _called(answer, documents, seed, 40)
        wrong, labels = {IS_NEXT: False, NOT_NEXT: False}, set()
        for made in tries:
            for (number, _, true), (_, second, label) in zip(neighbours, made, strict=False):
                elsewhere = any(second in d for n, d in enumerate(documents) if n != number)
                right = second == true if label == IS_NEXT else elsewhere
                wrong[IS_NEXT if label == IS_NEXT else NOT_NEXT] |= not right
                labels.add(label)
        return {
            "number of triples": len(tries[0]),
            "first sentences": [first for first, _, _ in tries[0]],
            "labels": sorted(labels),
            "with label 0, the second is the true next sentence": not wrong[IS_NEXT],
            "with label 1, the second is from another document": not wrong[NOT_NEXT],
        }

    sizes = ", ".join(str(len(document)) for document in documents)
    return Case(f"documents of {sizes} sentences{more}, 40 draws", ask)


def _library(rng: Random) -> tuple[list[list[str]], str, int]:
    """Draw documents, a short one and a long one among them, and say what is asked of them."""
    sizes = rng.sample([1, 2, 3, rng.randint(4, 6), rng.randint(9, 11), rng.randint(14, 17)], 6)
    label = f"documents of {', '.join(map(str, sizes))} sentences, {CALLS} draws"
    return _documents(sizes), label, rng.randrange(1000)


def _proportions(rng: Random) -> Iterator[Case]:
    documents, label, seed = _library(rng)

    def ask(answer: Answer) -> Any:
        once, again, other = (_called(answer, documents, each, 1) for each in (seed, seed, ~seed))
        made = _called(answer, documents, seed, CALLS)
        if len({*map(len, made)}) > 1:
            raise CheckError("the number of triples is not the same at each call")
        labels = torch.tensor([[label == NOT_NEXT for *_, label in each] for each in made])
        return {
            "the same draw gives the same triples": once == again,
            "another draw gives different triples": once != other,
            "of label 1, calls being rows": common.independent(labels, labels >= 0, 0.5),
        }

    yield Case(label, ask)


def _leaks(rng: Random) -> Iterator[Case]:
    documents, label, seed = _library(rng)
    longest = max(documents, key=len)
    longest[3:6] = [longest[0], longest[2], longest[2]]  # all count, wherever they stand
    another = next(each for each in documents if each is not longest and len(each) > 2)
    another[1] = longest[1]  # a sentence that two documents share may be drawn for both
    neighbours = _neighbours(documents)
    pools = [
        [s for n, d in enumerate(documents) if n != number for s in d[1:]]
        for number in range(len(documents))
    ]
    shared = {(documents.index(each), longest[1]) for each in (longest, another)}
    own = [{*document} - {*pool} for document, pool in zip(documents, pools, strict=True)]
    beginnings = {d[0] for d in documents} - {s for d in documents for s in d[1:]}

    def ask(answer: Answer) -> Any:
        made = _called(answer, documents, seed, CALLS)
        if {*map(len, made)} != {len(neighbours)}:
            return {"number of triples": len(made[0])}
        drawn = [
            (number, second)
            for triples in made
            for (number, *_), (_, second, label) in zip(neighbours, triples, strict=True)
            if label == NOT_NEXT
        ]
        found, expected = Counter(second for _, second in drawn), Counter[str]()
        for number, times in Counter(number for number, _ in drawn).items():
            for each in pools[number]:
                expected[each] += times / len(pools[number])  # type: ignore[assignment]
        counts = torch.tensor([[found[each], hope] for each, hope in expected.items()])
        again = sum(one == other for one, other in pairwise(drawn))
        return {
            "number of triples": len(made[0]),
            "second sentences that only begin a document": any(found[s] for s in beginnings),
            "the one that also stands there again": found[longest[0]] > 0,
            "a sentence that two documents share, drawn for both": shared <= {*drawn},
            "with label 1, seconds from the same document": any(s in own[n] for n, s in drawn),
            "each possible second sentence": common.evenly(*counts.T),
            "the same wrong one for most pairs of a document": again > len(drawn) / 4,
        }

    yield Case(label, ask)


pairs = Exercise(
    "pairs",
    sentence_pairs,
    (
        Part("each two neighbours, right or wrong", 0.5, _properties),
        Part("half of them, by chance", 0.5, _proportions),
        Part("the second sentence alone tells nothing", 0.5, _leaks),
    ),
    forbidden=(inputs.pairs, inputs._another),
    explains=("A quick way is to draw again",),
    generic={"`documents` is a list of lists of sentences": IN_PLACE},
    module=__name__,
)
