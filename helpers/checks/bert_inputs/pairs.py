"""Unit 07, “Pairs that give nothing away”: what it asks, and what people write instead.

It asks for exact properties, and counts over many calls; see chance.py and pairs_counted.py.
Mistakes are in pairs_labels.py and, about where wrong seconds are drawn from, in
pairs_drawings.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from random import Random
from typing import Any

import torch

from helpers.checks.bert_inputs import chance, pairs_counted
from helpers.checks.bert_inputs.pairs_asked import called
from helpers.checks.engine import Answer, Case, Exercise, Part, ResultFormError
from helpers.checks.engine.faults import IN_PLACE
from helpers.corpora import inputs
from helpers.corpora.inputs import IS_NEXT, NOT_NEXT


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
    """Sentences, none twice, whose order is not that of the alphabet, nor that of documents.

    They begin with a capital and end with a full stop, which are part of them.
    """
    last = len(sizes)
    return [
        [f"Sentence {size - n} of text {last - d}." for n in range(size)]
        for d, size in enumerate(sizes)
    ]


def _properties(rng: Random) -> Iterator[Case]:
    sizes = [rng.randint(2, 5) for _ in range(4)] + [1]
    rng.shuffle(sizes)
    yield _exact(rng, sizes, _documents(sizes))
    for sizes in ([3, 1, 2, 1], [1, 2, 4], [2, 2]):
        yield _exact(rng, sizes, _documents(sizes))
    sizes = [6, 1, 5]
    twice = _documents(sizes)
    twice[0][3] = twice[0][0]  # a sentence that comes twice, with another neighbour each time
    twice[2][2] = twice[2][0]
    twice[2][4] = twice[2][3]  # and one twice in succession
    yield _exact(rng, sizes, twice, ", three of them twice")
    yield _long(rng)


def _long(rng: Random) -> Case:
    sizes, seed = [3, rng.randint(105, 120)], rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        (made,) = called(answer, _documents(sizes), seed, 1)
        return None if made is None else {"number of triples": len(made)}

    return Case(f"documents of {sizes[0]} and {sizes[1]} sentences", ask)


def _exact(rng: Random, sizes: list[int], documents: list[list[str]], more: str = "") -> Case:
    seed = rng.randrange(1000)
    neighbours = [(n, *each) for n, document in enumerate(documents) for each in pairwise(document)]
    every = {(n, each) for n, document in enumerate(documents) for each in document}

    def ask(answer: Answer) -> Any:
        tries = called(answer, documents, seed, 40)
        if None in tries:
            return None
        wrong, places = Counter[str](), set()
        for made in tries:
            for (number, _, true), (_, second, label) in zip(neighbours, made, strict=False):
                elsewhere = {n for n, each in every if each == second} - {number}
                wrong["0"] += label == IS_NEXT and second != true
                wrong["1"] += label != IS_NEXT and not elsewhere
                places.add(label)
        return {
            "number of triples": len(tries[0]),
            "first sentences": [first for first, _, _ in tries[0]],
            "labels": sorted(places),
            "with label 0, the second is the true next sentence": not wrong["0"],
            "with label 1, the second is from another document": not wrong["1"],
        }

    return Case(f"documents of {', '.join(map(str, sizes))} sentences{more}, 40 draws", ask)


CALLS = 900


def _many(answer: Answer, sizes: Sequence[int], seed: int) -> Any:
    """Labels and places of the seconds of many calls with one `draw`: (calls, N), (calls, N, 2).

    None where the answer returns nothing.

    Raises:
        ResultFormError: it gives no triples.
    """
    documents = _documents(sizes)
    places = [(d, n) for d, size in enumerate(sizes) for n in range(size)]
    numbers = {sentence: n for n, sentence in enumerate(chain(*documents))}
    made = called(answer, documents, seed, CALLS)
    if None in made:
        return None
    if not made[0] or len(set(map(len, made))) > 1:
        raise ResultFormError("it returns no triples, or not the same number at each call")
    columns = [tuple(zip(*each, strict=True)) for each in made]
    where = torch.tensor([list(map(numbers.get, seconds, repeat(-1))) for _, seconds, _ in columns])
    labels = torch.tensor([each for *_, each in columns])
    return labels, torch.tensor([*places, (-1, -1)])[where]


def _sizes(rng: Random) -> list[int]:
    """A short document, a long one and others, in any order."""
    return rng.sample([1, 2, 3, rng.randint(4, 6), rng.randint(9, 11), rng.randint(14, 17)], 6)


def _proportions(rng: Random) -> Iterator[Case]:
    sizes, seed = _sizes(rng), rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        starts = (seed, seed, seed + 1)
        once, again, other = (called(answer, _documents(sizes), each, 1) for each in starts)
        found = _many(answer, sizes, seed)
        if not isinstance(found, tuple):
            return found
        labels = found[0].bool()
        rows, columns = labels.shape
        calls = torch.full((rows,), columns)
        return {
            "the same draw gives the same triples": once == again,
            "another draw gives different triples": once != other,
            "fraction of label 1": chance.about(int(labels.sum()), labels.numel(), 0.5),
            "how much this differs from pair to pair": chance.spread(
                labels.sum(0), torch.full((columns,), rows)
            ),
            "how much this differs from call to call": chance.spread(labels.sum(1), calls),
            "labels of two pairs in a row": chance.together(
                labels[:, 1:].flatten(), labels[:, :-1].flatten()
            ),
            "labels of a pair and the next but one": chance.together(
                labels[:, 2:].flatten(), labels[:, :-2].flatten()
            ),
            "labels of two calls": chance.together(labels[1:].flatten(), labels[:-1].flatten()),
        }

    yield Case(f"documents of {', '.join(map(str, sizes))} sentences, {CALLS:,} draws", ask)


def _leaks(rng: Random) -> Iterator[Case]:
    sizes, seed = _sizes(rng), rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        found = _many(answer, sizes, seed)
        return pairs_counted.drawn(sizes, *found) if isinstance(found, tuple) else found

    yield Case(f"documents of {', '.join(map(str, sizes))} sentences, {CALLS:,} draws", ask)
    yield _repeated(rng, seed)
    yield _twins(rng, seed)
    yield _library(rng, seed)


def _twins(rng: Random, seed: int) -> Case:
    """Two documents that read alike are two documents: each is the other's other one."""
    twin, other = _documents([rng.randint(4, 6)] * 2)

    def ask(answer: Answer) -> Any:
        made = called(answer, [twin, other, twin], seed, CALLS // 3)
        if None in made:
            return None
        pairs = [triple for each in made for triple in each]
        drawn = [s for first, s, label in pairs if first in twin and label == NOT_NEXT]
        often = chance.about(sum(second in twin for second in drawn), len(drawn), 0.5)
        return {"where two documents read alike, second sentences from the other one": often}

    return Case(f"3 documents, two of which read alike, {CALLS // 3:,} draws", ask)


def _repeated(rng: Random, seed: int) -> Case:
    """A sentence that a document holds three times is drawn three times as often.

    Its first sentence is drawn where it stands again.
    """
    documents = _documents([6, 6])
    for document in documents:
        document[1:] = rng.sample(["again", "again", "again", document[0], document[1]], 5)

    def ask(answer: Answer) -> Any:
        made = called(answer, documents, seed, CALLS // 2)
        if None in made:
            return None
        drawn = [second for each in made for _, second, label in each if label == NOT_NEXT]
        firsts = sum(second in (documents[0][0], documents[1][0]) for second in drawn)
        return {
            "fraction of the sentence that each document holds three times": chance.about(
                drawn.count("again"), len(drawn), 0.6
            ),
            "fraction of sentences that begin a document and stand in it again": chance.about(
                firsts, len(drawn), 0.2
            ),
        }

    return Case(f"2 documents of 6 sentences, {CALLS // 2:,} draws", ask)


def _library(rng: Random, seed: int) -> Case:
    """Far more documents and sentences than a list that is cut anywhere would hold."""
    sizes = [rng.randint(19, 25) for _ in range(60)]
    documents = _documents(sizes)
    place = {s: n for n, document in enumerate(documents) for s in document}
    regions = {
        "second sentences from the last ten documents": lambda number: range(50, 60),
        "second sentences from documents more than 30 before or after": lambda number: [
            n for n in range(60) if abs(n - number) > 30
        ],
    }

    def ask(answer: Answer) -> Any:
        made = called(answer, documents, seed, 3)
        if None in made:
            return None
        wrong = [
            (place.get(first, 0), place.get(second, -1))
            for each in made
            for first, second, label in each
            if label == NOT_NEXT
        ]
        return {name: pairs_counted.region(sizes, wrong, of) for name, of in regions.items()}

    return Case(f"60 documents with {sum(sizes):,} sentences in all, 3 draws", ask)


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
    generic={
        "`documents` is a list of lists of sentences": IN_PLACE,
    },
    module=__name__,
)
