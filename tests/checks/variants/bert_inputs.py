"""Unit 07, right answers written differently: recursion, slices, sorting, one drawing for all."""

from __future__ import annotations

import random
from itertools import pairwise

from tests.checks.variants.bert_inputs_tensors import MASK_WORDS, PADDING, VECTORS


def pieces_as_in_google_s_code(word, vocabulary):
    chars, start, pieces = list(word), 0, []
    while start < len(chars):
        end, found = len(chars), None
        while start < end:
            substring = "".join(chars[start:end])
            if start > 0:
                substring = "##" + substring
            if substring in vocabulary:
                found = substring
                break
            end -= 1
        if found is None:
            return ["[UNK]"]
        pieces.append(found)
        start = end
    return pieces


def pieces_eating_the_word(word, vocabulary):
    pieces, mark = [], ""
    while word:
        lengths = [n for n in range(1, len(word) + 1) if mark + word[:n] in vocabulary]
        if not lengths:
            return ["[UNK]"]
        pieces.append(mark + word[: max(lengths)])
        word, mark = word[max(lengths) :], "##"
    return pieces


def pieces_by_the_vocabulary(word, vocabulary):
    known = sorted(vocabulary, key=len, reverse=True)
    rest, pieces = word, []
    while rest:
        for piece in known:
            if piece.startswith("##") == bool(pieces) and rest.startswith(piece.removeprefix("##")):
                pieces.append(piece)
                rest = rest[len(piece.removeprefix("##")) :]
                break
        else:
            return ["[UNK]"]
    return pieces


def pieces_as_a_tuple(word, vocabulary):
    pieces, known = (), set(vocabulary)
    start = 0
    while start < len(word):
        end = len(word)
        while end > start and ("##" * bool(start) + word[start:end]) not in known:
            end -= 1
        if end == start:
            return ("[UNK]",)
        pieces += ("##" * bool(start) + word[start:end],)
        start = end
    return pieces


def row_by_slices(first, second, length):
    room = length - 3
    if len(first) + len(second) > room:
        a = min(len(first), max(room - len(second), (room + 1) // 2))
        first, second = first[:a], second[: room - a]
    tokens = [2, *first, 3, *second, 3]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [0] * rest, segments + [0] * rest


def row_by_filling(first, second, length):
    a, b = len(first), len(second)
    while a + b + 3 > length:
        if a > b:
            a -= 1
        else:
            b -= 1
    tokens, segments = [0] * length, [0] * length
    tokens[0] = 2
    tokens[1 : a + 1] = first[:a]
    tokens[a + 1] = 3
    tokens[a + 2 : a + 2 + b] = second[:b]
    tokens[a + 2 + b] = 3
    segments[a + 2 : a + 3 + b] = [1] * (b + 1)
    return tokens, segments


def row_in_tensors(first, second, length):
    import torch

    first, second = first[:], second[:]
    while len(first) + len(second) > length - 3:
        if len(first) > len(second):
            del first[-1]
        else:
            del second[-1]
    ids = torch.tensor([2, *first, 3, *second, 3])
    tokens = torch.nn.functional.pad(ids, (0, length - len(ids)))
    place = torch.arange(length)
    segments = ((place > len(first) + 1) & (place < len(ids))).long()
    return tokens, segments


def row_by_recursion(first, second, length):
    if len(first) + len(second) + 3 > length:
        if len(first) > len(second):
            return row_by_recursion(first[:-1], second, length)
        return row_by_recursion(first, second[:-1], length)
    row = [(2, 0), *((t, 0) for t in first), (3, 0), *((t, 1) for t in second), (3, 1)]
    row += [(0, 0)] * (length - len(row))
    return tuple(zip(*row, strict=True))


def pairs_by_lists_of_others(documents, draw):
    made = []
    for number, document in enumerate(documents):
        others = [s for n, d in enumerate(documents) if n != number for s in d[1:]]
        for n in range(len(document) - 1):
            if draw.random() < 0.5:
                made.append((document[n], document[n + 1], 0))
            else:
                made.append((document[n], draw.choice(others), 1))
    return made


def pairs_by_index(documents, draw):
    seconds = [(d, s) for d in range(len(documents)) for s in range(1, len(documents[d]))]
    made = []
    for d, s in seconds:
        wrong = draw.getrandbits(1)
        e, t = d, s
        while wrong and e == d:
            e, t = seconds[draw.randrange(len(seconds))]
        made.append([documents[d][s - 1], documents[e][t], wrong])
    return made


def pairs_by_weights(documents, draw):
    made = []
    for number, document in enumerate(documents):
        sizes = [(len(d) - 1) * (n != number) for n, d in enumerate(documents)]
        for first, second in pairwise(document):
            is_next = draw.random() > 0.5
            if not is_next:
                (other,) = draw.choices(documents, weights=sizes)
                second = draw.choice(other[1:])
            made.append((first, second, 1 - is_next))
    return made


def pairs_from_a_drawn_seed(documents, draw):
    chance = random.Random(draw.random())
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]

    def wrong(number):
        other, sentence = chance.choice(seconds)
        return sentence if other != number else wrong(number)

    return [
        (a, wrong(n), True) if chance.choice((True, False)) else (a, b, False)
        for n, document in enumerate(documents)
        for a, b in pairwise(document)
    ]


VARIANTS = {
    "pieces": (
        pieces_as_in_google_s_code,
        pieces_eating_the_word,
        pieces_by_the_vocabulary,
        pieces_as_a_tuple,
    ),
    "row": (row_by_slices, row_by_filling, row_in_tensors, row_by_recursion),
    "pairs": (
        pairs_by_lists_of_others,
        pairs_by_index,
        pairs_by_weights,
        pairs_from_a_drawn_seed,
    ),
    "mask": MASK_WORDS,
    "vectors": VECTORS,
    "padding": PADDING,
}
