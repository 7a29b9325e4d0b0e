"""Unit 10, right answers written differently: loops, lists, other dtypes and other counts."""

from __future__ import annotations

import math

import numpy as np
import torch

from tests.checks.variants.longer_places import ANGLES2D, POSITIONS


def turns_in_a_loop(d_head, length, base=10_000.0):
    found = [length / (2 * math.pi * base ** (2 * n / d_head)) for n in range(d_head // 2)]
    return torch.tensor(found), torch.tensor([each >= 1 for each in found])


def turns_by_wavelengths(d_head, length, base=10_000.0):
    waves = 2 * math.pi * base ** (torch.arange(0, d_head, 2).double() / d_head)
    return length / waves, waves <= length


def turns_by_logarithms(d_head, length, base=10_000.0):
    pair = torch.arange(d_head // 2, dtype=torch.float64)
    logs = math.log(length / math.tau) - 2 * pair / d_head * math.log(base)
    return logs.exp(), logs.ge(0)


def turns_through_numpy(d_head, length, base=10_000.0):
    found = length * float(base) ** (-np.arange(0, d_head, 2) / d_head) / np.pi / 2
    return [torch.from_numpy(found), torch.from_numpy(found >= 1)]


def longer_base_by_solving(base, factor, d_head):
    if d_head % 2 or d_head <= 2:
        raise ValueError(f"a head of {d_head} columns has no slowest pair to slow down")
    slowest = base ** (-(d_head - 2) / d_head) / factor
    return slowest ** (-d_head / (d_head - 2))


def longer_base_by_logarithms(base, factor, d_head):
    pairs = d_head // 2
    if pairs < 2 or d_head != 2 * pairs:
        raise ValueError(f"refused: {d_head}")
    return math.exp(math.log(base) + math.log(factor) * pairs / (pairs - 1))


def longer_base_with_a_class_of_errors(base, factor, d_head):
    class WidthError(ValueError):
        pass

    if d_head not in range(4, d_head + 1, 2):
        raise WidthError(f"width {d_head}")
    return base * np.power(float(factor), 1 + 2 / (d_head - 2))


def longer_base_after_dividing(base, factor, d_head):
    try:
        exponent = d_head / (d_head - 2)
    except ZeroDivisionError:
        raise ValueError(f"d_head is {d_head}: a single pair") from None
    if exponent < 0 or d_head & 1:
        raise ValueError(f"d_head is {d_head}")
    return float(torch.tensor(base, dtype=torch.float64) * factor**exponent)


def ramp_by_what_is_taken_off(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    theta = base ** (-torch.arange(0, d_head, 2) / d_head)  # in float32
    taken = 1 - ((trained * theta / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
    return theta - taken * (theta - theta / factor), 0.1 * math.log(factor) + 1


def ramp_in_a_loop(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    found = []
    for n in range(d_head // 2):
        theta = base ** (-2 * n / d_head)
        turned = trained * theta / (2 * math.pi)
        if turned < low:
            found.append(theta / factor)
        elif turned > high:
            found.append(theta)
        else:
            kept = (turned - low) / (high - low)
            found.append((1 - kept) * theta / factor + kept * theta)
    return torch.tensor(found), math.log(factor) / 10 + 1


def ramp_with_where(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    theta = 1 / base ** (torch.arange(0, d_head, 2) / d_head)
    r = trained * theta / math.tau
    kept = (r - low) / (high - low)
    kept = torch.where(r < low, torch.zeros(()), torch.where(r > high, torch.ones(()), kept))
    return theta * (kept + (1 - kept) / factor), 1 + 0.1 * math.log(factor)


def ramp_with_lerp(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    theta = base ** -torch.linspace(0, 1, d_head // 2 + 1, dtype=torch.float64)[:-1]
    waves = 2 * math.pi / theta
    kept = torch.clip((trained / waves - low) / (high - low), min=0, max=1)
    return torch.lerp(theta / factor, theta, kept), 0.1 * math.log(factor) + 1


def ramp_by_a_divisor(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    theta = np.exp(-np.log(base) * np.arange(0, d_head, 2) / d_head)
    kept = np.interp(trained * theta / (2 * np.pi), [low, high], [0.0, 1.0])
    slower = theta * (kept + (1 - kept) / factor)
    return [torch.from_numpy(slower), 0.1 * np.log(factor) + 1]


VARIANTS = {
    "turns": (
        turns_in_a_loop,
        turns_by_wavelengths,
        turns_by_logarithms,
        turns_through_numpy,
    ),
    "longer_base": (
        longer_base_by_solving,
        longer_base_by_logarithms,
        longer_base_with_a_class_of_errors,
        longer_base_after_dividing,
    ),
    "ramp": (
        ramp_in_a_loop,
        ramp_with_where,
        ramp_with_lerp,
        ramp_by_a_divisor,
        ramp_by_what_is_taken_off,
    ),
    "positions": POSITIONS,
    "angles2d": ANGLES2D,
}
