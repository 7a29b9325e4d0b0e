"""Unit 06: what people write instead of a position probe."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def probe_tested_on_its_training_data(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (z @ w - p).abs().mean()


def probe_fitted_on_the_test_data(train, test, ridge=1e-3):
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    p = torch.arange(test.shape[1]).repeat(len(test)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (z @ w - p).abs().mean()


def probe_without_a_constant(train, test, ridge=1e-3):
    z = train.flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    q = torch.arange(test.shape[1]).repeat(len(test)).to(z)
    return (test.flatten(0, 1) @ w - q).abs().mean()


def probe_of_the_sequence_number(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(len(train)).repeat_interleave(train.shape[1]).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(len(test)).repeat_interleave(test.shape[1])).abs().mean()


def probe_with_positions_repeated_the_wrong_way(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat_interleave(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat_interleave(len(test))).abs().mean()


def probe_with_squared_errors(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).square().mean()


def probe_with_the_root_of_squared_errors(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).square().mean().sqrt()


def probe_with_signed_errors(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).mean()


def probe_with_rounded_answers(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return ((z @ w).round() - torch.arange(test.shape[1]).repeat(len(test))).abs().mean()


def probe_of_mean_states(train, test, ridge=1e-3):
    z, y = (torch.cat([s.mean(0), torch.ones_like(s[0, :, :1])], -1) for s in (train, test))
    p, q = torch.arange(len(z)).to(z), torch.arange(len(y)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    return (y @ w - q).abs().mean()


def probe_without_its_ridge(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.lstsq(z, p[:, None]).solution[:, 0]
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs().mean()


def probe_with_a_free_constant(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    held = torch.eye(z.shape[1]).to(z)
    held[-1, -1] = 0
    w = torch.linalg.solve(z.T @ z + ridge * held, z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs().mean()


def probe_with_positions_of_the_training_length(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(train.shape[1]).repeat(len(test))).abs().mean()


def probe_with_positions_from_one(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(1, train.shape[1] + 1).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(1, test.shape[1] + 1).repeat(len(test))).abs().mean()


def probe_of_the_row_number(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(len(z)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(len(z))).abs().mean()


def probe_with_the_median_error(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    return (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs().median()


def probe_with_errors_in_lengths(train, test, ridge=1e-3):
    z = torch.cat([train, torch.ones_like(train[..., :1])], -1).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z = torch.cat([test, torch.ones_like(test[..., :1])], -1).flatten(0, 1)
    errors = (z @ w - torch.arange(test.shape[1]).repeat(len(test))).abs()
    return errors.mean() / test.shape[1]


_NEW = "fitted on some sequences, tested on others"
_LENGTH = "test sequences of another length"
_RIDGE = "any ridge"
_ALL = (_NEW, _LENGTH, _RIDGE)
PROBE = (
    Mistake(
        probe_tested_on_its_training_data,
        "Your error is that on the sequences it was fitted on. A probe with many weights does well "
        "there whatever the states know; judge it on the others.",
        _ALL,
    ),
    Mistake(
        probe_fitted_on_the_test_data,
        "You fit the probe on the very sequences you judge it by. The weights come from train, the "
        "error from test.",
        _ALL,
    ),
    Mistake(
        probe_without_a_constant,
        "Your Z has no column of ones, so a state of zeros always stands at position 0.",
        _ALL,
    ),
    Mistake(
        probe_of_the_sequence_number,
        "Your targets are the numbers of the sequences in the batch. The first axis is the batch, "
        "the second one the position.",
        _ALL,
    ),
    Mistake(
        probe_with_positions_repeated_the_wrong_way,
        "Your targets read 0, 0, …, 1, 1, …; but flattened states are in the order of the text: "
        "positions 0 to T−1 of the first sequence, then again of the next.",
        _ALL,
    ),
    Mistake(
        probe_with_squared_errors,
        "This is the mean squared error. Wanted is the mean absolute one, which is in positions.",
        _ALL,
    ),
    Mistake(
        probe_with_the_root_of_squared_errors,
        "This is the root of the mean square. Wanted is the mean of the absolute values.",
        _ALL,
    ),
    Mistake(
        probe_with_signed_errors,
        "Errors to the left and to the right cancel in your mean. Take their size first.",
        _ALL,
    ),
    Mistake(
        probe_with_rounded_answers,
        "You round what the probe says. Leave its numbers as they are: 3.4 misses 3 by 0.4.",
        _ALL,
    ),
    Mistake(
        probe_of_mean_states,
        "You average over the sequences first. Asked is how well the position can be read from "
        "one state, whatever its token.",
        _ALL,
    ),
    Mistake(
        probe_without_its_ridge,
        "The argument ridge changes nothing in your result.",
        (_RIDGE,),
    ),
    Mistake(
        probe_with_a_free_constant,
        "You leave the constant out of the ridge. That is often wise, but the formula here holds "
        "all weights back alike.",
        (_RIDGE,),
    ),
    Mistake(
        probe_with_positions_of_the_training_length,
        "The test sequences have the positions of the training ones in your code. They may be "
        "longer: count them anew.",
        (_LENGTH,),
    ),
    Mistake(
        probe_with_positions_from_one,
        "Your positions begin at 1. They count from 0, and with a ridge on the constant that makes "
        "a difference.",
        (_RIDGE,),
    ),
    Mistake(
        probe_of_the_row_number,
        "You count the rows of all sequences through. The position begins at 0 again in each "
        "sequence.",
        _ALL,
    ),
    Mistake(
        probe_with_the_median_error,
        "This is the median error. Wanted is the mean.",
        _ALL,
    ),
    Mistake(
        probe_with_errors_in_lengths,
        "You divide by T. Wanted is an error in positions.",
        _ALL,
    ),
)
