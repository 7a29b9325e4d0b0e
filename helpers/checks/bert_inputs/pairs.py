"""Unit 07, “Pairs that give nothing away”: what it asks, and what people write instead.

It asks for exact properties, and counts. Counts stand at least five standard deviations from where
a right answer would be misjudged. Mistakes about where wrong seconds are drawn from are in
pairs_drawings.py.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from statistics import mean
from typing import Any

from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part, changed
from helpers.corpora import inputs
from helpers.corpora.inputs import IS_NEXT, NOT_NEXT

Triple = tuple[str, str, int]


class NotTriplesError(Exception):
    """An answer gives something else than triples (first, second, label)."""


def sentence_pairs(documents: list[list[str]], draw: Random) -> list[tuple[str, str, int]]:
    """A triple (first, second, label) for each two neighbours; half of the seconds are wrong.

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


def _documents(sizes: Sequence[int]) -> list[list[str]]:
    """Sentences that say where they stand, none twice."""
    return [[f"sentence {n} of text {d}" for n in range(size)] for d, size in enumerate(sizes)]


def _place(sentence: str) -> tuple[int, int]:
    """Document and place of a sentence of `_documents`."""
    _, place, _, _, document = sentence.split()
    return int(document), int(place)


def _made(answer: Answer, documents: list[list[str]], seed: int) -> Any:
    """What the answer makes of the documents, each triple as a plain tuple."""
    given = [[*document] for document in documents]
    found = answer(given, Random(seed))
    if given != documents:
        raise ArgumentChangedError
    return None if found is None else [_triple(each) for each in found]


def _triple(found: Any) -> Triple:
    kinds = [type(each) for each in found] if isinstance(found, tuple | list) else []
    if kinds not in ([str, str, int], [str, str, bool]):
        raise NotTriplesError(f"it holds {found!r}, which is no (sentence, sentence, 0 or 1)")
    return found[0], found[1], int(found[2])


def _properties(rng: Random) -> Iterator[Case]:
    sizes = [rng.randint(2, 5) for _ in range(4)] + [1]
    rng.shuffle(sizes)
    documents, seed = _documents(sizes), rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        tries = [_made(answer, documents, seed + n) for n in range(30)]
        if None in tries:
            return None
        triples = [triple for made in tries for triple in made]
        firsts = [sentence for document in documents for sentence in document[:-1]]
        places = [(_place(first), _place(second), label) for first, second, label in triples]
        right = [(first, second) for first, second, label in places if label == IS_NEXT]
        wrong = [(first, second) for first, second, label in places if label == NOT_NEXT]
        return {
            "number of triples": len(tries[0]),
            "first sentences are all but the last of each document, in order": all(
                [first for first, _, _ in made] == firsts for made in tries
            ),
            "both labels, 0 and 1, are there": {label for _, _, label in places} == {0, 1},
            "label 0: the second follows the first": all(b == (a[0], a[1] + 1) for a, b in right),
            "label 1: the second is from another document": all(a[0] != b[0] for a, b in wrong),
        }

    yield Case(f"documents of {', '.join(map(str, sizes))} sentences, 30 draws", ask)


def _about(fraction: float, wanted: float, margin: float) -> str:
    return f"about {wanted:g}" if abs(fraction - wanted) < margin else f"{fraction:.1f}"


def _proportions(rng: Random) -> Iterator[Case]:
    sizes = [rng.randint(2, 9) for _ in range(350)]
    documents, seed = _documents(sizes), rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        once, again = (_made(answer, documents, seed) for _ in range(2))
        if not once:
            return None if once is None else "no triples"
        other = [label for *_, label in _made(answer, documents, seed + 1)]
        labels = [label for *_, label in once]
        return {
            "fraction of label 1": _about(mean(labels), 0.5, 0.07),
            "fraction of triples with the label of the one before": _about(
                mean(a == b for a, b in pairwise(labels)), 0.5, 0.07
            ),
            "fraction of labels that another draw leaves as they are": _about(
                mean(a == b for a, b in zip(labels, other, strict=False)), 0.5, 0.07
            ),
            "the same draw gives the same triples": once == again,
        }

    yield Case(f"{len(sizes)} documents with {sum(sizes) - len(sizes):,} neighbours", ask)


def _leaks(rng: Random) -> Iterator[Case]:
    """As many short documents as long ones, with one second sentence against `long`."""
    long = rng.randint(15, 19)
    sizes = [2, long + 1] * 50
    documents, seed = _documents(sizes), rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        made = _made(answer, documents, seed)
        if not made:
            return None if made is None else "no triples"
        wrong = [_place(second) for _, second, label in made if label == NOT_NEXT]
        begins = mean(place == 0 for _, place in wrong) if wrong else 0
        short = mean(sizes[document] == 2 for document, _ in wrong) if wrong else 0
        later = [place for document, place in wrong if sizes[document] > 2]
        off = mean(later) - (long + 1) / 2 if later else 0
        return {
            "pairs with label 1": "many" if len(wrong) > 100 else "few",
            "of their seconds, those that begin a document": (
                "none" if not begins else "some" if begins < 0.9 else "most"
            ),
            "of their seconds, those from documents of two sentences": (
                "none" if not short else "as among all seconds" if short < 0.15 else "too many"
            ),
            "place of their seconds in long documents": (
                "anywhere" if abs(off) < 2 else "too late" if off > 0 else "too early"
            ),
            "their seconds are from many documents": len({n for n, _ in wrong}) > 40,
        }

    yield Case(f"50 documents of 2 sentences and 50 of {long + 1}", ask)


pairs = Exercise(
    "pairs",
    sentence_pairs,
    (
        Part("each two neighbours, right or wrong", 0.5, _properties),
        Part("half of them, by chance", 0.5, _proportions),
        Part("the second sentence alone tells nothing", 0.5, _leaks),
    ),
    forbidden=(inputs.pairs, inputs._another),
)


@pairs.mistake(
    "Right and wrong take turns, so the place in the list gives the label away. Toss a coin "
    "for each pair.",
    loses="half of them, by chance",
)
@changed(sentence_pairs, "IS_NEXT if draw.random() < 0.5 else NOT_NEXT", "len(made) % 2")
def pairs_in_turns(): ...


@pairs.mistake(
    "The first half is right and the second half wrong, so some documents have right pairs "
    "only. Toss a coin for each pair.",
    loses="half of them, by chance",
)
@changed(
    sentence_pairs,
    "IS_NEXT if draw.random() < 0.5 else NOT_NEXT",
    "int(2 * len(made) >= len(seconds))",
)
def pairs_half_right_half_wrong_in_order(): ...


@pairs.mistake(
    "Far from half of your pairs are wrong. 15 % is for the masks; here it is one in two.",
    loses="half of them, by chance",
)
@changed(sentence_pairs, "< 0.5", "< 0.85")
def pairs_with_few_wrong_ones(): ...


@pairs.mistake(
    "Each first sentence comes twice, once right and once wrong. One triple is asked for: "
    "toss a coin which.",
    loses=("each two neighbours, right or wrong", "half of them, by chance"),
)
def pairs_with_both_seconds(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            made.append((first, second, IS_NEXT))
            other = number
            while other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, NOT_NEXT))
    return made


@pairs.mistake(
    "Your labels are the other way round. 0 (IS_NEXT) is the true next sentence.",
    loses="each two neighbours, right or wrong",
)
@changed(sentence_pairs, "append((first, second, label))", "append((first, second, 1 - label))")
def pairs_with_labels_swapped(): ...


@pairs.mistake(
    "You also pair the last sentence of a document with the first of the next one. Those are "
    "no neighbours.",
    loses="each two neighbours, right or wrong",
)
def pairs_across_documents(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    every = [(n, each) for n, document in enumerate(documents) for each in document]
    made = []
    for (number, first), (_, second) in pairwise(every):
        label, other = int(draw.random() < 0.5), number
        while label == NOT_NEXT and other == number:
            other, second = draw.choice(seconds)
        made.append((first, second, label))
    return made


@pairs.mistake(
    "You use each sentence once only. Every two neighbours make a pair: a sentence in the "
    "middle is a second, and then a first.",
    loses="each two neighbours, right or wrong",
)
@changed(sentence_pairs, "pairwise(document)", "zip(document[::2], document[1::2], strict=False)")
def pairs_of_every_other_sentence(): ...


@pairs.mistake(
    "You draw from Python's own random, so nobody can repeat your pairs. Ask `draw`.",
    loses="half of them, by chance",
)
def pairs_by_another_chance(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = int(random.random() < 0.5), number
            while label == NOT_NEXT and other == number:
                other, second = random.choice(seconds)
            made.append((first, second, label))
    return made
