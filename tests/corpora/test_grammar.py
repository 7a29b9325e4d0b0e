"""The grammar: its exact limit against every path, its rules, and verbs that a clause parts off."""

import itertools

import pytest
import torch
from torch import Generator, Tensor

from helpers.corpora import Grammar, MaskedBatch
from helpers.corpora.agreement import across_clauses, right_number
from helpers.corpora.grammar import KINDS, _Draw

SMALL = Grammar(length=8, beats=(3,), echo=2)


def _shown(inputs: int, scored: bool) -> Tensor:
    """P(what is shown | each true word), (V,), from BERT's recipe read step by step."""
    words, selected = SMALL.num_symbols, 1.0 if scored else 0.15
    if inputs == SMALL.mask_id:
        return torch.full((words,), selected * 0.8, dtype=torch.float64)
    right = torch.zeros(words, dtype=torch.float64)
    right[inputs] = 1.0
    return (1 - selected) * right + selected * (0.1 / words + 0.1 * right)


def _brute_force(inputs: list[int], t: int) -> Tensor:
    """P(x_t | inputs, t is selected), summed over every path of states, one by one."""
    see = [_shown(each, place == t) for place, each in enumerate(inputs)]
    found = torch.zeros(SMALL.num_symbols, dtype=torch.float64)
    sentences = [t for t in range(len(inputs)) if t not in (3, 6, 7)]
    for path, share in _paths(len(sentences)):
        # Given the path all places but a word and its echo are independent.
        joint = dict(zip(sentences, (SMALL.emission[s] for s in path), strict=True))
        weight, here = share, torch.zeros(SMALL.num_symbols, dtype=torch.float64)
        for place in [t for t in range(len(inputs)) if t not in (6, 7)]:
            if place in SMALL.beat_places:
                term = SMALL.beats[0] * see[place]
            elif place < SMALL.echo:
                echo = 6 + place
                pair = joint[place][:, None] * see[place][:, None] * SMALL.copied * see[echo]
                term = pair.sum(0) if t == echo else pair.sum(1)
                here = term if t in (place, echo) else here
                weight = weight * (1.0 if t in (place, echo) else float(term.sum()))
                continue
            else:
                term = joint[place] * see[place]
            here = term if t == place else here
            weight = weight * (1.0 if t == place else float(term.sum()))
        found += weight * here
    return found / found.sum()


def _paths(length: int) -> list[tuple[list[int], float]]:
    paths = [([int(s)], float(SMALL.start[s])) for s in SMALL.start.nonzero()[:, 0]]
    for _ in range(length - 1):
        paths = [
            ([*path, int(s)], share * float(SMALL.transition[path[-1], s]))
            for path, share in paths
            for s in SMALL.transition[path[-1]].nonzero()[:, 0]
        ]
    return paths


@pytest.mark.parametrize("length", [8, 9])
def test_posterior_is_that_of_every_path(length: int) -> None:
    masked = SMALL.batch(4, length, Generator().manual_seed(0))
    found = SMALL.posterior(masked)
    for row, t in itertools.product(range(4), range(length)):
        expected = _brute_force(masked.inputs[row].tolist(), t)
        torch.testing.assert_close(found[row, t], expected, rtol=0, atol=1e-12)


def test_the_rules_hold_in_the_text() -> None:
    grammar = Grammar()
    tokens = grammar.sample(300, Generator().manual_seed(0), length=70)
    first = grammar.num_symbols - 4
    for n, t in enumerate(grammar.beat_places):
        assert (tokens[:, t] == first + n).double().mean() == pytest.approx(0.9, abs=0.06)
    assert (tokens[:, 60:64] == tokens[:, :4]).double().mean() == pytest.approx(0.9, abs=0.04)
    sentences = [t for t in range(70) if t not in (8, 24, 40, 56, 60, 61, 62, 63)]
    for row in tokens[:, sentences].tolist():
        subjects: list[str] = []  # of clauses that wait for their verb
        for word in (grammar.words[token] for token in row):
            if word.startswith("noun"):
                subjects.append(word[-1])
            elif word.startswith("verb"):
                assert word[-1] == subjects.pop()


def test_kinds_are_by_place_then_by_word() -> None:
    grammar = Grammar()
    tokens = grammar.sample(20, Generator().manual_seed(0))
    kinds = grammar.kinds(tokens)
    names = [[KINDS[kind] for kind in row] for row in kinds.tolist()]
    for row, words in zip(names, tokens.tolist(), strict=True):
        for t, (name, token) in enumerate(zip(row, words, strict=True)):
            expected = "beat" if t in grammar.beat_places else "echo" if t >= 60 else None
            verb = "verb" if grammar.words[token].startswith("verb") else "other"
            assert name == (expected or verb)


def test_a_shorter_text_is_refused() -> None:
    with pytest.raises(ValueError, match="length=32: this grammar has texts of 64"):
        Grammar().batch(2, 32, Generator())
    blank = torch.zeros(1, 64, dtype=torch.int64)
    assert Grammar().posterior(MaskedBatch(blank, blank, blank.bool())).shape[1] == 64


def test_no_random_number_draws_a_word_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = torch.tensor([[0.0, 0.7, 0.3, 0.0], [0.1, 0.0, 0.0, 0.9]], dtype=torch.float64)
    for end, expected in ((0.0, [2, 3]), (1 - 2**-24, [1, 0])):
        monkeypatch.setattr(torch, "rand", lambda n, end=end, **_: torch.full((n,), end))
        assert _Draw(shares)(torch.arange(2), Generator()).tolist() == expected


@pytest.mark.parametrize("beats", [(1,), (62,), (64,), (-3,)])
def test_a_beat_in_the_echo_or_beyond_the_text_is_refused(beats: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"beats=.* from 4 to 59"):
        Grammar(beats=beats)


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
