"""Sinusoidal encoding against code that others wrote, against the formula, and by property."""

import copy
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

from helpers import encodings
from helpers.book import d2l
from helpers.encodings import (
    Sinusoidal,
    offset_profile,
    shift_matrix,
    sinusoidal_table,
    wavelengths,
)

SIZES = st.integers(1, 40)
BASES = st.floats(2, 1e5)


@given(st.integers(0, 60), SIZES, BASES)
def test_table_is_the_formula_one_entry_at_a_time(length: int, width: int, base: float) -> None:
    slow = torch.tensor(
        [
            [
                (math.cos if c % 2 else math.sin)(p / base ** (c // 2 * 2 / width))
                for c in range(width)
            ]
            for p in range(length)
        ],
        dtype=torch.float64,
    ).view(length, width)
    torch.testing.assert_close(sinusoidal_table(length, width, base), slow, rtol=0, atol=1e-12)


def test_table_is_that_of_distilbert() -> None:
    theirs = torch.empty(512, 768, dtype=torch.float64)
    create_sinusoidal_embeddings(512, 768, theirs)
    # It rounds to float32 on the way.
    torch.testing.assert_close(sinusoidal_table(512, 768), theirs, rtol=0, atol=3e-8)


def test_table_is_that_of_the_book_to_single_precision() -> None:
    theirs = d2l.PositionalEncoding(64, dropout=0, max_len=200).P[0].double()
    torch.testing.assert_close(sinusoidal_table(200, 64), theirs, rtol=0, atol=2e-5)


def test_m2m100_differs_by_its_exponent_and_by_nothing_else() -> None:
    length, half = 64, 32
    theirs = M2M100SinusoidalPositionalEmbedding.get_embedding(length, 2 * half, None)
    ours = sinusoidal_table(length, 2 * half).float()
    ours = torch.cat([ours[:, 0::2], ours[:, 1::2]], 1)  # it concatenates the halves
    assert (theirs - ours).abs().max() > 0.5
    omega = 10_000.0 ** (-np.arange(half) / (half - 1))  # D/2 − 1 instead of D/2
    angle = np.arange(length)[:, None] * omega
    exact = torch.tensor(np.concatenate([np.sin(angle), np.cos(angle)], 1))
    torch.testing.assert_close(theirs.double(), exact, rtol=0, atol=2e-5)


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


def test_shift_matrices_are_rotations_that_add_up() -> None:
    matrix = shift_matrix(3, 16)
    torch.testing.assert_close(matrix @ matrix.T, torch.eye(16).double(), rtol=0, atol=1e-12)
    torch.testing.assert_close(
        matrix @ shift_matrix(4, 16), shift_matrix(7, 16), rtol=0, atol=1e-12
    )


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


@pytest.mark.parametrize("width", [1, 7, 8])
def test_module_adds_the_rows(width: int) -> None:
    module = Sinusoidal(width, max_len=30).double()
    x = torch.randn(3, 11, width, dtype=torch.float64)
    expected = x + sinusoidal_table(11, width)
    torch.testing.assert_close(module.embed(x), expected, rtol=0, atol=1e-6)
    positions = torch.randint(30, (3, 11))
    chosen = x + sinusoidal_table(30, width)[positions]
    torch.testing.assert_close(module.embed(x, positions), chosen, rtol=0, atol=1e-6)


def test_module_has_a_buffer_that_moves_and_no_parameter() -> None:
    module = copy.deepcopy(Sinusoidal(8, max_len=4))
    assert not list(module.parameters())
    assert module.to(torch.float16).table.dtype == torch.float16
    assert not module.state_dict()  # it is computed, so a checkpoint need not carry it


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Sinusoidal(8, max_len=4).embed(torch.zeros(1, 5, 8)), ["T=5", "max_len=4"]),
        (lambda: Sinusoidal(0), ["d_model=0"]),
        (lambda: Sinusoidal(8, num_heads=3), ["num_heads=3", "d_model=8"]),
        (lambda: shift_matrix(1, 7), ["d_model=7", "even"]),
        (lambda: sinusoidal_table(-1, 4), ["num_positions=-1"]),
        (lambda: sinusoidal_table(3, 4, base=0), ["base=0"]),
        (lambda: encodings.create("sine", d_model=8), ["'sine'", "sinusoidal"]),
    ],
)
def test_wrong_arguments_are_named(build: object, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        build()  # type: ignore[operator]
    assert all(word in str(error.value) for word in words)


def test_every_name_can_be_created() -> None:
    x = torch.randn(2, 5, 8)
    for name in encodings.available():
        assert encodings.create(name, d_model=8, num_heads=2, max_len=9).embed(x).shape == x.shape
