"""Lag language, pictures, trees, moves: exact limits against all texts, and their rules."""

import math
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from helpers.corpora import LagLanguage, MaskedBatch, Patches, Reverse, Shift, TreeLanguage, corrupt
from helpers.encodings import tree_depths, tree_offsets
from helpers.training.experiments import run

LAG = LagLanguage(num_symbols=3, lag=2, fidelity=0.8, seed=1)
TREE = TreeLanguage(num_symbols=3, fidelity=0.7, seed=1)
STEPS = [(1, 1), (0, 1), (1, 0), (1, 2)]
PATCHES = [Patches(step=step, num_symbols=2, fidelity=0.8, seed=1) for step in STEPS]
SMALL: list[tuple[Any, int]] = [(LAG, 7), *((each, 9) for each in PATCHES), (TREE, 7)]


def _parents(task: Any, masked: MaskedBatch) -> list[list[int]]:
    """Which token each token follows, or -1."""
    if masked.parents is not None:
        return masked.parents.tolist()
    batch, length = masked.inputs.shape
    if isinstance(task, LagLanguage):
        return batch * [[max(t - task.lag, -1) for t in range(length)]]
    down, right = task.step
    places = [divmod(t, 3) for t in range(length)]
    return batch * [
        [3 * (i - down) + j - right if i >= down and j >= right else -1 for i, j in places]
    ]


def _brute_force(task: Any, inputs: Tensor, parents: list[int]) -> Tensor:
    """P(x_t | inputs, t is selected), (T, V), summed over all V^T texts."""
    words, length = len(task.rule), len(inputs)
    texts = torch.cartesian_prod(*[torch.arange(words)] * length)
    prior = torch.ones(len(texts), dtype=torch.float64)
    for place, parent in enumerate(parents):
        if parent >= 0:
            follows = (task.rule[texts[:, parent]] == texts[:, place]).double()
            prior *= task.fidelity * follows + (1 - task.fidelity) / words

    def shown(selected: float) -> Tensor:
        """P(what is shown | the true token), from BERT's recipe read step by step."""
        same = (texts == inputs).double()
        kept = (1 - selected) * same + selected * (0.1 / words + 0.1 * same)
        return torch.where(inputs == task.mask_id, selected * 0.8, kept)

    others, scored = shown(0.15), shown(1.0)
    found = torch.zeros(length, words, dtype=torch.float64)
    for t in range(length):
        weight = prior * others.prod(1) / others[:, t] * scored[:, t]
        found[t].index_add_(0, texts[:, t], weight)
    return found / found.sum(1, keepdim=True)


@pytest.mark.parametrize("task, length", SMALL)
def test_posterior_and_limit_are_those_of_all_texts(task: Any, length: int) -> None:
    generator = Generator().manual_seed(0)
    masked = task.batch(6, length, generator)
    inputs = torch.randint(task.mask_id + 1, (6, length), generator=generator)
    masked = masked._replace(inputs=inputs)
    rows = zip(inputs, _parents(task, masked), strict=True)
    expected = torch.stack([_brute_force(task, *row) for row in rows])
    torch.testing.assert_close(task.posterior(masked), expected, rtol=0, atol=1e-12)
    right = expected.gather(-1, masked.targets[..., None])[..., 0][masked.selected]
    assert task.bayes_loss(masked) == pytest.approx(-right.log().mean().item(), abs=1e-12)


@pytest.mark.parametrize(
    "task, length", [(LagLanguage(), 24), (Patches(), 36), (TreeLanguage(), 24)]
)
def test_no_guess_beats_the_limit_and_a_leak_does(task: Any, length: int) -> None:
    masked = task.batch(1000, length, Generator().manual_seed(0))
    limit, posterior = task.bayes_loss(masked), task.posterior(masked)
    for temperature in (0.8, 1.25):  # any other opinion costs more
        other = posterior**temperature / (posterior**temperature).sum(-1, keepdim=True)
        right = other.gather(-1, masked.targets[..., None])[..., 0][masked.selected]
        assert -right.log().mean() > limit
    assert 0 < limit < math.log(8)
    assert task.bayes_loss(masked._replace(inputs=masked.targets)) < limit


@pytest.mark.parametrize("task, length", SMALL)
def test_a_seed_gives_the_same_texts(task: Any, length: int) -> None:
    first, second = (task.batch(4, length, Generator().manual_seed(5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first[:3], second[:3], strict=True))
    assert not torch.equal(first.targets, task.batch(4, length, Generator()).targets)


def test_the_seed_draws_the_rule() -> None:
    assert len({tuple(LagLanguage(seed=seed).rule.tolist()) for seed in range(4)}) > 1


def test_the_rule_of_a_lag_holds_as_often_as_it_says() -> None:
    language = LagLanguage(num_symbols=8, lag=3, fidelity=0.9)
    text = language.sample(2000, 30, Generator().manual_seed(0))
    held = (text[:, 3:] == language.rule[text[:, :-3]]).double().mean()
    assert held == pytest.approx(0.9 + 0.1 / 8, abs=0.005)


@pytest.mark.parametrize("side", [6, 9])
def test_the_rule_of_a_picture_holds_a_step_away_and_not_across_its_border(side: int) -> None:
    task = Patches()
    picture = task.sample(3000, side * side, Generator().manual_seed(0)).view(-1, side, side)
    held = task.rule[picture[:, :-1, :-2]] == picture[:, 1:, 2:]
    assert held.double().mean() == pytest.approx(0.9 + 0.1 / 8, abs=0.01)
    # As many places before, but in the row above that one.
    wrapped = task.rule[picture[:, :-2, side - 1]] == picture[:, 2:, 1]
    assert wrapped.double().mean() == pytest.approx(1 / 8, abs=0.02)


def test_words_follow_their_parents_and_their_order_says_nothing() -> None:
    language = TreeLanguage()
    tokens, parents = language.sample(400, 12, Generator().manual_seed(0))
    rows, places = (parents >= 0).nonzero(as_tuple=True)
    above = tokens[rows, parents[rows, places]]
    kept = (language.rule[above] == tokens[rows, places]).double().mean()
    assert kept == pytest.approx(0.9 + 0.1 / 8, abs=0.02)
    assert (places > parents[rows, places]).double().mean() == pytest.approx(0.5, abs=0.03)


def test_corruption_has_berts_rates() -> None:
    tokens = torch.zeros(1000, 200, dtype=torch.int64)
    masked = corrupt(tokens, num_symbols=10, mask_id=10, generator=Generator().manual_seed(0))
    assert masked.selected.double().mean() == pytest.approx(0.15, abs=0.005)
    shown = masked.inputs[masked.selected]
    assert (shown == 10).double().mean() == pytest.approx(0.8, abs=0.01)
    assert ((shown != 10) & (shown != 0)).double().mean() == pytest.approx(0.1 * 9 / 10, abs=0.01)
    assert torch.equal(masked.inputs[~masked.selected], tokens[~masked.selected])


def test_a_model_is_told_the_tree_as_asked() -> None:
    for told, word, function in [
        ("offsets", "offsets", tree_offsets),
        ("depths", "positions", tree_depths),
    ]:
        masked = TreeLanguage(told=told).batch(3, 9, Generator().manual_seed(0))
        assert masked.parents is not None and list(masked.given) == [word]
        assert torch.equal(masked.given[word], function(masked.parents))
    assert not TreeLanguage(told="nothing").batch(3, 9, Generator().manual_seed(0)).given


def test_a_model_is_told_rows_and_columns_or_nothing() -> None:
    given = Patches().batch(2, 9, Generator().manual_seed(0)).given
    rows_and_columns = [[row, column] for row in range(3) for column in range(3)]
    assert given["positions"].tolist() == [rows_and_columns]
    assert not Patches(told="order").batch(2, 9, Generator().manual_seed(0)).given
    for name in ("rotary_2d", "none"):
        assert run(Patches(), name, 0, 1, (9, 16))["loss"].gt(0).all()


def test_shift_and_reverse_say_what_stands_elsewhere() -> None:
    masked = Shift(lag=3).batch(4, 9, Generator().manual_seed(0))
    assert torch.equal(masked.targets[:, 3:], masked.inputs[:, :-3])
    assert masked.selected.tolist() == [[False] * 3 + [True] * 6] * 4
    masked = Reverse().batch(4, 9, Generator().manual_seed(0))
    assert torch.equal(masked.targets, masked.inputs.flip(1)) and masked.selected.all()


def test_what_is_no_task_is_refused() -> None:
    for task in (Patches, TreeLanguage):
        with pytest.raises(ValueError, match="told='all' must be"):
            task(told="all")
    for step in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="must not be negative"):
            Patches(step=step)
    with pytest.raises(ValueError, match="length=10 must be a square"):
        Patches().batch(2, 10, Generator())
    parents = torch.zeros(1, 2, dtype=torch.int64)
    with pytest.raises(ValueError, match="parents are missing"):
        TREE.bayes_loss(MaskedBatch(parents, parents, parents))


def test_a_lag_that_leads_nowhere_is_refused() -> None:
    for lag in (0, -1):
        with pytest.raises(ValueError, match=f"lag={lag} must be at least 1"):
            LagLanguage(lag=lag)
