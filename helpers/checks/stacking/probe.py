"""Unit 06, “A fair probe”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.stacking import common
from helpers.model import probes


def _states(rng: Random, number: int, length: int, width: int) -> Tensor:
    """States that know their position a little, (number, length, width)."""
    x = common.normal_numbers(rng, number, length, width)
    x[..., 1] += 0.3 * (torch.arange(length) - 6)
    return x


def _probed(rng: Random, longer: int = 0, **ridge: float) -> Case:
    """All sizes different: N and M sequences, T and T' positions, D."""
    train = _states(rng, rng.randint(16, 19), rng.randint(11, 14), 5)
    test = _states(rng, rng.randint(7, 9), train.shape[1] + longer, 5)
    options = "".join(f", ridge={value:g}" for value in ridge.values())

    def ask(answer: Answer) -> Any:
        found = answer(train.clone(), test.clone(), **ridge)
        return torch.tensor(float(found)) if isinstance(found, float | int) else found

    return Case(f"(train {tuple(train.shape)}, test {tuple(test.shape)}{options})", ask)


def _new_sequences(rng: Random) -> Iterator[Case]:
    yield _probed(rng)
    yield _probed(rng)


def _another_length(rng: Random) -> Iterator[Case]:
    yield _probed(rng, longer=-rng.randint(3, 4))
    yield _probed(rng, longer=rng.randint(5, 6))


def _any_ridge(rng: Random) -> Iterator[Case]:
    yield _probed(rng, ridge=rng.choice((10.0, 20.0)))
    yield _probed(rng, ridge=rng.choice((50.0, 80.0)))


probe = Exercise(
    "probe",
    probes.position_probe,
    (
        Part("fitted on some sequences, tested on others", 1, _new_sequences),
        Part("test sequences of another length", 0.5, _another_length),
        Part("any ridge", 0.5, _any_ridge),
    ),
)


@probe.mistake(
    "Your error is that on the sequences it was fitted on. A probe with many weights does well "
    "there whatever the states know; judge it on the others."
)
def probe_tested_on_its_training_data(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (z @ w - p).abs().mean()


@probe.mistake(
    "You fit the probe on the very sequences you judge it by. The weights come from train, the "
    "error from test."
)
def probe_fitted_on_the_test_data(train, test, ridge=1e-3):
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    p = torch.arange(test.shape[1]).repeat(len(test)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (z @ w - p).abs().mean()


@probe.mistake("Your Z has no column of ones, so a state of zeros always stands at position 0.")
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
    "This is the mean squared error. Wanted is the mean absolute one, which is in positions."
)
def probe_with_squared_errors(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).square().mean()


@probe.mistake("This is the root of the mean square. Wanted is the mean of the absolute values.")
def probe_with_the_root_of_squared_errors(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).square().mean().sqrt()


@probe.mistake("Errors to the left and to the right cancel in your mean. Take their size first.")
def probe_with_signed_errors(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).mean()


@probe.mistake("You round what the probe says. Leave its numbers as they are: 3.4 misses 3 by 0.4.")
def probe_with_rounded_answers(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return ((z @ w).round() - torch.arange(test.shape[1]).repeat(len(test))).abs().mean()


@probe.mistake(
    "You average over the sequences first. Asked is how well the position can be read from "
    "one state, whatever its token."
)
def probe_of_mean_states(train, test, ridge=1e-3):
    z, y = (torch.cat([s.mean(0), torch.ones_like(s[0, :, :1])], -1) for s in (train, test))
    p, q = torch.arange(len(z)).to(z), torch.arange(len(y)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (y @ w - q).abs().mean()


@probe.mistake("The argument ridge changes nothing in your result.", loses="any ridge")
def probe_without_its_ridge(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.lstsq(z, p[:, None]).solution[:, 0]
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs().mean()


@probe.mistake(
    "You leave the constant out of the ridge. That is often wise, but the formula here holds "
    "all weights back alike.",
    loses="any ridge",
)
def probe_with_a_free_constant(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    held = torch.eye(z.shape[1]).to(z)
    held[-1, -1] = 0
    w = torch.linalg.solve(z.T @ z + ridge * held, z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs().mean()


@probe.mistake(
    "The test sequences have the positions of the training ones in your code. They may be "
    "longer: count them anew.",
    loses="test sequences of another length",
)
def probe_with_positions_of_the_training_length(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(train.shape[1]).repeat(len(test))).abs().mean()


@probe.mistake(
    "Your positions begin at 1. They count from 0, and with a ridge on the constant that makes "
    "a difference.",
    loses="any ridge",
)
def probe_with_positions_from_one(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(1, train.shape[1] + 1).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(1, test.shape[1] + 1).repeat(len(test))).abs().mean()


@probe.mistake(
    "You count the rows of all sequences through. The position begins at 0 again in each sequence."
)
def probe_of_the_row_number(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(len(z)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(len(z))).abs().mean()


@probe.mistake("This is the median error. Wanted is the mean.")
def probe_with_the_median_error(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs().median()


@probe.mistake("You divide by T. Wanted is an error in positions.")
def probe_with_errors_in_lengths(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    errors = (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs()
    return errors.mean() / test.shape[1]
