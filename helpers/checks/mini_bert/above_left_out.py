"""Unit 08, “Rule by rule”: chosen positions that people leave out."""

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
