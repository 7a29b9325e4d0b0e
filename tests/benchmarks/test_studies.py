"""The encodings, layers and measures that only studies have are what their names say."""

import itertools
import math

import pytest
import torch

from benchmarks.controls_study import ClippedRotary, ShawPerHead
from benchmarks.patches_study import ClippedRotary2d
from benchmarks.stack_study import NoSkips, known
from benchmarks.tables_study import LENGTH, seen
from helpers.corpora.patches import places
from helpers.encodings import Encoding, Positions, Rotary2d, Shaw
from tests.encodings import hooks


def test_a_clipped_rope_turns_by_the_clipped_offset() -> None:
    torch.manual_seed(0)
    q, k = torch.randn(2, 1, 2, 9, 4, dtype=torch.float64)
    scores = q @ k.mT + hooks.scores(ClippedRotary(8, 2, far=3), q, k)
    # A pair of columns as a complex number.
    offset = torch.arange(9) - torch.arange(9)[:, None]
    turns = offset.clamp(-3, 3)[..., None] * torch.tensor([1.0, 0.01], dtype=torch.float64)
    as_complex = [torch.view_as_complex(each.unflatten(-1, (2, 2))) for each in (q, k)]
    pairs = as_complex[0].conj()[..., :, None, :] * as_complex[1][..., None, :, :]
    expected = (pairs * torch.polar(torch.ones_like(turns), turns)).real.sum(-1)
    assert torch.allclose(scores, expected, atol=1e-12)


def test_a_clipped_rope_of_pictures_turns_by_the_clipped_rows_and_columns() -> None:
    torch.manual_seed(0)
    q, k = torch.randn(2, 1, 2, 16, 12, dtype=torch.float64)
    at = Positions(places(16), places(16))
    scores = q @ k.mT + hooks.scores(ClippedRotary2d(24, 2, far=2), q, k, positions=at)
    # Key j moved so that it stands at the clipped offset, one pair of patches at a time.
    rope = Rotary2d(24, 2)
    for i, j in itertools.product(range(16), repeat=2):
        here, there = at.queries[0, i], at.keys[0, j]
        moved = here + (there - here).clamp(-2, 2)
        one = Positions(here[None, None], moved[None, None])
        own_q, own_k = rope.rotate(q[:, :, i : i + 1], k[:, :, j : j + 1], one)
        expected = (own_q * own_k).sum(-1)[..., 0]
        assert torch.allclose(scores[:, :, i, j], expected, atol=1e-12)


def test_each_head_has_shaws_encoding_with_tables_of_its_own() -> None:
    torch.manual_seed(0)
    per_head = ShawPerHead(12, 3, k=2).double()
    q, k = torch.randn(2, 2, 3, 7, 4, dtype=torch.float64)
    weights = torch.rand(2, 3, 7, 7, dtype=torch.float64)
    scores, context = hooks.scores(per_head, q, k), hooks.context(per_head, weights)
    for head in range(3):
        alone, one = Shaw(4, 1, k=2).double(), slice(head, head + 1)
        alone.load_state_dict({name: table[head] for name, table in per_head.state_dict().items()})
        of_head = hooks.scores(alone, q[:, one], k[:, one])
        assert torch.allclose(scores[:, one], of_head, atol=1e-12)
        of_head = hooks.context(alone, weights[:, one])
        assert torch.allclose(context[:, one], of_head, atol=1e-12)


def test_without_skips_each_part_sees_only_the_one_before_it() -> None:
    layer, x = NoSkips(Encoding(8, num_heads=2)).double(), torch.ones(2, 5, 8, dtype=torch.float64)
    first, second = layer.norms
    assert torch.allclose(layer(x), layer.mlp(second(layer.attention(first(x)))))


def test_positions_that_stand_in_the_states_are_known() -> None:
    same = [torch.ones(4, 6, 3).cumsum(1)] * 2  # rows 1 to 6: a probe reads them without error
    found = known(same)
    assert list(found) == ["residual 0", "probe 0", "residual 1", "probe 1"]
    assert found["probe 1"] < 1e-3 and 0.4 < found["residual 1"] < 0.5


def test_a_wave_of_period_three_is_found_as_such() -> None:
    angles = 2 * math.pi / 3 * torch.arange(LENGTH)[:, None]
    wave = torch.cat([angles.sin(), angles.cos()], 1)
    found = seen(wave / 2, wave)
    assert found["growth"] == pytest.approx(2)
    assert found["power at period 3"] == pytest.approx(1)
    assert found["largest other power"] == pytest.approx(0, abs=1e-6)
    assert found["power at periods from 6"] == pytest.approx(0, abs=1e-6)
    assert found["multiples of 3 with a peak of the cosine"] == 1
    assert found["mean cosine at multiples of 3"] == pytest.approx(1)
    assert found["mean cosine at other offsets"] == pytest.approx(-0.5)
    assert found["step after"] == pytest.approx(math.sqrt(3))
