"""Unit 07, “Pairs that give nothing away”: where the wrong second sentences come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from helpers.checks.bert_inputs import chance
from helpers.corpora.inputs import NOT_NEXT

ENTRIES = (
    "second sentences that begin a document",
    "second sentences with label 1 from the same document",
    "second sentences from short documents",
    "long documents that second sentences come from",
    "where in long documents second sentences stand",
    "each possible second sentence",
    "the same second sentence twice in a row",
)


def drawn(sizes: Sequence[int], labels: Tensor, places: Tensor) -> dict[str, Any]:
    """Where the seconds with label 1 are drawn from, and whether each is drawn for itself."""
    documents = torch.tensor([d for d, size in enumerate(sizes) for _ in range(size - 1)])
    if len(documents) != labels.shape[1]:
        entries = (chance.NOTHING,) * len(ENTRIES)
    else:
        entries = _entries(sizes, documents, labels, places)
    return {"number of triples": labels.shape[1]} | dict(zip(ENTRIES, entries, strict=True))


def _entries(
    sizes: Sequence[int], documents: Tensor, labels: Tensor, places: Tensor
) -> tuple[str, ...]:
    wrong = labels == NOT_NEXT
    table = torch.zeros(len(sizes), len(sizes), max(sizes))
    number, at = documents.expand(len(labels), -1)[wrong], places[wrong]
    table.index_put_((number, at[:, 0], at[:, 1]), torch.ones(len(at)), accumulate=True)
    right = torch.zeros_like(table, dtype=torch.bool)
    for d, size in enumerate(sizes):
        right[:, d, 1:size] = True
        right[d, d] = False
    expected = right * table.sum((1, 2), keepdim=True) / right.sum((1, 2), keepdim=True).clamp(1)
    short, long = ([d for d, z in enumerate(sizes) if (z > 8) == big] for big in (False, True))
    middle = torch.arange(max(sizes)).double()
    place, usual = (
        float((each[:, long].sum((0, 1)) * middle).sum() / each[:, long].sum().clamp(1))
        for each in (table, expected)
    )
    two_of_one = documents[1:] == documents[:-1]
    both = (wrong[:, 1:] & wrong[:, :-1])[:, two_of_one]
    same = (places[:, 1:] == places[:, :-1]).all(-1)[:, two_of_one][both].double()
    hopes = (1 / right.sum((1, 2)).double())[documents[1:]][two_of_one].expand_as(both)[both]
    begins = float(table[..., 0].sum() / table.sum().clamp(1))
    often = [d for d in range(len(sizes)) if table[d].sum() > 100]
    from_long = all(table[d, n].any() for d in often for n in long if d != n)
    return (
        "none" if not begins else "some" if begins < 0.9 else "all",
        "some" if any(table[d, d].sum() for d in range(len(sizes))) else "none",
        _often(table, expected, short),
        "all others" if from_long else "not all others",
        "anywhere" if abs(place - usual) < 1 else "too late" if place > usual else "too early",
        _often(table, expected, None),
        as_often(float(same.sum()), float(hopes.sum()), float((hopes * (1 - hopes)).sum())),
    )


def _often(table: Tensor, expected: Tensor, documents: list[int] | None) -> str:
    """How often seconds come up, from some documents together or each by itself."""
    if documents is not None:
        found, wanted = table[:, documents].sum(), expected[:, documents].sum()
        return as_often(float(found), float(wanted), float(wanted))
    # By itself, for each document of the first sentence, and for all of these together.
    for found, wanted in ((table, expected), (table.sum(0), expected.sum(0))):
        if ((found - wanted).abs() > 6 * wanted.sqrt() + 6).any():
            return "not as often as others"
    return "as often as others"


def region(
    sizes: Sequence[int], wrong: Sequence[tuple[int, int]], of: Callable[[int], Iterable[int]]
) -> str:
    """Whether seconds come from a region of the documents as often as they should.

    Args:
        wrong: the documents of the first sentence and of the second, for each drawn.
        of: the documents of the region, for the document of a first sentence.
    """
    inside = [{*of(number)} - {number} for number in range(len(sizes))]
    all_seconds = sum(sizes) - len(sizes)
    hopes = [
        sum(sizes[n] - 1 for n in each) / (all_seconds - sizes[number] + 1)
        for number, each in enumerate(inside)
    ]
    hoped = [hopes[first] for first, _ in wrong]
    found = sum(second in inside[first] for first, second in wrong)
    return as_often(found, sum(hoped), sum(each * (1 - each) for each in hoped))


def as_often(found: float, wanted: float, variance: float) -> str:
    """Whether something came up as often as it should, on the whole and but for chance."""
    if abs(found - wanted) <= chance.SIGMAS * math.sqrt(variance) + 3:
        return chance.AS_BY_CHANCE
    return "none" if not found else "too many" if found > wanted else "too few"
