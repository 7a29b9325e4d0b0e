"""Unit 07, “Pairs that give nothing away”: which pairs people make instead, with which labels."""

from __future__ import annotations

import random
from itertools import pairwise

from helpers.checks.bert_inputs.pairs import pairs, sentence_pairs
from helpers.checks.engine import changed
from helpers.corpora.inputs import IS_NEXT, NOT_NEXT


@pairs.mistake(
    "Right and wrong pairs alternate, so the position in the list gives the label away. Toss a "
    "coin for each pair.",
    loses="half of them, by chance",
    breaks="an independent fair coin for each pair",
)
@changed(sentence_pairs, "IS_NEXT if draw.random() < 0.5 else NOT_NEXT", "len(made) % 2")
def pairs_in_turns(): ...


@pairs.mistake(
    "The first half is right and the second half wrong, so some documents have only right "
    "pairs. Toss a coin for each pair.",
    loses="half of them, by chance",
)
@changed(
    sentence_pairs,
    "IS_NEXT if draw.random() < 0.5 else NOT_NEXT",
    "int(2 * len(made) >= len(seconds))",
)
def pairs_half_right_half_wrong_in_order(): ...


@pairs.mistake(
    "Far fewer than half of your pairs are wrong. 15 % is for the masks; here it is one in two.",
    loses="half of them, by chance",
    breaks="with probability 1/2",
)
@changed(sentence_pairs, "< 0.5", "< 0.85")
def pairs_with_few_wrong_ones(): ...


@pairs.mistake(
    "Each first sentence comes twice, once right and once wrong. Return one triple for each pair: "
    "toss a coin to decide which.",
    breaks="one for each pair of neighbouring sentences",
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
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="(first, second, 0) for a true next sentence",
)
@changed(sentence_pairs, "append((first, second, label))", "append((first, second, 1 - label))")
def pairs_with_labels_swapped(): ...


@pairs.mistake(
    "You also pair the last sentence of a document with the first of the next one. Those are not "
    "neighbours.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="A document may have one sentence only",
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
    "You use each sentence only once. Every two neighbours make a pair, so a sentence in the "
    "middle is the second of one pair and the first of the next.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="`first` is always the first of the two",
)
@changed(sentence_pairs, "pairwise(document)", "zip(document[::2], document[1::2], strict=False)")
def pairs_of_every_other_sentence(): ...


@pairs.mistake(
    "Not all your random numbers come from `draw`: Python's own random, or PyTorch's, is another "
    "source, and your pairs cannot be repeated.",
    loses="half of them, by chance",
    breaks="`draw` is a `random.Random`",
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


@pairs.mistake(
    "You make as many wrong pairs as right ones, and shuffle. The last label then follows from the "
    "others: toss a coin for each pair.",
    loses="half of them, by chance",
    breaks="an independent fair coin for each pair",
)
def pairs_half_of_them_exactly(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    labels = [n % 2 for n in range(len(seconds))]
    draw.shuffle(labels)
    made = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label, other = labels[len(made)], number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


@pairs.mistake(
    "You toss one coin for a whole document, so its pairs are all right or all wrong. Toss one "
    "for each pair.",
    loses="half of them, by chance",
    breaks="an independent fair coin for each pair",
)
def pairs_with_a_coin_for_each_document(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        label = int(draw.random() < 0.5)
        for first, second in pairwise(document):
            other = number
            while label == NOT_NEXT and other == number:
                other, second = draw.choice(seconds)
            made.append((first, second, label))
    return made


@pairs.mistake(
    "A little more than half of your pairs have one label. Both labels must be equally likely.",
    loses="half of them, by chance",
    breaks="with probability 1/2",
)
@changed(sentence_pairs, "< 0.5", "< 0.55")
def pairs_with_a_few_more_right_ones(): ...


@pairs.mistake(
    "All your draws are the same: you make a random generator with a seed of your own, or seed "
    "`draw` again. Use `draw` as it is given.",
    loses=("half of them, by chance", "the second sentence alone tells nothing"),
    breaks="all chance comes from it",
)
@changed(sentence_pairs, "made = []", "made, draw = [], type(draw)(0)")
def pairs_by_a_seed_of_their_own(): ...


@pairs.mistake(
    "You look a sentence up by its text to find what follows, and find its first occurrence. "
    "A sentence may come twice: go by its position.",
    loses="each two neighbours, right or wrong",
    breaks=("`second` is the true next sentence", "a document may hold a sentence twice"),
)
@changed(
    sentence_pairs,
    "made.append((first, second, label))",
    "second = second if label else document[document.index(first) + 1]\n"
    "            made.append((first, second, label))",
)
def pairs_found_by_their_text(): ...


@pairs.mistake(
    "You leave out neighbours with the same text. Every two neighbours make a triple.",
    loses="each two neighbours, right or wrong",
    breaks=("one for each pair of neighbouring sentences", "a document may hold a sentence twice"),
)
@changed(
    sentence_pairs,
    "            label = IS",
    "            if first == second:\n                continue\n            label = IS",
)
def pairs_without_repetitions(): ...


@pairs.mistake(
    "You sort the documents. The triples are to come in the order of the text.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="in the order of the text",
)
@changed(sentence_pairs, "    seconds = ", "    documents = sorted(documents)\n    seconds = ")
def pairs_in_alphabetical_order(): ...


@pairs.mistake(
    "Your sentences are no longer those of the documents: something in them has changed, such as "
    "capitals or the full stop. Take them as they are.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="`second` is the true next sentence",
)
@changed(
    sentence_pairs,
    "append((first, second, label))",
    "append((first.lower(), second.lower(), label))",
)
def pairs_in_lower_case(): ...
