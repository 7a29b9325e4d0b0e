"""Unit 05: what people write instead of CoPE's positions, and where they look for papers."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.after_bert_attention import ROPE_ATTENTION
from helpers.checks.mistakes.after_bert_bias import ALIBI_BIAS
from helpers.checks.mistakes.after_bert_buckets import BUCKETS
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


def xpos_by_scores(paper):
    return {"A": "scores", "B": "scores", "C": "embed", "D": ()}[paper]


def xpos_by_two_hooks(paper):
    return {"A": ("rotate", "scores"), "B": ("scores",), "C": ("embed",), "D": ()}[paper]


def xpos_at_the_input(paper):
    return {"A": "embed", "B": "scores", "C": "embed", "D": ()}[paper]


def tupe_at_the_input(paper):
    return {"A": "rotate", "B": "embed", "C": "embed", "D": ()}[paper]


def tupe_by_rotation(paper):
    return {"A": "rotate", "B": "rotate", "C": "embed", "D": ()}[paper]


def tupe_on_the_way_out(paper):
    return {"A": "rotate", "B": "context", "C": "embed", "D": ()}[paper]


def tupe_by_two_hooks(paper):
    return {"A": ("rotate",), "B": ("embed", "scores"), "C": ("embed",), "D": ()}[paper]


def fourier_by_rotation(paper):
    return {"A": "rotate", "B": "scores", "C": "rotate", "D": ()}[paper]


def fourier_by_scores(paper):
    return {"A": "rotate", "B": "scores", "C": "scores", "D": ()}[paper]


def nope_by_a_mask(paper):
    return {"A": "rotate", "B": "scores", "C": "embed", "D": "scores"}[paper]


def nope_at_the_input(paper):
    return {"A": "rotate", "B": "scores", "C": "embed", "D": "embed"}[paper]


HOOKS = (
    Mistake(
        xpos_by_scores,
        "A: the score does fade with the offset in the end, but nothing is added to it. To which "
        "tensors do the turning and the factors happen?",
        ("paper A",),
    ),
    Mistake(
        xpos_by_two_hooks,
        "A: the factors, like the turning, belong to a query or to a key alone. Does a hook that "
        "sees both at once have anything left to do?",
        ("paper A",),
    ),
    Mistake(
        xpos_at_the_input,
        "A: the token vectors stay as they are. Queries and keys exist only inside a layer.",
        ("paper A",),
    ),
    Mistake(
        tupe_at_the_input,
        "B: a vector for each position looks like BERT's table, but no token vector has it added. "
        "Where does the product of two of them go?",
        ("paper B",),
    ),
    Mistake(
        tupe_by_rotation,
        "B: queries and keys of the tokens are not changed. What is it that something is added to?",
        ("paper B",),
    ),
    Mistake(
        tupe_on_the_way_out,
        "B: the values are not touched. The product is there before the softmax.",
        ("paper B",),
    ),
    Mistake(
        tupe_by_two_hooks,
        "B: one of your two hooks has nothing to do: the token vectors never meet the position "
        "vectors.",
        ("paper B",),
    ),
    Mistake(
        fourier_by_rotation,
        "C: sines and cosines alone do not make a rotation. Look at where the MLP's output goes.",
        ("paper C",),
    ),
    Mistake(
        fourier_by_scores,
        "C: the MLP's output has one vector for each token, not a number for each pair.",
        ("paper C",),
    ),
    Mistake(
        nope_by_a_mask,
        "D: the causal mask says who may be looked at; every decoder has it, with any encoding. "
        "What does this paper add beside it?",
        ("paper D",),
    ),
    Mistake(
        nope_at_the_input,
        "D: the token vectors enter the first layer just as the embedding gives them.",
        ("paper D",),
    ),
)
