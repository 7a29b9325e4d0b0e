"""Sinusoidal encoding against code that others wrote, against the formula, and by property."""

import copy
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from helpers.encodings import (
    Sinusoidal,
    offset_profile,
    shift_matrix,
    sinusoidal_table,
    wavelengths,
)
from tests.encodings import hooks

SIZES = st.integers(1, 40)
BASES = st.floats(2, 1e5)


@given(st.integers(1, 20), BASES)
def test_a_wavelength_brings_the_sine_back(half: int, base: float) -> None:
    first = sinusoidal_table(2, 2 * half, base)[1]  # one position on: the angle is ω itself
    turns = torch.atan2(first[0::2], first[1::2]) * wavelengths(2 * half, base)
    torch.testing.assert_close(turns, torch.full_like(turns, 2 * math.pi), rtol=1e-9, atol=0)


@given(st.integers(-40, 40), st.integers(1, 20), BASES)
def test_shift_matrix_moves_every_row(k: int, half: int, base: float) -> None:
    table = sinusoidal_table(120, 2 * half, base)
    here = torch.arange(40, 80)
    moved = table[here] @ shift_matrix(k, 2 * half, base).T
    torch.testing.assert_close(moved, table[here + k], rtol=0, atol=1e-10)


@given(st.integers(2, 30), st.integers(1, 12), BASES)
def test_profile_of_sinusoids_is_a_sum_of_cosines(length: int, half: int, base: float) -> None:
    omega = 2 * math.pi / wavelengths(2 * half, base)
    expected = torch.outer(torch.arange(length).double(), omega).cos().mean(1)
    found = offset_profile(sinusoidal_table(length, 2 * half, base))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)


def test_profile_of_any_table_is_a_mean_over_pairs() -> None:
    table = torch.randn(9, 5, dtype=torch.float64) + 1
    means = [sum(float(table[p] @ table[p + k]) for p in range(9 - k)) / (9 - k) for k in range(9)]
    expected = torch.tensor(means, dtype=torch.float64) / means[0]
    torch.testing.assert_close(offset_profile(table), expected, rtol=0, atol=1e-12)


def test_a_checkpoint_has_the_table_and_nothing_is_trained() -> None:
    module = copy.deepcopy(Sinusoidal(8, max_len=4)).to(torch.float16)
    assert not list(module.parameters()) and list(module.state_dict()) == ["table"]
    x = torch.zeros(1, 4, 8, dtype=torch.float16)
    expected = sinusoidal_table(4, 8).half()
    torch.testing.assert_close(hooks.embed(module, x)[0], expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Sinusoidal(0), ["d_model=0"]),
        (lambda: shift_matrix(1, 7), ["d_model=7", "even"]),
        (lambda: sinusoidal_table(-1, 4), ["num_positions=-1"]),
        (lambda: sinusoidal_table(3, 4, base=0), ["base=0"]),
    ],
)
def test_wrong_arguments_are_named(build: object, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        build()  # type: ignore[operator]
    assert all(word in str(error.value) for word in words)
