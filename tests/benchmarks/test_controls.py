"""The controls change what they say, and nothing else."""

import pytest
import torch

from benchmarks.controls_study import ClippedRotary, ShawPerHead, frozen
from helpers.corpora import LagLanguage
from helpers.encodings import Rotary, Shaw
from helpers.training.experiments import run
from tests.encodings import hooks


def test_within_the_clip_it_is_rope_and_beyond_every_offset_is_the_farthest() -> None:
    torch.manual_seed(0)
    q, k = torch.randn(2, 1, 2, 9, 4, dtype=torch.float64)
    scores = q @ k.mT + hooks.scores(ClippedRotary(8, 2, far=3), q, k)
    near_q, near_k = hooks.rotate(Rotary(8, 2), q, k)
    position = torch.arange(9)
    offset = position - position[:, None]
    near = offset.abs() <= 3
    assert torch.allclose(scores[..., near], (near_q @ near_k.mT)[..., near], atol=1e-12)
    # A pair of columns as a complex number, turned by the clipped offset.
    turns = offset.clamp(-3, 3)[..., None] * torch.tensor([1.0, 0.01], dtype=torch.float64)
    as_complex = [torch.view_as_complex(each.unflatten(-1, (2, 2))) for each in (q, k)]
    pairs = as_complex[0].conj()[..., :, None, :] * as_complex[1][..., None, :, :]
    expected = (pairs * torch.polar(torch.ones_like(turns), turns)).real.sum(-1)
    assert torch.allclose(scores, expected, atol=1e-12)


def test_each_head_has_shaws_encoding_with_tables_of_its_own() -> None:
    torch.manual_seed(0)
    per_head = ShawPerHead(12, 3, k=2).double()
    q, k = torch.randn(2, 2, 3, 7, 4, dtype=torch.float64)
    weights = torch.rand(2, 3, 7, 7, dtype=torch.float64)
    scores, context = hooks.scores(per_head, q, k), hooks.context(per_head, weights)
    for head in range(3):
        alone, one = Shaw(4, 1, k=2).double(), slice(head, head + 1)
        alone.load_state_dict({name: table[head] for name, table in per_head.state_dict().items()})
        of_head = (
            hooks.scores(alone, q[:, one], k[:, one]),
            hooks.context(alone, weights[:, one]),
        )
        assert torch.allclose(scores[:, one], of_head[0], atol=1e-12)
        assert torch.allclose(context[:, one], of_head[1], atol=1e-12)
        assert not torch.allclose(scores, of_head[0])


@pytest.mark.parametrize("std", [0.02, 1.0])
def test_a_frozen_table_has_its_size_and_no_gradient(std: float) -> None:
    encoding = frozen(std)
    assert not any(each.requires_grad for each in encoding.parameters())
    [table] = encoding.parameters()
    assert table.std().item() == pytest.approx(std, rel=0.05)


def test_the_clip_is_evaluated_with_the_weights_that_were_trained_without_it() -> None:
    also = {"clipped": lambda: ClippedRotary(48, 4, far=5)}
    found = run(LagLanguage(), "rotary", 0, 2, (6, 12), "RoPE", also=also)
    loss = found.pivot(index="length", columns="encoding", values="loss")
    assert loss["RoPE"][6] == pytest.approx(loss["clipped"][6], abs=1e-5)
    assert abs(loss["RoPE"][12] - loss["clipped"][12]) > 1e-5
