"""Unit 08-mini-bert: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.mini_bert.above import above
from helpers.checks.mini_bert.loss import loss
from helpers.checks.mini_bert.own import own
from helpers.checks.mini_bert.parameters import parameters
from helpers.checks.mini_bert.unigram import unigram

__all__ = [
    "above",
    "loss",
    "own",
    "parameters",
    "unigram",
]
