"""Unit 08, “Rule by rule”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.mini_bert import common


def distance(logits: Tensor, targets: Tensor, kinds: Tensor, posterior: Tensor) -> Tensor:
    """Mean of surprise − exact surprise over the chosen places of each kind, (K,)."""
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    exact = -posterior.gather(-1, words)[..., 0].log()
    chosen = targets != -100
    extra = (surprise - exact)[chosen]
    kind = kinds[chosen]
    return torch.stack([extra[kind == k].mean() for k in range(int(kinds.max()) + 1)])


def _scored_text(rng: Random, sure: bool) -> Case:
    """A batch in which each kind is chosen somewhere; `sure`: the exact answer knows the word."""
    shape = rng.randint(4, 6), rng.randint(16, 20)
    size, number = rng.randint(9, 13), rng.randint(3, 5)
    draw = common.generator(rng)
    words = torch.randint(size, shape, generator=draw)
    kinds = (torch.rand(shape, generator=draw).square() * number).long()
    chosen = torch.rand(shape, generator=draw) < 0.4
    for k in range(number):  # at least two places of each kind, one chosen and one not
        kinds[k % len(words), 2 * k : 2 * k + 2] = k
        chosen[k % len(words), 2 * k], chosen[k % len(words), 2 * k + 1] = True, False
    sharp = (3 + 3 * kinds)[..., None] * torch.rand(*shape, size, generator=draw)
    posterior = sharp.double().softmax(-1)
    if sure:
        right = F.one_hot(words, size).double()
        posterior = 1e-7 / size + (1 - 1e-7) * right
    logits = 2 * torch.randn(*shape, size + 1, generator=draw)  # [MASK] has a logit too
    targets = torch.where(chosen, words, -100)
    given = (logits, targets, kinds, posterior)
    asked = call(*given)
    words_ = "the exact answer is sure of every word" if sure else "the exact answer is unsure too"
    return Case(f"{number} kinds; {words_}", asked.ask)


def _each_kind(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield _scored_text(rng, sure=True)


def _from_the_limit(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield _scored_text(rng, sure=False)


above = Exercise(
    "above",
    distance,
    (
        Part("the mean of each kind", 1, _each_kind),
        Part("measured from the limit of that kind", 0.5, _from_the_limit),
    ),
)


@above.mistake(
    "Your means are over all places of a kind. Only chosen ones are scored; at the others a "
    "target of −100 says nothing."
)
def above_at_all_places(logits, targets, kinds, posterior):
    words = targets.clamp(min=0)[..., None]
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    return torch.stack([extra[kinds == k].mean() for k in range(int(kinds.max()) + 1)])


@above.mistake(
    "These are losses, not distances: what the exact answer would have cost at the same places "
    "has not been subtracted.",
    loses="measured from the limit of that kind",
)
def above_nothing(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    each = [mine[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)]
    return torch.stack(each).double()


@above.mistake(
    "You subtract one limit from all kinds. Each kind has its own: some words can hardly be "
    "known, others surely.",
    loses="measured from the limit of that kind",
)
def above_the_limit_of_all(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    limit = -posterior.gather(-1, words)[..., 0].log()[chosen].mean()
    return torch.stack(
        [mine[chosen & (kinds == k)].mean() - limit for k in range(int(kinds.max()) + 1)]
    )


@above.mistake(
    "Your distances have the wrong sign: a model that is worse than the limit lies above it."
)
def above_with_the_sign_turned(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = -posterior.gather(-1, words)[..., 0].log() - mine
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


@above.mistake(
    "You divide each sum by the number of all chosen places. A mean of a kind divides by how "
    "many places of that kind were chosen."
)
def above_divided_by_all_chosen(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    sums = [extra[chosen & (kinds == k)].sum() for k in range(int(kinds.max()) + 1)]
    return torch.stack(sums) / chosen.sum()


@above.mistake("This is a ratio of loss and limit. The distance is a difference, in nats.")
def above_as_a_ratio(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    exact = -posterior.gather(-1, words)[..., 0].log()
    which = [chosen & (kinds == k) for k in range(int(kinds.max()) + 1)]
    return torch.stack([mine[each].mean() / exact[each].mean() for each in which])


@above.mistake(
    "You compare whole distributions. The loss looks only at the word that stood there: what "
    "did it cost, and what would it have cost with the exact probabilities?",
    loses="measured from the limit of that kind",
)
def above_as_a_divergence(logits, targets, kinds, posterior):
    logs = logits.log_softmax(-1)[..., : posterior.shape[-1]]
    extra = (posterior * (posterior.log() - logs)).sum(-1)
    chosen = targets != -100
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


@above.mistake(
    "`posterior` holds probabilities already; they go into a logarithm, not into another softmax."
)
def above_with_a_softmax_of_the_posterior(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.log_softmax(-1).gather(-1, words)[..., 0]
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


@above.mistake(
    "This is one number for all. Return K of them, the mean of kind 0, of kind 1, and so on."
)
def above_for_all_kinds_together(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    return extra[chosen].mean()


@above.mistake(
    "You have a number for each place. Take a mean for each kind, over its chosen places."
)
def above_by_place(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    return torch.where(chosen, mine + posterior.gather(-1, words)[..., 0].log(), 0.0)
