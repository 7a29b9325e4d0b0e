"""Unit 08, “The unigram baseline”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.mini_bert import common
from helpers.corpora.text import Text


def unigram_baseline(training: Tensor, testing: Tensor, vocab_size: int) -> float:
    """Mean surprise of a model that counts words, each once more than seen."""
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


def _counted(rng: Random, unseen: bool, number: int) -> Case:
    """Words with unequal probabilities; `unseen` words are in the test only."""
    size, draw = rng.randint(20, 40), common.generator(rng)
    probabilities = 1 / torch.arange(1, size + 1).float()
    words = torch.cat([torch.randperm(size - 1, generator=draw), torch.tensor([size - 1])])
    seen = size - 5 if unseen else size
    training = words[torch.multinomial(probabilities[:seen], number or 1, True, generator=draw)]
    training = training[: number or 0]
    if number and not unseen:
        training = torch.cat([training, torch.arange(size)])
    number_tested = rng.randint(90, 120)
    testing = words[torch.multinomial(probabilities.flip(0), number_tested, True, generator=draw)]

    def ask(answer: Answer) -> Any:
        found = answer(training.clone(), testing.clone(), size)
        one = isinstance(found, float | int) or (isinstance(found, Tensor) and found.numel() == 1)
        return torch.tensor(float(found)) if one else found

    return Case(f"({len(training)} words, {len(testing)} words, {size})", ask)


def _all_seen(rng: Random) -> Iterator[Case]:
    yield _counted(rng, False, rng.randint(150, 250))


def _some_unseen(rng: Random) -> Iterator[Case]:
    yield _counted(rng, True, rng.randint(150, 250))
    yield _counted(rng, True, rng.randint(15, 25))


def _nothing_seen(rng: Random) -> Iterator[Case]:
    yield _counted(rng, True, 0)


unigram = Exercise(
    "unigram",
    unigram_baseline,
    (
        Part("counted on one text, taken on another", 0.5, _all_seen),
        Part("words that training never showed", 0.5, _some_unseen),
        Part("no training at all", 0.5, _nothing_seen),
    ),
    forbidden=(Text,),
)


@unigram.mistake(
    "You count words as often as they were seen. A word that was never seen then has the "
    "probability 0, and costs infinitely much: count each of the V words once more."
)
def unigram_without_one_more(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "Your probabilities add up to more than 1: each word is counted once more, but you divide by "
    "the number of words as it was."
)
def unigram_with_one_more_above_only(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / len(training)).log()[testing].mean())


@unigram.mistake("This is in bits. All losses here are in nats: log, not log2.")
def unigram_in_bits(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log2()[testing].mean())


@unigram.mistake(
    "This is a perplexity, e to the power of the baseline. What is asked for is the mean "
    "surprise itself, in nats."
)
def unigram_as_perplexity(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float((-(counts / counts.sum()).log()[testing].mean()).exp())


@unigram.mistake(
    "This is the mean surprise on the text that was counted. The baseline is asked for on the "
    "other text, word by word of `testing`.",
    loses=("counted on one text, taken on another", "words that training never showed"),
)
def unigram_of_the_training_text(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    probabilities = counts / counts.sum()
    return float(-(probabilities * probabilities.log()).sum())


@unigram.mistake(
    "You count the words of the test text. A model gets to see the training text only."
)
def unigram_counted_on_the_test(training, testing, vocab_size):
    counts = torch.bincount(testing, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake("You count both texts. What the test contains must not help to guess it.")
def unigram_counted_on_both(training, testing, vocab_size):
    counts = torch.bincount(torch.cat([training, testing]), minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "Your mean is over the vocabulary, each word once. It should be over the words of the test "
    "text, where frequent words come up often.",
    loses=("counted on one text, taken on another", "words that training never showed"),
)
def unigram_over_the_vocabulary(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log().mean())


@unigram.mistake(
    "This is ln V, the loss of a model that knows nothing at all. This one knows how often "
    "each word came up in training.",
    loses=("counted on one text, taken on another", "words that training never showed"),
)
def unigram_that_knows_nothing(training, testing, vocab_size):
    return math.log(vocab_size)


@unigram.mistake(
    "This is the surprise of the whole test text. The baseline is the mean, for one word."
)
def unigram_as_a_sum(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].sum())


@unigram.mistake("A surprise is positive: the negative logarithm of a probability.")
def unigram_without_the_minus(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float((counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "Your table ends with the highest id that training shows. It needs vocab_size entries, for "
    "words that were never seen as well.",
    loses=("words that training never showed", "no training at all"),
)
def unigram_with_the_words_of_training(training, testing, vocab_size):
    counts = torch.bincount(training).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "You leave out test words that training never showed. A model has to pay for them as well.",
    loses=("words that training never showed", "no training at all"),
)
def unigram_skipping_unseen_words(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    known = testing[counts[testing] > 0]
    if len(known) == 0:
        return 0.0
    return float(-((counts + 1) / (counts + 1).sum()).log()[known].mean())
