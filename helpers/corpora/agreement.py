"""Agreement across a clause: does a verb follow its subject, or the noun that stands nearest?

Linzen et al. 2016 (1611.01368) ask it of models of English.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from helpers.corpora.grammar import Grammar

PATTERN = ["noun", "that", "det", "noun", "verb", "verb"]
SUBJECT, NEAR = 5, 2  # words before the last verb


class Clauses(NamedTuple):
    """N texts (N, T) whose verb at `positions` (N,) is hidden.

    subject and near (N,): whether its subject and the noun in the clause between are plural.
    """

    tokens: Tensor
    positions: Tensor
    subject: Tensor
    near: Tensor


def across_clauses(grammar: Grammar, texts: Tensor, most: int = 1000) -> Clauses:
    """Find the first `most` verbs in `texts` (n, T) that a clause parts from their subject."""
    slots = [word.rstrip("sp0123456789") for word in grammar.words]
    plural = torch.tensor([word.endswith("p") for word in grammar.words])
    found = [
        (row, t)
        for row, words in enumerate(texts.tolist())
        for t in range(SUBJECT, len(words))
        if [slots[word] for word in words[t - SUBJECT : t + 1]] == PATTERN
    ]
    rows, positions = torch.tensor(found[:most]).T
    subject, near = (plural[texts[rows, positions - back]] for back in (SUBJECT, NEAR))
    tokens = texts[rows]
    tokens[torch.arange(len(rows)), positions] = grammar.mask_id
    return Clauses(tokens, positions, subject, near)


def right_number(grammar: Grammar, logits: Tensor, clauses: Clauses) -> Tensor:
    """Return which part of the probability of verbs the right number gets, (N,).

    Args:
        logits: what a model says of `clauses.tokens`, (N, T, V).
    """
    likely = logits[torch.arange(len(logits)), clauses.positions].softmax(-1)
    verbs = {
        ending: [n for n, w in enumerate(grammar.words) if w[:4] == "verb" and w[-1] == ending]
        for ending in "sp"
    }
    singular, plural = (likely[:, verbs[ending]].sum(1) for ending in "sp")
    return torch.where(clauses.subject, plural, singular) / (singular + plural)
