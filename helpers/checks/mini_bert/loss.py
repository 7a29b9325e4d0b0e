"""Unit 08, “Scored where chosen”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call
from helpers.checks.mini_bert import common
from helpers.corpora import inputs
from helpers.training import masked_loss

TRAINABLE = {"it returns a": "Tensor", "numbers in it": 1, "it can send a gradient back": True}


def scored(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean surprise in nats over the places whose target is not −100."""
    chosen = targets != -100
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    return (surprise * chosen).sum() / chosen.sum()


def _targets(rng: Random, batch: int, length: int, vocab_size: int) -> Tensor:
    """−100 but for some places, more in some rows than in others; word 0 is among the targets."""
    draw = common.generator(rng)
    words = torch.randint(1, vocab_size, (batch, length), generator=draw)
    order = torch.rand(batch, length, generator=draw).argsort(1)
    chosen = order < torch.arange(1, batch + 1)[:, None]
    words[0][chosen[0]] = 0
    return torch.where(chosen, words, -100)


def _logits(rng: Random, *shape: int) -> Tensor:
    return 2 * torch.randn(shape, generator=common.generator(rng))


def _batch(rng: Random) -> tuple[Tensor, Tensor]:
    sizes = rng.randint(3, 5), rng.randint(7, 10), rng.randint(11, 16)
    return _logits(rng, *sizes), _targets(rng, *sizes)


def _chosen_places(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield call(*_batch(rng))


def _large_logits(rng: Random) -> Iterator[Case]:
    logits, targets = _batch(rng)
    logits = 200 * logits + 1000

    def ask(answer: Answer) -> Any:
        found = answer(logits.clone(), targets.clone())
        if isinstance(found, Tensor) and not found.isfinite().all():
            return {"the loss is a finite number": False}
        return {"the loss is a finite number": True, "the loss": found}

    yield Case("logits in the hundreds", ask)


def _gradient(rng: Random) -> Iterator[Case]:
    logits, targets = _batch(rng)

    def ask(answer: Answer) -> dict[str, Any]:
        given = logits.clone().requires_grad_()
        found = answer(given, targets.clone())
        seen: dict[str, Any] = {"it returns a": type(found).__name__}
        if isinstance(found, Tensor):
            seen["numbers in it"] = found.numel()
            seen["it can send a gradient back"] = found.requires_grad
        if seen != TRAINABLE:
            return seen
        found.backward()
        return {**seen, "the gradient of the logits": given.grad}

    yield Case("loss.backward()", ask)


loss = Exercise(
    "loss",
    scored,
    (
        Part("the mean over the chosen places", 1, _chosen_places),
        Part("logits of any size", 0.5, _large_logits),
        Part("a model can be trained with it", 0.5, _gradient),
    ),
    forbidden=(F.cross_entropy, F.nll_loss, inputs.places_loss, masked_loss),
)


@loss.mistake(
    "You add up the chosen places only, but divide by the number of all places. Your loss "
    "looks six or seven times as good as it is."
)
def loss_over_all_places(logits, targets):
    chosen = targets != -100
    picked = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(picked * chosen).mean()


@loss.mistake(
    "Places with −100 are scored as well, as if word 0 were right there. They should count "
    "neither above nor below the line."
)
def loss_that_scores_everything(logits, targets):
    picked = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -picked.mean()


@loss.mistake(
    "There is a softmax before the log-softmax. Logits go into one softmax, not into two; a "
    "second one flattens all probabilities."
)
def loss_with_softmax_twice(logits, targets):
    chosen = targets != -100
    logs = logits.softmax(-1).log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "Your softmax runs over the places of a row. The probabilities that add up to 1 are those of "
    "the words at one place; which axis is that?"
)
def loss_along_the_places(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "This is the sum. Divide by how many places were chosen, or a larger batch has a larger loss."
)
def loss_as_a_sum(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).sum()


@loss.mistake(
    "You take the mean of each row and then the mean of those. A row with one chosen place "
    "then counts as much as a row with ten: take one mean over all chosen places."
)
def loss_as_a_mean_of_rows(logits, targets):
    chosen = targets != -100
    picked = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -((picked * chosen).sum(1) / chosen.sum(1)).mean()


@loss.mistake(
    "A small probability is rounded to 0, and its logarithm is −∞ (and e to the power of 1,000 "
    "is too large for any float). There is a function that takes softmax and logarithm in one, "
    "without rounding between them.",
    loses="logits of any size",
)
def loss_by_log_of_softmax(logits, targets):
    chosen = targets != -100
    probabilities = logits.softmax(-1)[chosen]
    return -probabilities.gather(-1, targets[chosen][:, None]).log().mean()


@loss.mistake("Word 0 is a word too: you leave it out. Only −100 says that a place was not chosen.")
def loss_without_word_0(logits, targets):
    chosen = targets > 0
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake("Your loss is in bits, with logarithms to base 2. Here all losses are in nats.")
def loss_in_bits(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen] / torch.log(torch.tensor(2.0))
    return -logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "The logarithm of a probability is negative. A loss is its negative; trained with yours, a "
    "model would learn to be wrong."
)
def loss_without_the_minus(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "You take the logit of the right word as it is. What the other words' logits are counts "
    "as well: where is the softmax?"
)
def loss_of_the_logit_alone(logits, targets):
    chosen = targets != -100
    return -logits[chosen].gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "You look up the probability of word −100, and there is none. Choose the places first, or put "
    "a real word in for −100 where it will not count."
)
def loss_that_looks_up_minus_100(logits, targets):
    picked = logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    return -picked[targets != -100].mean()


@loss.mistake(
    "The number is right, but it is cut off from the logits, so no gradient gets back. Look "
    "for detach, no_grad or NumPy.",
    loses="a model can be trained with it",
)
def loss_without_gradient(logits, targets):
    chosen = targets != -100
    logs = logits.detach().log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "You return a plain Python number. A loss must stay a tensor, or backward() has nothing to "
    "start from."
)
def loss_as_a_python_number(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean().item()
