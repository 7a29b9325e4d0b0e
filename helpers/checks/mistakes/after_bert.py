"""Unit 05: what people write instead of CoPE's positions."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.after_bert_attention import ROPE_ATTENTION
from helpers.checks.mistakes.after_bert_bias import ALIBI_BIAS
from helpers.checks.mistakes.after_bert_buckets import BUCKETS
from helpers.checks.mistakes.after_bert_hooks import HOOKS
from helpers.checks.mistakes.after_bert_rotary import TURN
from helpers.checks.mistakes.after_bert_slopes import SLOPES

__all__ = ["ALIBI_BIAS", "BUCKETS", "COUNTED", "HOOKS", "ROPE_ATTENTION", "SLOPES", "TURN"]


def counted_from_the_left(scores):
    return scores.sigmoid().tril().cumsum(-1).tril()


def counted_without_a_sigmoid(scores):
    return scores.tril().flip(-1).cumsum(-1).flip(-1).tril()


def counted_by_softmax(scores):
    return scores.softmax(-1).tril().flip(-1).cumsum(-1).flip(-1).tril()


def counted_by_causal_softmax(scores):
    hidden = torch.ones_like(scores).triu(1).bool()
    gates = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


def counted_to_the_end_of_the_text(scores):
    return scores.sigmoid().flip(-1).cumsum(-1).flip(-1).tril()


def counted_along_the_queries(scores):
    return scores.sigmoid().tril().cumsum(-2).tril()


def counted_without_the_query_itself(scores):
    return scores.sigmoid().tril(-1).flip(-1).cumsum(-1).flip(-1)


def counted_without_the_key_itself(scores):
    gates = scores.sigmoid().tril()
    return (gates.flip(-1).cumsum(-1).flip(-1) - gates).tril()


def counted_with_the_gates_of_the_key(scores):
    gates = scores.transpose(-2, -1).sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


def counted_and_left_mirrored(scores):
    return scores.sigmoid().tril().flip(-1).cumsum(-1).tril()


def counted_tokens(scores):
    return torch.ones_like(scores).tril().flip(-1).cumsum(-1).flip(-1).tril()


def counted_on_both_sides(scores):
    gates = scores.sigmoid()
    left = gates.tril().flip(-1).cumsum(-1).flip(-1)
    return left.tril() + gates.triu(1).cumsum(-1).triu(1)


def counted_down_to_the_right(scores):
    gates = scores.sigmoid()
    upto = gates.cumsum(-1)
    own = upto.diagonal(dim1=-2, dim2=-1)[..., None]
    return own - upto + gates


_LEFT, _RIGHT = "keys to the left", "0 to the right"
COUNTED = (
    Mistake(
        counted_from_the_left,
        "You add up from the beginning of the text to key j. A position is counted back from the "
        "query: from i down to j, so that the query's neighbour has a small one.",
        (_LEFT,),
    ),
    Mistake(
        counted_without_a_sigmoid,
        "Your gates are the scores themselves, and may be negative. σ makes each a number between "
        "0, not counted, and 1, counted.",
        (_LEFT,),
    ),
    Mistake(
        counted_by_softmax,
        "Your gates are a softmax: they share one count among all keys. Each gate opens by itself: "
        "a sigmoid.",
        (_LEFT,),
    ),
    Mistake(
        counted_by_causal_softmax,
        "Your gates are a softmax over the keys to the left, so that their sum is always 1. Each "
        "gate opens by itself: a sigmoid.",
        (_LEFT,),
    ),
    Mistake(
        counted_to_the_end_of_the_text,
        "Gates to the right of the query are counted too: your sum runs from j to the end of the "
        "text. It stops at i.",
        (_LEFT,),
    ),
    Mistake(
        counted_along_the_queries,
        "You add up along the queries. The sum for query i uses its own row of gates: the last "
        "axis.",
        (_LEFT,),
    ),
    Mistake(
        counted_without_the_query_itself,
        "The query's own gate is missing: the sum runs from m = j to m = i, both included.",
        (_LEFT,),
    ),
    Mistake(
        counted_without_the_key_itself,
        "The key's own gate is missing: the sum runs from m = j to m = i, both included.",
        (_LEFT,),
    ),
    Mistake(
        counted_with_the_gates_of_the_key,
        "Your gates are transposed: scores[…, i, m] is what query i, in the row, says to key m.",
        (_LEFT,),
    ),
    Mistake(
        counted_and_left_mirrored,
        "You flip the keys to add up from the right, and leave them flipped: turn them back.",
        (_LEFT,),
    ),
    Mistake(
        counted_tokens,
        "Each token counts 1, so these are plain distances. The gates decide what is counted.",
        (_LEFT,),
    ),
    Mistake(
        counted_on_both_sides,
        "Keys to the right have counts of their own. The paper's model is causal: leave 0 there.",
        (_RIGHT,),
    ),
    Mistake(
        counted_down_to_the_right,
        "To the right of the query your difference of sums goes on below zero. Leave 0 there.",
        (_RIGHT,),
    ),
)
