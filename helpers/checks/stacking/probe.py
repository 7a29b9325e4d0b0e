"""Unit 06, “A fair probe”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part, call, changed
from helpers.checks.engine.faults import IN_PLACE
from helpers.checks.stacking import common
from helpers.model import probes

NEW, LENGTH = "fitted on some sequences, tested on others", "test sequences of another length"
RIDGE, HARD = "any ridge", "few rows, and states that are nearly alike"


def _states(rng: Random, number: int, length: int, width: int) -> Tensor:
    """States that know their position a little, (number, length, width)."""
    x = common.normal_numbers(rng, number, length, width)
    x[..., -1] += 0.5 * (torch.arange(length) - 6)
    return x


def _of(train: Tensor, test: Tensor, *ridge: float, **named: float) -> Case:
    """What the answer says for these states, float or tensor."""
    case = call(train, test, *ridge, **named)

    def ask(answer: Answer) -> Any:
        return common.as_number(case.ask(answer))

    options = [f"{value:.3g}" for value in ridge]
    options += [f"{name}={value:.3g}" for name, value in named.items()]
    shapes = [f"train {tuple(train.shape)}", f"test {tuple(test.shape)}"]
    return Case(f"({', '.join(shapes + options)})", ask)


def _new_sequences(rng: Random) -> Iterator[Case]:
    """The same shapes twice; N and M sequences, T positions, width D."""
    number, length, width = rng.randint(16, 19), rng.randint(11, 14), rng.randint(4, 6)
    others = rng.randint(7, 9)
    for _ in range(2):
        yield _of(_states(rng, number, length, width), _states(rng, others, length, width))
    yield _of(_states(rng, rng.randint(40, 44), 7, 5), _states(rng, rng.randint(36, 39), 7, 5))


def _another_length(rng: Random) -> Iterator[Case]:
    for number, longer in ((8, -rng.randint(3, 4)), (7, rng.randint(5, 6)), (1, rng.randint(2, 4))):
        length = rng.randint(11, 14)
        train = _states(rng, rng.randint(16, 19), length, 5)
        yield _of(train, _states(rng, number, length + longer, 5))
    number, length = rng.randint(16, 19), rng.randint(11, 14)
    yield _of(_states(rng, number, length, 1), _states(rng, rng.randint(7, 9), length + 2, 1))
    yield _of(_states(rng, number, length, 4), _states(rng, rng.randint(7, 9), 1, 4))
    # More positions than eight bits can count.
    long = rng.randint(270, 280)
    train, test = _states(rng, 3, long, 3), _states(rng, 2, long + 2, 3)
    yield _of(0.05 * train, 0.05 * test)


def _any_ridge(rng: Random) -> Iterator[Case]:
    length, width = rng.randint(11, 14), rng.randint(1, 3)
    train = _states(rng, rng.randint(16, 19), length, 5)
    test = _states(rng, rng.randint(7, 9), length, 5)
    yield _of(train, test, ridge=rng.uniform(10, 20))
    yield _of(train, test, rng.uniform(50, 80))
    yield _of(train, test, ridge=rng.randint(2, 9))  # an int
    yield _of(train, test, ridge=rng.uniform(300, 900))
    yield _of(train, test, ridge=10 ** rng.uniform(4.2, 4.9))
    one = _states(rng, 1, length, width)
    yield _of(one, _states(rng, 1, length - 2, width), ridge=rng.uniform(0.5, 2))
    number = rng.randint(3, 6)
    yield _of(_states(rng, number, 1, 3), _states(rng, number, rng.randint(3, 6), 3), ridge=0.5)


def _hard(rng: Random) -> Iterator[Case]:
    """More weights than rows, where even the default ridge shows; rows that hardly differ."""
    sizes = rng.randint(3, 4), rng.randint(5, 7), rng.randint(34, 40)
    train, test = _states(rng, *sizes), _states(rng, sizes[0] + 2, sizes[1] + 1, sizes[2])
    yield _of(0.03 * train, 0.03 * test)
    yield _of(0.1 * train, 0.1 * test, ridge=rng.uniform(0.5, 1))
    yield _of(1e-4 * train, 1e-4 * test, ridge=10 ** -rng.uniform(8.5, 9.5))
    width = rng.randint(4, 6)
    train, test = _states(rng, 17, 12, width), _states(rng, 8, 12, width)
    row = 3 + common.normal_numbers(rng, width).abs()
    yield _of(row + 0.003 * train, row + 0.003 * test, ridge=10 ** -rng.uniform(6, 7))
    # So alike that float32 shows in the weights; far off, so that all errors have the same sign.
    for _ in range(2):
        far = _states(rng, 3, 1, width) + 8 * torch.eye(width, dtype=torch.float64)[-1]
        yield _of(row + 1e-5 * train, row + 1e-5 * far, ridge=10 ** -rng.uniform(6.8, 7.2))
        train = _states(rng, 17, 12, width)


probe = Exercise(
    "probe",
    probes.position_probe,
    (
        Part(NEW, 0.5, _new_sequences),
        Part(LENGTH, 0.5, _another_length),
        Part(RIDGE, 0.5, _any_ridge),
        Part(HARD, 0.5, _hard),
    ),
    forbidden=(probes._rows,),
    explains=(
        "The rank residual says whether rows differ.",
        "It does not say whether they still know",
        "Write `position_probe`.",
        "It gets the states `train` of some sequences",
    ),
    generic={
        "Neither tensor may be modified": IN_PLACE,
    },
)


def probe_of_states(train, test, ridge=1e-3):
    """A right answer, which the wrong ones below change in one place."""
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    q = torch.arange(test.shape[1]).repeat(len(test)).to(z)
    errors = z @ w - q
    return errors.abs().mean()


@probe.mistake(
    "You return the error on the sequences that the probe was fitted on. A probe with many weights "
    "does well there, whatever the states contain: measure the error on the others.",
    breaks="Error of a linear map from state to position: fitted on (N, T, D), judged on",
)
@changed(probe_of_states, "z @ w - q", "train @ w[:-1] + w[-1] - torch.arange(train.shape[1])")
def probe_tested_on_its_training_data(): ...


@probe.mistake(
    "You fit the probe on the very sequences that you test it on. The weights come from train, the "
    "error from test."
)
@changed(probe_of_states, "    z = torch.cat([train", "    train = test; z = torch.cat([train")
def probe_fitted_on_the_test_data(): ...


@probe.mistake(
    "Your Z has no column of ones, so for a state of zeros the probe always predicts position 0."
)
def probe_without_a_constant(train, test, ridge=1e-3):
    z = train.flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    q = torch.arange(test.shape[1]).repeat(len(test)).to(z)
    return (test.flatten(0, 1) @ w - q).abs().mean()


@probe.mistake(
    "Your targets are the numbers of the sequences in the batch. The first axis is the batch, "
    "the second one the position."
)
def probe_of_the_sequence_number(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(len(train)).repeat_interleave(train.shape[1]).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(len(test)).repeat_interleave(test.shape[1])).abs().mean()


@probe.mistake(
    "Your targets read 0, 0, …, 1, 1, …; but flattened states are in the order of the text: "
    "positions 0 to T−1 of the first sequence, then again of the next."
)
def probe_with_positions_repeated_the_wrong_way(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat_interleave(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat_interleave(len(test))).abs().mean()


@probe.mistake(
    "You average over the sequences first. The question is how well the position can be read "
    "from one state, whatever its token."
)
def probe_of_mean_states(train, test, ridge=1e-3):
    z, y = (torch.cat([s.mean(0), torch.ones_like(s[0, :, :1])], -1) for s in (train, test))
    p, q = torch.arange(len(z)).to(z), torch.arange(len(y)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (y @ w - q).abs().mean()


@probe.mistake("The argument ridge changes nothing in your result.", loses=(RIDGE, HARD))
@changed(
    probe_of_states,
    "solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)",
    'lstsq(z, p[:, None], driver="gelsd").solution[:, 0]',
)
def probe_without_its_ridge(): ...


@probe.mistake(
    "You always use the default ridge. Use the argument.",
    loses=(RIDGE, HARD),
)
@changed(probe_of_states, "+ ridge *", "+ 1e-3 *")
def probe_with_a_fixed_ridge(): ...


@probe.mistake(
    "You leave the constant out of the ridge. That is often wise, but the formula here penalises "
    "all weights alike.",
    loses=(RIDGE, HARD),
    breaks="acts on the weight of the constant too",
)
@changed(
    probe_of_states,
    "ridge * torch.eye(z.shape[1]).to(z)",
    "ridge * torch.ones(z.shape[1]).index_fill(0, torch.tensor(z.shape[1] - 1), 0).diag().to(z)",
)
def probe_with_a_free_constant(): ...


@probe.mistake(
    "You use the positions of the training sequences for the test sequences too. Those may be "
    "longer or shorter: count their positions anew.",
    loses=(LENGTH, RIDGE, HARD),
    breaks="The test sequences may be longer or shorter",
)
@changed(probe_of_states, "torch.arange(test.shape[1])", "torch.arange(train.shape[1])")
def probe_with_positions_of_the_training_length(): ...


@probe.mistake(
    "Your positions begin at 1. They count from 0, and with a ridge on the constant that makes "
    "a difference.",
    loses=(RIDGE, HARD),
)
def probe_with_positions_from_one(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(1, train.shape[1] + 1).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(1, test.shape[1] + 1).repeat(len(test))).abs().mean()


@probe.mistake(
    "You number the rows of all sequences consecutively. The position begins at 0 again in each "
    "sequence."
)
def probe_of_the_row_number(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(len(z)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(len(z))).abs().mean()


@probe.mistake(
    "The ridge is missing from your formula. Where there are fewer rows than weights, ZᵀZ alone "
    "has no inverse.",
    loses=(RIDGE, HARD),
    breaks="there may be fewer rows than weights",
)
@changed(
    probe_of_states,
    "+ ridge * torch.eye(z.shape[1]).to(z), z.T @ p)",
    ", z.T @ p)",
)
def probe_by_the_normal_equations(): ...


@probe.mistake(
    "You compute in float32. Where the states are nearly alike, the entries of ZᵀZ differ only in "
    "digits that float32 does not have. Keep the precision of the states.",
    loses=HARD,
    breaks="so compute in the dtype of the states",
)
@changed(
    probe_of_states,
    "    z = torch.cat([train",
    "    train, test = train.float(), test.float(); z = torch.cat([train",
)
def probe_in_single_precision(): ...
