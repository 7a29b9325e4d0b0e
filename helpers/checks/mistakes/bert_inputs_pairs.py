"""Unit 07: what people write instead of fair pairs of sentences."""

from __future__ import annotations

import random
from itertools import pairwise

from helpers.checks.exercise import Mistake
from helpers.inputs import IS_NEXT, NOT_NEXT


def pairs_with_the_book_s_drawing(documents, draw):
    """Any sentence of any document, as d2l draws it."""
    made = []
    for document in documents:
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                made.append((first, draw.choice(draw.choice(documents)), NOT_NEXT))
    return made


def pairs_drawn_by_document(documents, draw):
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                others = [d for n, d in enumerate(documents) if n != number and len(d) > 1]
                made.append((first, draw.choice(draw.choice(others)[1:]), NOT_NEXT))
    return made


def pairs_drawn_from_all_sentences(documents, draw):
    sentences = [(n, each) for n, document in enumerate(documents) for each in document]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = IS_NEXT, number
            if draw.random() < 0.5:
                label = NOT_NEXT
                while other == number:
                    other, second = draw.choice(sentences)
            made.append((first, second, label))
    return made


def pairs_drawn_from_beginnings(documents, draw):
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                others = [d[0] for n, d in enumerate(documents) if n != number]
                made.append((first, draw.choice(others), NOT_NEXT))
    return made


def pairs_drawn_from_ends(documents, draw):
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                others = [d[-1] for n, d in enumerate(documents) if n != number and len(d) > 1]
                made.append((first, draw.choice(others), NOT_NEXT))
    return made


def pairs_drawn_from_the_same_document_too(documents, draw):
    seconds = [each for document in documents for each in document[1:]]
    made = []
    for document in documents:
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                made.append((first, draw.choice(seconds), NOT_NEXT))
    return made


def pairs_drawn_from_the_same_document(documents, draw):
    made = []
    for document in documents:
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                made.append((first, draw.choice(document), NOT_NEXT))
    return made


def pairs_in_turns(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = len(made) % 2, number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


def pairs_half_right_half_wrong_in_order(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = int(2 * len(made) >= len(seconds)), number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


def pairs_with_few_wrong_ones(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = IS_NEXT if draw.random() < 0.85 else NOT_NEXT, number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


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


def pairs_with_labels_swapped(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = int(draw.random() < 0.5), number
            while not label and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


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


def pairs_of_every_other_sentence(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        for first, second in zip(document[::2], document[1::2], strict=False):
            label, other = int(draw.random() < 0.5), number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


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


_EACH, _HALF, _LEAK = (
    "each two neighbours, right or wrong",
    "half of them, by chance",
    "the second sentence alone tells nothing",
)
PAIRS = (
    Mistake(
        pairs_with_the_book_s_drawing,
        "You draw any sentence of any document, the same one included. Some of your wrong seconds "
        "begin a document, which a right one never does, and short documents come too often.",
        (_EACH, _LEAK),
    ),
    Mistake(
        pairs_drawn_by_document,
        "You draw a document first, then a sentence of it. So a sentence of a short document is "
        "drawn more often than one of a long document; right seconds are not chosen so.",
        (_LEAK,),
    ),
    Mistake(
        pairs_drawn_from_all_sentences,
        "Some of your wrong seconds begin their document. A right second never does, so whoever "
        "can tell a beginning knows the label.",
        (_LEAK,),
    ),
    Mistake(
        pairs_drawn_from_beginnings,
        "All your wrong seconds are the first sentence of a document. A right second never is: a "
        "model need not even look at the first sentence.",
        (_LEAK,),
    ),
    Mistake(
        pairs_drawn_from_ends,
        "All your wrong seconds are the last sentence of a document. Right seconds come from "
        "anywhere behind the first.",
        (_LEAK,),
    ),
    Mistake(
        pairs_drawn_from_the_same_document_too,
        "Now and then a wrong second is from the same document, and it may even be the true next "
        "sentence. Draw again when that happens.",
        (_EACH,),
    ),
    Mistake(
        pairs_drawn_from_the_same_document,
        "Your wrong seconds are from the document of the first sentence. They are to come from "
        "any other one.",
        (_EACH, _LEAK),
    ),
    Mistake(
        pairs_in_turns,
        "Right and wrong take turns, so the place in the list gives the label away. Toss a coin "
        "for each pair.",
        (_HALF,),
    ),
    Mistake(
        pairs_half_right_half_wrong_in_order,
        "The first half is right and the second half wrong, so some documents have right pairs "
        "only. Toss a coin for each pair.",
        (_HALF,),
    ),
    Mistake(
        pairs_with_few_wrong_ones,
        "Far from half of your pairs are wrong. 15 % is for the masks; here it is one in two.",
        (_HALF,),
    ),
    Mistake(
        pairs_with_both_seconds,
        "Each first sentence comes twice, once right and once wrong. One triple is asked for: "
        "toss a coin which.",
        (_EACH, _HALF),
    ),
    Mistake(
        pairs_with_labels_swapped,
        "Your labels are the other way round. 0 (IS_NEXT) is the true next sentence.",
        (_EACH,),
    ),
    Mistake(
        pairs_across_documents,
        "You also pair the last sentence of a document with the first of the next one. Those are "
        "no neighbours.",
        (_EACH,),
    ),
    Mistake(
        pairs_of_every_other_sentence,
        "You use each sentence once only. Every two neighbours make a pair: a sentence in the "
        "middle is a second, and then a first.",
        (_EACH,),
    ),
    Mistake(
        pairs_by_another_chance,
        "You draw from Python's own random, so nobody can repeat your pairs. Ask `draw`.",
        (_HALF,),
    ),
)
