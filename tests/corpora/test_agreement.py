"""The verbs that a clause parts from their subject, and how much goes to the right number."""

import torch
from torch import Generator

from helpers.corpora import Grammar, MaskedBatch
from helpers.corpora.agreement import across_clauses, right_number


def test_cases_are_hidden_verbs_and_the_exact_answer_always_knows_their_number() -> None:
    grammar = Grammar()
    texts = grammar.sample(60, Generator().manual_seed(0))
    clauses = across_clauses(grammar, texts, most=40)
    assert clauses.tokens.shape == (40, 64)
    assert ((clauses.tokens == grammar.mask_id).sum(1) == 1).all()
    assert 0.2 < (clauses.subject == clauses.near).double().mean() < 0.8
    truth = clauses.tokens.clone()
    exact = grammar.posterior(MaskedBatch(clauses.tokens, truth, clauses.tokens == grammar.mask_id))
    right = right_number(grammar, exact.log(), clauses)
    assert (right > 0.99).all()  # not 1: a noun that is seen may be one of the random words


def test_a_model_that_knows_nothing_gives_half_and_one_that_follows_the_noun_errs() -> None:
    grammar = Grammar()
    clauses = across_clauses(grammar, grammar.sample(20, Generator().manual_seed(0)))
    number = len(clauses.tokens)
    even = torch.zeros(number, 64, grammar.vocab_size)
    assert torch.allclose(right_number(grammar, even, clauses), torch.full((number,), 0.5))
    follows = even.clone()
    for n, plural in enumerate(clauses.near.tolist()):
        verb = grammar.words.index("verb00p" if plural else "verb00s")
        follows[n, clauses.positions[n], verb] = 99.0
    right = right_number(grammar, follows, clauses)
    assert torch.allclose(right, (clauses.subject == clauses.near).float())
