"""The kinds of layer differ in what the study says, and in nothing else."""

import pytest
import torch

from benchmarks.stack_study import KINDS, NoSkips, built, known
from helpers.encodings import Encoding


def test_without_skips_each_part_sees_only_the_one_before_it() -> None:
    layer, x = NoSkips(Encoding(8, num_heads=2)).double(), torch.ones(2, 5, 8, dtype=torch.float64)
    first, second = layer.norms
    assert torch.allclose(layer(x), layer.mlp(second(layer.attention(first(x)))))
    with torch.no_grad():
        for each in layer.mlp.parameters():
            each.zero_()
    assert not layer(x).any()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_begins_with_the_same_tokens_and_is_measured(kind: str) -> None:
    torch.manual_seed(0)
    model = built(kind, 9)
    assert len(model.layers) == 4
    assert all(type(layer) is KINDS[kind][0] for layer in model.layers)
    same = [torch.ones(4, 6, 3).cumsum(1)] * 2  # rows 1 to 6: a probe reads them without error
    found = known(same)
    assert list(found) == ["residual 0", "probe 0", "residual 1", "probe 1"]
    assert found["probe 1"] < 1e-3 and 0.4 < found["residual 1"] < 0.5
