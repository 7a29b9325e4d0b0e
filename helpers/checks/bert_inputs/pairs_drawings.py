"""Unit 07, “Pairs that give nothing away”: where people draw the wrong second sentences from."""

from __future__ import annotations

from itertools import pairwise

from helpers.checks.bert_inputs.pairs import pairs, sentence_pairs
from helpers.checks.engine import changed
from helpers.corpora.inputs import IS_NEXT, NOT_NEXT


@pairs.mistake(
    "You draw any sentence of any document, the same one included. Some of your wrong second "
    "sentences begin a document, which a right one never does, and short documents are drawn too "
    "often.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
)
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


@pairs.mistake(
    "You draw a document first, then a sentence of it. So a sentence of a short document is drawn "
    "more often than one of a long document, which is not so for right second sentences.",
    loses="the second sentence alone tells nothing",
    breaks="drawn evenly from **all sentences",
)
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


@pairs.mistake(
    "Some of your wrong second sentences begin their document. A right one never does, so a model "
    "that recognises a beginning knows the label.",
    loses="the second sentence alone tells nothing",
    breaks="drawn evenly from **all sentences",
)
@changed(sentence_pairs, "in document[1:]", "in document")
def pairs_drawn_from_all_sentences(): ...


@pairs.mistake(
    "All your wrong second sentences are the first of a document. A right one never is: a model "
    "need not even look at the first sentence of the pair.",
    loses="the second sentence alone tells nothing",
)
@changed(sentence_pairs, "in document[1:]", "in document[:1]")
def pairs_drawn_from_beginnings(): ...


@pairs.mistake(
    "You leave out each sentence with the same text as the first one of its document. Where that "
    "text stands in the document again, it is not the first sentence, so it may be drawn: compare "
    "positions.",
    loses="the second sentence alone tells nothing",
    breaks=("sentences of other documents", "a document may hold a sentence twice"),
)
@changed(
    sentence_pairs,
    "for each in document[1:]]",
    "for each in document[1:] if each != document[0]]",
)
def pairs_without_copies_of_the_first(): ...


@pairs.mistake(
    "Your list leaves out documents of two sentences, so their second sentences are never drawn. "
    "Where nothing else is left, your loop draws forever.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="drawn evenly from **all sentences",
)
@changed(
    sentence_pairs,
    "for each in document[1:]]",
    "for each in document[1:] if len(document) > 2]",
)
def pairs_without_short_documents(): ...


@pairs.mistake(
    "All your wrong second sentences are the last of a document. Right ones stand anywhere after "
    "the first.",
    loses="the second sentence alone tells nothing",
)
@changed(sentence_pairs, "in document[1:]", "in document[1:][-1:]")
def pairs_drawn_from_ends(): ...


@pairs.mistake(
    "Now and then a wrong second sentence is from the same document, and it may even be the true "
    "next sentence. Draw again when that happens.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="sentences of other documents",
)
@changed(sentence_pairs, "while label == NOT_NEXT and other == number", "if label == NOT_NEXT")
def pairs_drawn_from_the_same_document_too(): ...


@pairs.mistake(
    "Your wrong second sentences come from the document of the first sentence. Draw them from the "
    "other documents.",
    loses=("each two neighbours, right or wrong", "the second sentence alone tells nothing"),
    breaks="(first, second, 1) for one from elsewhere",
)
def pairs_drawn_from_the_same_document(documents, draw):
    made = []
    for document in documents:
        for first, second in pairwise(document):
            if draw.random() < 0.5:
                made.append((first, second, IS_NEXT))
            else:
                made.append((first, draw.choice(document), NOT_NEXT))
    return made


@pairs.mistake(
    "All wrong second sentences for a document come from the document after it. Draw them from all "
    "other documents.",
    loses="the second sentence alone tells nothing",
    breaks="drawn evenly from **all sentences",
)
def pairs_drawn_from_the_following_document(documents, draw):
    made = []
    for number, document in enumerate(documents):
        behind = [*documents[number + 1 :], *documents[:number]]
        for first, second in pairwise(document):
            label = int(draw.random() < 0.5)
            if label == NOT_NEXT:
                second = draw.choice(next(d for d in behind if len(d) > 1)[1:])
            made.append((first, second, label))
    return made


@pairs.mistake(
    "You tell documents apart by their text. Two with the same text are still two documents: "
    "compare their numbers.",
    loses="the second sentence alone tells nothing",
    breaks="sentences of other documents",
)
@changed(
    sentence_pairs,
    "while label == NOT_NEXT and other == number",
    "while label == NOT_NEXT and documents[other] == document",
)
def pairs_of_documents_that_read_otherwise(): ...


@pairs.mistake(
    "You draw one wrong second sentence for all pairs of a document. Draw again for each pair.",
    loses="the second sentence alone tells nothing",
    breaks="an independent fair coin for each pair",
)
def pairs_with_one_second_for_each_document(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    made = []
    for number, document in enumerate(documents):
        wrong = [each for n, each in seconds if n != number]
        wrong = draw.choice(wrong) if wrong else ""
        for first, second in pairwise(document):
            label = int(draw.random() < 0.5)
            made.append((first, wrong if label == NOT_NEXT else second, label))
    return made


@pairs.mistake(
    "Your wrong second sentences are all different, because each can be drawn only once. For each "
    "pair, draw from all of them.",
    loses="the second sentence alone tells nothing",
    breaks="drawn evenly from **all sentences",
)
def pairs_that_use_seconds_up(documents, draw):
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]
    rest, made = [], []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label = int(draw.random() < 0.5)
            if label == NOT_NEXT:
                if all(n == number for n, _ in rest):
                    rest = draw.sample(seconds, len(seconds))
                drawn = next(each for each in rest if each[0] != number)
                rest.remove(drawn)
                second = drawn[1]
            made.append((first, second, label))
    return made
