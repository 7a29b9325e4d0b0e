"""Unit 08: what people write instead of the loss, the count, and the two levels."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.mini_bert_levels import ABOVE, UNIGRAM
from helpers.checks.mistakes.mini_bert_parameters import PARAMETERS

__all__ = ["ABOVE", "LOSS", "PARAMETERS", "UNIGRAM"]


def loss_over_all_places(logits, targets):
    chosen = targets != -100
    picked = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(picked * chosen).mean()


def loss_that_scores_everything(logits, targets):
    picked = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -picked.mean()


def loss_with_softmax_twice(logits, targets):
    chosen = targets != -100
    logs = logits.softmax(-1).log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


def loss_along_the_places(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


def loss_as_a_sum(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).sum()


def loss_as_a_mean_of_rows(logits, targets):
    chosen = targets != -100
    picked = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -((picked * chosen).sum(1) / chosen.sum(1)).mean()


def loss_by_log_of_softmax(logits, targets):
    chosen = targets != -100
    shares = logits.softmax(-1)[chosen]
    return -shares.gather(-1, targets[chosen][:, None]).log().mean()


def loss_without_word_0(logits, targets):
    chosen = targets > 0
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


def loss_in_bits(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen] / torch.log(torch.tensor(2.0))
    return -logs.gather(-1, targets[chosen][:, None]).mean()


def loss_without_the_minus(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return logs.gather(-1, targets[chosen][:, None]).mean()


def loss_of_the_logit_alone(logits, targets):
    chosen = targets != -100
    return -logits[chosen].gather(-1, targets[chosen][:, None]).mean()


def loss_that_looks_up_minus_100(logits, targets):
    picked = logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    return -picked[targets != -100].mean()


def loss_without_gradient(logits, targets):
    chosen = targets != -100
    logs = logits.detach().log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


def loss_as_a_python_number(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean().item()


_MEAN, _LARGE, _TRAINED = (
    "the mean over the chosen places",
    "logits of any size",
    "a model can be trained with it",
)
_ALL = (_MEAN, _LARGE, _TRAINED)
LOSS = (
    Mistake(
        loss_over_all_places,
        "You add up the chosen places only, but divide by the number of all places. Your loss "
        "looks six or seven times as good as it is.",
        _ALL,
    ),
    Mistake(
        loss_that_scores_everything,
        "Places with −100 are scored as well, as if word 0 were right there. They should count "
        "neither above nor below the line.",
        _ALL,
    ),
    Mistake(
        loss_with_softmax_twice,
        "There is a softmax before the log-softmax. Logits go into one softmax, not into two; a "
        "second one flattens all shares.",
        _ALL,
    ),
    Mistake(
        loss_along_the_places,
        "Your softmax runs over the places of a row. The shares that add up to 1 are those of the "
        "words at one place; which axis is that?",
        _ALL,
    ),
    Mistake(
        loss_as_a_sum,
        "This is the sum. Divide by how many places were chosen, or a larger batch has a larger "
        "loss.",
        _ALL,
    ),
    Mistake(
        loss_as_a_mean_of_rows,
        "You take the mean of each row and then the mean of those. A row with one chosen place "
        "then counts as much as a row with ten: take one mean over all chosen places.",
        _ALL,
    ),
    Mistake(
        loss_by_log_of_softmax,
        "A small share is rounded to 0, and its logarithm is −∞ (and e to the power of 1,000 is "
        "too large for any float). There is a function that takes softmax and logarithm in one, "
        "without rounding between them.",
        (_LARGE,),
    ),
    Mistake(
        loss_without_word_0,
        "Word 0 is a word too: you leave it out. Only −100 says that a place was not chosen.",
        _ALL,
    ),
    Mistake(
        loss_in_bits,
        "Your loss is in bits, with logarithms to base 2. Here all losses are in nats.",
        _ALL,
    ),
    Mistake(
        loss_without_the_minus,
        "The logarithm of a share is negative. A loss is its negative; trained with yours, a model "
        "would learn to be wrong.",
        _ALL,
    ),
    Mistake(
        loss_of_the_logit_alone,
        "You take the logit of the right word as it is. What the other words' logits are counts "
        "as well: where is the softmax?",
        _ALL,
    ),
    Mistake(
        loss_that_looks_up_minus_100,
        "You look up the share of word −100, and there is none. Choose the places first, or put a "
        "real word in for −100 where it will not count.",
        _ALL,
    ),
    Mistake(
        loss_without_gradient,
        "The number is right, but it is cut off from the logits, so no gradient gets back. Look "
        "for detach, no_grad or NumPy.",
        (_TRAINED,),
    ),
    Mistake(
        loss_as_a_python_number,
        "You return a plain Python number. A loss must stay a tensor, or backward() has nothing to "
        "start from.",
        _ALL,
    ),
)
