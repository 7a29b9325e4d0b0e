"""Unit 08: what people compute instead of the unigram level and the distance from the limit."""

from __future__ import annotations

import math

import torch

from helpers.checks.exercise import Mistake


def unigram_without_one_more(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    return float(-(counts / counts.sum()).log()[testing].mean())


def unigram_with_one_more_above_only(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / len(training)).log()[testing].mean())


def unigram_in_bits(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log2()[testing].mean())


def unigram_as_perplexity(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float((-(counts / counts.sum()).log()[testing].mean()).exp())


def unigram_of_the_training_text(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    shares = counts / counts.sum()
    return float(-(shares * shares.log()).sum())


def unigram_counted_on_the_test(training, testing, vocab_size):
    counts = torch.bincount(testing, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


def unigram_counted_on_both(training, testing, vocab_size):
    counts = torch.bincount(torch.cat([training, testing]), minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


def unigram_over_the_vocabulary(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log().mean())


def unigram_that_knows_nothing(training, testing, vocab_size):
    return math.log(vocab_size)


def unigram_as_a_sum(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].sum())


def unigram_without_the_minus(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float((counts / counts.sum()).log()[testing].mean())


def unigram_with_the_words_of_training(training, testing, vocab_size):
    counts = torch.bincount(training).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


def unigram_skipping_unseen_words(training, testing, vocab_size):
    counts = torch.bincount(training, minlength=vocab_size).double()
    known = testing[counts[testing] > 0]
    if len(known) == 0:
        return 0.0
    return float(-((counts + 1) / (counts + 1).sum()).log()[known].mean())


_SEEN, _UNSEEN, _NOTHING = (
    "counted on one text, taken on another",
    "words that training never showed",
    "no training at all",
)
_ALL = (_SEEN, _UNSEEN, _NOTHING)
UNIGRAM = (
    Mistake(
        unigram_without_one_more,
        "You count words as often as they were seen. A word that was never seen then has the share "
        "0, and costs infinitely much: count each of the V words once more.",
        _ALL,
    ),
    Mistake(
        unigram_with_one_more_above_only,
        "Your shares add up to more than 1: each word is counted once more, but you divide by the "
        "number of words as it was.",
        _ALL,
    ),
    Mistake(unigram_in_bits, "This is in bits. All losses here are in nats: log, not log2.", _ALL),
    Mistake(
        unigram_as_perplexity,
        "This is a perplexity, e to the power of the level. What is asked for is the mean "
        "surprise itself, in nats.",
        _ALL,
    ),
    Mistake(
        unigram_of_the_training_text,
        "This is the mean surprise on the text that was counted. The level is asked for on the "
        "other text, word by word of `testing`.",
        (_SEEN, _UNSEEN),
    ),
    Mistake(
        unigram_counted_on_the_test,
        "You count the words of the test text. A model gets to see the training text only.",
        _ALL,
    ),
    Mistake(
        unigram_counted_on_both,
        "You count both texts. What the test contains must not help to guess it.",
        _ALL,
    ),
    Mistake(
        unigram_over_the_vocabulary,
        "Your mean is over the vocabulary, each word once. It should be over the words of the test "
        "text, where frequent words come up often.",
        (_SEEN, _UNSEEN),
    ),
    Mistake(
        unigram_that_knows_nothing,
        "This is ln V, the level of a model that knows nothing at all. This one knows how often "
        "each word came up in training.",
        (_SEEN, _UNSEEN),
    ),
    Mistake(
        unigram_as_a_sum,
        "This is the surprise of the whole test text. The level is the mean, for one word.",
        _ALL,
    ),
    Mistake(
        unigram_without_the_minus,
        "A surprise is positive: the negative logarithm of a share.",
        _ALL,
    ),
    Mistake(
        unigram_with_the_words_of_training,
        "Your table ends with the highest id that training shows. It needs vocab_size entries, for "
        "words that were never seen as well.",
        (_UNSEEN, _NOTHING),
    ),
    Mistake(
        unigram_skipping_unseen_words,
        "You leave out test words that training never showed. A model has to pay for them as well.",
        (_UNSEEN, _NOTHING),
    ),
)


def above_at_all_places(logits, targets, kinds, posterior):
    words = targets.clamp(min=0)[..., None]
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    return torch.stack([extra[kinds == k].mean() for k in range(int(kinds.max()) + 1)])


def above_nothing(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    each = [mine[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)]
    return torch.stack(each).double()


def above_the_limit_of_all(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    limit = -posterior.gather(-1, words)[..., 0].log()[chosen].mean()
    return torch.stack(
        [mine[chosen & (kinds == k)].mean() - limit for k in range(int(kinds.max()) + 1)]
    )


def above_with_the_sign_turned(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = -posterior.gather(-1, words)[..., 0].log() - mine
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


def above_divided_by_all_chosen(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    sums = [extra[chosen & (kinds == k)].sum() for k in range(int(kinds.max()) + 1)]
    return torch.stack(sums) / chosen.sum()


def above_as_a_ratio(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    exact = -posterior.gather(-1, words)[..., 0].log()
    which = [chosen & (kinds == k) for k in range(int(kinds.max()) + 1)]
    return torch.stack([mine[each].mean() / exact[each].mean() for each in which])


def above_as_a_divergence(logits, targets, kinds, posterior):
    logs = logits.log_softmax(-1)[..., : posterior.shape[-1]]
    extra = (posterior * (posterior.log() - logs)).sum(-1)
    chosen = targets != -100
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


def above_with_a_softmax_of_the_posterior(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.log_softmax(-1).gather(-1, words)[..., 0]
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


def above_for_all_kinds_together(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    return extra[chosen].mean()


def above_by_place(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    return torch.where(chosen, mine + posterior.gather(-1, words)[..., 0].log(), 0.0)


_KIND, _LIMIT = "the mean of each kind", "measured from the limit of that kind"
ABOVE = (
    Mistake(
        above_at_all_places,
        "Your means are over all places of a kind. Only chosen ones are scored; at the others a "
        "target of −100 says nothing.",
        (_KIND, _LIMIT),
    ),
    Mistake(
        above_nothing,
        "These are losses, not distances: what the exact answer would have cost at the same places "
        "has not been subtracted.",
        (_LIMIT,),
    ),
    Mistake(
        above_the_limit_of_all,
        "You subtract one limit from all kinds. Each kind has its own: some words can hardly be "
        "known, others surely.",
        (_LIMIT,),
    ),
    Mistake(
        above_with_the_sign_turned,
        "Your distances have the wrong sign: a model that is worse than the limit lies above it.",
        (_KIND, _LIMIT),
    ),
    Mistake(
        above_divided_by_all_chosen,
        "You divide each sum by the number of all chosen places. A mean of a kind divides by how "
        "many places of that kind were chosen.",
        (_KIND, _LIMIT),
    ),
    Mistake(
        above_as_a_ratio,
        "This is a ratio of loss and limit. The distance is a difference, in nats.",
        (_KIND, _LIMIT),
    ),
    Mistake(
        above_as_a_divergence,
        "You compare whole distributions. The loss looks only at the word that stood there: what "
        "did it cost, and what would it have cost with the exact shares?",
        (_LIMIT,),
    ),
    Mistake(
        above_with_a_softmax_of_the_posterior,
        "`posterior` holds shares already; they go into a logarithm, not into another softmax.",
        (_KIND, _LIMIT),
    ),
    Mistake(
        above_for_all_kinds_together,
        "This is one number for all. Return K of them, the mean of kind 0, of kind 1, and so on.",
        (_KIND, _LIMIT),
    ),
    Mistake(
        above_by_place,
        "You have a number for each place. Take a mean for each kind, over its chosen places.",
        (_KIND, _LIMIT),
    ),
)
