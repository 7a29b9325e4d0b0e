"""The lag language: its exact limit against brute force, and BERT's corruption."""

import itertools
import math

import pytest
import torch
from torch import Generator

from helpers.corpora import LagLanguage, MaskedBatch, corrupt

V = 3
SMALL = LagLanguage(num_symbols=V, lag=2, fidelity=0.8, seed=1)


def _evidence(shown: int, true: int, scored: bool) -> float:
    """P(what is shown | the true token), from BERT's recipe read step by step."""
    selected = 1.0 if scored else 0.15
    if shown == SMALL.mask_id:
        return selected * 0.8
    return (1 - selected) * (shown == true) + selected * (0.1 / V + 0.1 * (shown == true))


def _brute_force(inputs: list[int], t: int) -> list[float]:
    """P(x_t | inputs, t is selected), summed over all V^T texts."""
    weights = [0.0] * V
    for text in itertools.product(range(V), repeat=len(inputs)):
        weight = 1.0
        for place, token in enumerate(text):
            weight *= _evidence(inputs[place], token, place == t)
            if place >= SMALL.lag:
                follows = SMALL.rule[text[place - SMALL.lag]] == token
                weight *= SMALL.fidelity * bool(follows) + (1 - SMALL.fidelity) / V
        weights[text[t]] += weight
    return [weight / sum(weights) for weight in weights]


def test_posterior_is_that_of_brute_force() -> None:
    generator = Generator().manual_seed(0)
    inputs = torch.randint(V + 1, (6, 7), generator=generator)
    masked = MaskedBatch(inputs, inputs, torch.ones_like(inputs, dtype=torch.bool))
    found = SMALL.posterior(masked)
    for row, t in itertools.product(range(6), range(7)):
        expected = torch.tensor(_brute_force(inputs[row].tolist(), t), dtype=torch.float64)
        torch.testing.assert_close(found[row, t], expected, rtol=0, atol=1e-12)


def test_the_limit_is_the_mean_surprise_of_brute_force_where_it_is_scored() -> None:
    masked = SMALL.batch(8, 6, Generator().manual_seed(3))
    surprises = [
        -math.log(_brute_force(masked.inputs[row].tolist(), t)[int(masked.targets[row, t])])
        for row, t in masked.selected.nonzero().tolist()
    ]
    assert SMALL.bayes_loss(masked) == pytest.approx(sum(surprises) / len(surprises), abs=1e-12)


def test_the_seed_draws_the_rule() -> None:
    assert len({tuple(LagLanguage(seed=seed).rule.tolist()) for seed in range(4)}) > 1


def test_no_guess_beats_the_limit_and_a_leak_does() -> None:
    language = LagLanguage()
    masked = language.batch(3000, 24, Generator().manual_seed(0))
    limit = language.bayes_loss(masked)
    posterior = language.posterior(masked)
    for temperature in (0.8, 1.25):  # any other opinion costs more
        other = posterior**temperature / (posterior**temperature).sum(-1, keepdim=True)
        right = other.gather(-1, masked.targets[..., None])[..., 0][masked.selected]
        assert -right.log().mean() > limit
    assert 0 < limit < math.log(8)
    leaked = language.bayes_loss(MaskedBatch(masked.targets, masked.targets, masked.selected))
    assert leaked < limit


def test_the_rule_holds_as_often_as_it_says() -> None:
    language = LagLanguage(num_symbols=8, lag=3, fidelity=0.9)
    text = language.sample(2000, 30, Generator().manual_seed(0))
    held = (text[:, 3:] == language.rule[text[:, :-3]]).double().mean()
    assert held == pytest.approx(0.9 + 0.1 / 8, abs=0.005)


def test_corruption_has_berts_rates() -> None:
    tokens = torch.zeros(1000, 200, dtype=torch.int64)
    masked = corrupt(tokens, num_symbols=10, mask_id=10, generator=Generator().manual_seed(0))
    assert masked.selected.double().mean() == pytest.approx(0.15, abs=0.005)
    shown = masked.inputs[masked.selected]
    assert (shown == 10).double().mean() == pytest.approx(0.8, abs=0.01)
    assert ((shown != 10) & (shown != 0)).double().mean() == pytest.approx(0.1 * 9 / 10, abs=0.01)
    assert torch.equal(masked.inputs[~masked.selected], tokens[~masked.selected])


def test_a_seed_gives_the_same_text() -> None:
    first, second = (SMALL.batch(4, 9, Generator().manual_seed(5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first[:3], second[:3], strict=True))
