"""Unit 08, “Rule by rule”: what people compare, and leave out."""

from __future__ import annotations

import torch

from helpers.checks.mini_bert.above import above


@above.mistake(
    "You treat positions as chosen where the distance is not 0. Where the model is just as sure as "
    "the exact answer the distance is 0, and still counts: go by −100.",
    loses="words that cannot stand there",
    breaks="the mean over its chosen positions",
)
def above_of_what_is_not_0(logits, targets, kinds, posterior):
    words, chosen = targets.clamp(min=0)[..., None], targets != -100
    mine = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    extra = mine + posterior.gather(-1, words)[..., 0].log()
    extra = torch.where(chosen, extra, 0)
    number = int(kinds.max()) + 1
    return torch.stack([extra[(kinds == k) & (extra != 0)].mean() for k in range(number)])


@above.mistake(
    "You compare whole distributions. The loss looks only at the word that stood there: what "
    "did it cost, and what would it have cost with the exact probabilities?",
)
def above_as_a_divergence(logits, targets, kinds, posterior):
    logs = logits.log_softmax(-1)[..., : posterior.shape[-1]]
    extra = (posterior * (posterior.log() - logs)).sum(-1)
    chosen = targets != -100
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])


@above.mistake(
    "You take the Kullback–Leibler divergence, a sum over all words. Here only the word that stood "
    "there counts: what it cost, less what it would have cost with the exact probabilities.",
)
def above_as_a_divergence_of_finite_numbers(logits, targets, kinds, posterior):
    logs = logits.log_softmax(-1)[..., : posterior.shape[-1]]
    extra = (torch.special.xlogy(posterior, posterior) - posterior * logs).sum(-1)
    chosen = targets != -100
    return torch.stack([extra[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])
