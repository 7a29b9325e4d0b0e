"""Unit 08, “The unigram baseline”: what people divide, and by what."""

from __future__ import annotations

import torch

from helpers.checks.mini_bert.unigram import unigram


@unigram.mistake(
    "Your numerators count each word once more than seen, but your denominator is still the number "
    "of words in training, unless that is 0. If V words are each counted once more, how many more "
    "is that in all?",
    breaks=r"\frac{n_w + 1}{N + V}",
)
def unigram_with_as_many_words_as_before(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / max(len(training), 1)).log()[testing].mean())


@unigram.mistake(
    "You add 1 to the number of words. Each of the V words counts once more than seen: how many "
    "more is that in all?",
    breaks=r"\frac{n_w + 1}{N + V}",
)
def unigram_with_one_more_in_all(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / (len(training) + 1)).log()[testing].mean())


@unigram.mistake(
    "V is added to the number of words, but no word is counted once more: one that was never seen "
    "keeps the probability 0.",
    breaks=r"\frac{n_w + 1}{N + V}",
)
def unigram_with_more_words_below_only(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    return float(-(counts / (len(training) + vocab_size)).log()[testing].mean())
