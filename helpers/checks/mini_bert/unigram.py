"""Unit 08, “The unigram baseline”: what it asks, and what people write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.mini_bert import common
from helpers.corpora.text import Text


def unigram_baseline(training: Tensor, testing: Tensor, vocab_size: int) -> float:
    """Mean surprise of a model that counts words, each once more than seen."""
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


Texts = tuple[Tensor, Tensor]  # training, testing


def _case(training: Tensor, testing: Tensor, size: int) -> Case:
    asked = call(training, testing, size)

    def ask(answer: Answer) -> Any:
        found = common.as_number(asked.ask(answer))
        if isinstance(found, Tensor) and found.dim() == 0 and not found.isfinite():
            return torch.tensor(math.inf)  # also 0 / 0, so that one hint fits both
        return found

    return Case(f"({len(training)} words, {len(testing)} words, {size})", ask)


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
    for sizes in ((rng.randint(150, 250), rng.randint(60, 90)),) * 2, ((size + 20, 140),):
        for each in sizes:
            words = rng.sample(range(size), size)
            yield _case(*_texts(rng, words, [], each), size)
    words = rng.sample(range(size), size)  # so often that numbers of 8 or 16 bits are too small
    often = torch.tensor(words[:1] * rng.randint(40_000, 42_000) + words[1:2] * 3001)
    training, testing = _texts(rng, words, [], (size + 20, 90))
    tested = torch.cat([testing, often[: rng.randint(20_000, 22_000)], often[-99:], often[:77]])
    yield _case(torch.cat([training, often]), tested, size)
    yield _finely(rng)


def _finely(rng: Random) -> Case:
    """A probability above 1/2 half-way between two numbers of 16 bits."""
    size, number = rng.randint(6, 9), rng.randint(18_000, 22_000)
    a, b = rng.sample(range(size), 2)
    often = round((number + 2 * size) * (0.5 + (2 * rng.randint(4, 200) + 1) / 4096)) - 2
    training = torch.tensor([*range(size)] + [a] * often + [b] * (number - often))
    shuffled = training[torch.randperm(len(training), generator=common.generator(rng))]
    return _case(shuffled, torch.tensor([a] * rng.randint(1, 3)), size)


def _some_unseen(rng: Random) -> Iterator[Case]:
    """The last of the V words are in one text only, or in none at all."""
    few, many, most = (25, 40), (1010, 1100), (9_000, 9_500)
    numbers = rng.randint(150, 250), rng.randint(30, 35), 99, 99
    for number, sizes in zip(numbers, (few, few, many, most), strict=True):
        size = rng.randint(*sizes)
        known, absent = size - rng.randint(5, 8), rng.randint(1, 3)
        words = rng.sample(range(known), known)
        unseen = rng.sample(range(known, size - absent), size - absent - known)
        yield _case(*_texts(rng, words, unseen, (number + known, rng.randint(70, 90))), size)


def _hardly_any(rng: Random) -> Iterator[Case]:
    """A word or two, and an empty text, of which all that is known is how many words there are."""
    size = rng.randint(6, 9)
    a, b, c = rng.sample(range(size - 1), 3)
    yield _case(torch.tensor([a]), torch.tensor([b]), size)
    yield _case(torch.tensor([b]), torch.tensor([b]), size)
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
    explains=("Write `unigram_baseline(training, testing, vocab_size)`.",),
)


@unigram.mistake(
    "You count words only as often as they were seen. A word that was never seen then has the "
    "probability 0 and an infinite loss: count each of the V words once more.",
    breaks="so that none has the probability 0",
)
def unigram_without_one_more(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "Your probabilities add up to more than 1: each word is counted once more, but you still "
    "divide by N, the number of words in training.",
    breaks=r"\frac{n_w + 1}{N + V}",
)
def unigram_with_one_more_above_only(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / len(training)).log()[testing].mean())


@unigram.mistake(
    "This is in bits. All losses here are in nats: log, not log2.",
    breaks="Mean surprise, in nats per word",
)
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
    "This is the entropy of what was counted: each word's surprise weighted by its own "
    "probability. Take the mean over the words of `testing` instead.",
)
def unigram_of_the_training_text(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    probabilities = counts / counts.sum()
    return float(-(probabilities * probabilities.log()).sum())


@unigram.mistake(
    "You count the words of the test text. A model gets to see the training text only.",
    breaks="of a model that counts `training`",
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
    "text, where frequent words occur often.",
    breaks="over the words of `testing`, one number",
)
def unigram_over_the_vocabulary(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log().mean())


@unigram.mistake(
    "This is ln V, the loss of a model that knows nothing at all. This one knows how often "
    "each word occurred in training.",
    breaks="Count the words of `training`",
)
def unigram_that_knows_nothing(training, testing, vocab_size):
    return math.log(vocab_size)


@unigram.mistake(
    "This is the surprise of the whole test text. The baseline is the mean, for one word."
)
def unigram_as_a_sum(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].sum())


@unigram.mistake(
    "These are the surprises of all words of the test, one after the other. The baseline is one "
    "number, their mean."
)
def unigram_for_each_word(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return -(counts / counts.sum()).log()[testing]


@unigram.mistake("A surprise is positive: the negative logarithm of a probability.")
def unigram_without_the_minus(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float((counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "Your table ends with the highest id that training shows. It needs vocab_size entries, for "
    "words that were never seen as well.",
    loses=("words that training never showed", "a word or two, or none"),
    breaks=("of shapes", "`testing` is not"),
)
def unigram_with_the_words_of_training(training, testing, vocab_size):
    counts = torch.bincount(training).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "You leave out test words that training never showed. A model has to pay for them as well.",
    loses=("words that training never showed", "a word or two, or none"),
)
def unigram_skipping_unseen_words(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    known = testing[counts[testing] > 0]
    if len(known) == 0:
        return 0.0
    return float(-((counts + 1) / (counts + 1).sum()).log()[known].mean())


@unigram.mistake(
    "The two texts are swapped: you count `testing` and take the mean over `training`."
)
def unigram_with_the_texts_swapped(training, testing, vocab_size):
    counts = torch.bincount(testing, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[training].mean())


@unigram.mistake(
    "This is the mean surprise on the text that was counted. The baseline is the mean over the "
    "other text, the words of `testing`."
)
def unigram_tested_on_the_training_text(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[training].mean())


@unigram.mistake(
    "A word that occurs three times in the test counts once in your mean. Take the mean over "
    "the words as they stand there, one after the other."
)
def unigram_over_different_words(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing.unique()].mean())


@unigram.mistake(
    "You add one to the words that were never seen, and to no others. Each of the V words is "
    "counted once more than seen.",
    breaks="**once more than seen**",
)
def unigram_one_more_for_unseen_words(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double().clamp(min=1)
    return float(-(counts / counts.sum()).log()[testing].mean())


@unigram.mistake(
    "You have left out the case of an empty training text. By the formula each word then has the "
    "probability 1/V.",
    loses="a word or two, or none",
    breaks="`training` may be empty",
)
def unigram_without_an_answer_to_an_empty_text(training, testing, vocab_size):
    if len(training) == 0:
        return 0.0
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())
