"""Pictures of symbols: the exact limit against counting all pictures, and what a model is told."""

import itertools
import math

import pytest
import torch
from torch import Generator

from helpers.corpora import MaskedBatch, Patches
from helpers.training.experiments import run

V = 2
SMALL = Patches(step=(1, 1), num_symbols=V, fidelity=0.8, seed=1)


def _evidence(shown: int, true: int, scored: bool) -> float:
    """P(what is shown | the true symbol), from BERT's recipe read step by step."""
    selected = 1.0 if scored else 0.15
    if shown == V:
        return selected * 0.8
    return (1 - selected) * (shown == true) + selected * (0.1 / V + 0.1 * (shown == true))


def _counted(task: Patches, inputs: list[int], t: int) -> list[float]:
    """P(x_t | inputs, t is selected), summed over all pictures of 3×3."""
    weights = [0.0] * V
    down, right = task.step
    for picture in itertools.product(range(V), repeat=9):
        weight = 1.0
        for place, symbol in enumerate(picture):
            weight *= _evidence(inputs[place], symbol, place == t)
            row, column = divmod(place, 3)
            if row >= down and column >= right:
                follows = task.rule[picture[3 * (row - down) + column - right]] == symbol
                weight *= task.fidelity * bool(follows) + (1 - task.fidelity) / V
        weights[picture[t]] += weight
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("step", [(1, 1), (0, 1), (1, 0), (1, 2)])
def test_posterior_is_that_of_counting(step: tuple[int, int]) -> None:
    task = Patches(step=step, num_symbols=V, fidelity=0.8, seed=1)
    inputs = torch.randint(V + 1, (2, 9), generator=Generator().manual_seed(0))
    masked = MaskedBatch(inputs, inputs, torch.ones_like(inputs, dtype=torch.bool))
    found = task.posterior(masked)
    for row, t in itertools.product(range(2), range(9)):
        expected = torch.tensor(_counted(task, inputs[row].tolist(), t), dtype=torch.float64)
        torch.testing.assert_close(found[row, t], expected, rtol=0, atol=1e-12)


def test_the_limit_is_the_mean_surprise_of_counting() -> None:
    masked = SMALL.batch(6, 9, Generator().manual_seed(3))
    surprises = [
        -math.log(_counted(SMALL, masked.inputs[row].tolist(), t)[int(masked.targets[row, t])])
        for row, t in masked.selected.nonzero().tolist()
    ]
    assert SMALL.bayes_loss(masked) == pytest.approx(sum(surprises) / len(surprises), abs=1e-12)


def test_no_guess_beats_the_limit_and_a_leak_does() -> None:
    task = Patches()
    masked = task.batch(1000, 36, Generator().manual_seed(0))
    limit, posterior = task.bayes_loss(masked), task.posterior(masked)
    for temperature in (0.8, 1.25):  # any other opinion costs more
        other = posterior**temperature / (posterior**temperature).sum(-1, keepdim=True)
        right = other.gather(-1, masked.targets[..., None])[..., 0][masked.selected]
        assert -right.log().mean() > limit
    assert 0 < limit < math.log(8)
    assert task.bayes_loss(MaskedBatch(masked.targets, masked.targets, masked.selected)) < limit


@pytest.mark.parametrize("side", [6, 9])
def test_the_rule_holds_a_step_away_in_every_size_and_nowhere_else(side: int) -> None:
    task = Patches()
    picture = task.sample(3000, side * side, Generator().manual_seed(0)).view(-1, side, side)
    held = task.rule[picture[:, :-1, :-2]] == picture[:, 1:, 2:]
    assert held.double().mean() == pytest.approx(0.9 + 0.1 / 8, abs=0.01)
    # As many places before, but in the row above that one: nothing follows across the border.
    wrapped = task.rule[picture[:, :-2, side - 1]] == picture[:, 2:, 1]
    assert wrapped.double().mean() == pytest.approx(1 / 8, abs=0.02)


def test_a_model_is_told_rows_and_columns_or_nothing() -> None:
    given = Patches().batch(2, 9, Generator().manual_seed(0)).given
    rows_and_columns = [[row, column] for row in range(3) for column in range(3)]
    assert given["positions"].tolist() == [rows_and_columns]
    assert not Patches(told="order").batch(2, 9, Generator().manual_seed(0)).given
    for name in ("rotary_2d", "learned_2d", "fourier_2d", "none"):
        assert run(Patches(), name, 0, 1, (9, 16))["loss"].gt(0).all()


def test_a_seed_gives_the_same_pictures() -> None:
    first, second = (SMALL.batch(4, 9, Generator().manual_seed(5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first[:3], second[:3], strict=True))


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="told='all' must be"):
        Patches(told="all")
    for step in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="must not be negative"):
            Patches(step=step)
    with pytest.raises(ValueError, match="length=10 must be a square"):
        Patches().batch(2, 10, Generator())
