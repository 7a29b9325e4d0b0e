"""Unit 08, mini BERT: what its exercises ask and look at."""

# Files of further mistakes, which add themselves to their exercise.
from helpers.checks.mini_bert import (  # noqa: F401
    above_compared,
    loss_backwards,
    own_properties,
    own_saved,
    parameters_layer,
    unigram_fractions,
)
from helpers.checks.mini_bert.above import above
from helpers.checks.mini_bert.loss import loss
from helpers.checks.mini_bert.own import own
from helpers.checks.mini_bert.parameters import parameters
from helpers.checks.mini_bert.unigram import unigram

__all__ = ["above", "loss", "own", "parameters", "unigram"]
