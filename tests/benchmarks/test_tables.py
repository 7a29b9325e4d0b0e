"""What is measured of vectors of positions is what its name says."""

import math

import pytest
import torch

from benchmarks.tables_study import LENGTH, seen, spectrum


def test_a_wave_of_period_three_is_found_as_such() -> None:
    angles = 2 * math.pi / 3 * torch.arange(LENGTH)[:, None]
    wave = torch.cat([angles.sin(), angles.cos()], 1)
    found = seen(wave / 2, wave)
    assert spectrum(wave).sum().item() == pytest.approx(1)
    assert found["growth"] == pytest.approx(2)
    assert found["power at period 3"] == pytest.approx(1)
    assert found["largest other power"] == pytest.approx(0, abs=1e-6)
    assert found["power at periods from 6"] == pytest.approx(0, abs=1e-6)
    assert found["multiples of 3 with a peak of the cosine"] == 1
    assert found["mean cosine at multiples of 3"] == pytest.approx(1)
    assert found["mean cosine at other offsets"] == pytest.approx(-0.5)
    assert found["step after"] == pytest.approx(math.sqrt(3))


def test_a_slow_wave_is_slow() -> None:
    angles = 2 * math.pi / 12 * torch.arange(LENGTH)[:, None]
    found = seen(angles.sin(), torch.cat([angles.sin(), angles.cos()], 1))
    assert found["power at periods from 6"] == pytest.approx(1)
    assert found["multiples of 3 with a peak of the cosine"] < 1
