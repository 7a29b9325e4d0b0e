"""Unit 08, “The unigram baseline”: what it asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call, compare
from helpers.corpora.text import Text


def unigram_baseline(training: Tensor, testing: Tensor, vocab_size: int) -> float:
    """Mean surprise of a model that counts words, each once more than seen."""
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


Texts = tuple[Tensor, Tensor]  # training, testing


def _case(training: Tensor, testing: Tensor, size: int) -> Case:
    label = f"({len(training)} words, {len(testing)} words, {size})"
    return call(training, testing, size).labelled(label).map(_surprise)


def _surprise(found: Any) -> Any:
    """One number as a tensor of shape (), whatever holds it."""
    one = isinstance(found, Tensor | np.ndarray) and np.prod(found.shape) == 1
    number = found.reshape(()) if one else compare.as_number(found)
    if isinstance(number, Tensor) and number.dim() == 0 and not number.isfinite():
        return torch.tensor(math.inf)  # also 0 / 0, so that one hint fits both
    return number


def _drawn(rng: Random, words: list[int], number: int) -> list[int]:
    """So many of the words, those at the front by far more often than those at the back."""
    return rng.choices(words, [1 / n for n in range(1, len(words) + 1)], k=number)


def _texts(rng: Random, words: list[int], unseen: list[int], sizes: tuple[int, int]) -> Texts:
    """Frequent words of one text are seldom in the other; `unseen` ones are in the test only."""
    training = words + _drawn(rng, words, sizes[0] - len(words))
    tested = unseen + words[::-1]
    testing = unseen[:2] + _drawn(rng, tested, sizes[1] - len(unseen[:2]))
    rng.shuffle(training)
    rng.shuffle(testing)
    return torch.tensor(training), torch.tensor(testing)


def _all_seen(rng: Random) -> Iterator[Case]:
    """Each of the V words is in the training text, which is once the longer, once the shorter."""
    size = rng.randint(20, 40)
    for sizes in ((rng.randint(150, 250), rng.randint(60, 90)), (size + 20, 140)):
        yield _case(*_texts(rng, rng.sample(range(size), size), [], sizes), size)
    training, testing = _texts(rng, rng.sample(range(size), size), [], (size + 20, 90))
    often = testing[:1].repeat(rng.randint(40_000, 42_000))  # 16 bits are too few to count it
    yield _case(torch.cat([training, often]), testing, size)


def _some_unseen(rng: Random) -> Iterator[Case]:
    """The last of the V words are in one text only, or in none at all."""
    for size in (rng.randint(25, 40), rng.randint(1010, 1100)):
        known, absent = size - rng.randint(5, 8), rng.randint(1, 3)
        words = rng.sample(range(known), known)
        unseen = rng.sample(range(known, size - absent), size - absent - known)
        yield _case(*_texts(rng, words, unseen, (200 + known, rng.randint(70, 90))), size)


def _hardly_any(rng: Random) -> Iterator[Case]:
    """A word or two, and an empty text, of which all that is known is how many words there are."""
    size = rng.randint(6, 9)
    a, b, c = rng.sample(range(size - 1), 3)
    yield _case(torch.tensor([a]), torch.tensor([b]), size)
    yield _case(torch.tensor([a, a, b]), torch.tensor([b, c, b, a, b]), size)
    yield _case(torch.tensor([], dtype=torch.long), torch.tensor([c, b, c]), size)
    yield _case(torch.tensor([0] * rng.randint(1, 3)), torch.tensor([0, 0]), 1)


unigram = Exercise(
    "unigram",
    unigram_baseline,
    (
        Part("counted on one text, taken on another", 0.5, _all_seen),
        Part("words that training never showed", 0.5, _some_unseen),
        Part("a word or two, or none", 0.5, _hardly_any),
    ),
    forbidden=(Text,),
    module=__name__,
)
