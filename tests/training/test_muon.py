"""Muon in float32 does what PyTorch's does in bfloat16, and is chosen where that is slow."""

import pytest
import torch
from torch import Tensor, nn

from helpers import runtime
from helpers.training import optimizer
from helpers.training.muon import Muon32

OPTIONS = {"lr": 0.02, "weight_decay": 0.1, "adjust_lr_fn": "match_rms_adamw"}


def _after(kind: type, shape: tuple[int, int], steps: int = 4, **options: float | bool) -> Tensor:
    """A matrix after some steps along gradients that each point elsewhere."""
    draw = torch.Generator().manual_seed(0)
    weight = nn.Parameter(torch.randn(shape, generator=draw))
    chosen = kind([weight], **OPTIONS | options)
    for _ in range(steps):
        weight.grad = torch.randn(shape, generator=draw)
        chosen.step()
    return weight.detach()


@pytest.mark.parametrize("shape", [(6, 20), (20, 6), (8, 8)])
def test_the_steps_are_those_of_pytorch_but_for_rounding(shape: tuple[int, int]) -> None:
    start = _after(torch.optim.Muon, shape, 0)
    theirs, ours = _after(torch.optim.Muon, shape), _after(Muon32, shape)
    moved = (theirs - start).norm()
    assert (ours - theirs).norm() < 0.02 * moved
    for other in ({"nesterov": False}, {"momentum": 0.5}, {"weight_decay": 0.0}, {"ns_steps": 1}):
        assert (_after(Muon32, shape, **other) - theirs).norm() > 0.02 * moved, other


def test_an_update_is_nearly_orthogonal() -> None:
    before = _after(Muon32, (8, 8), 0, weight_decay=0.0)
    update = _after(Muon32, (8, 8), 1, weight_decay=0.0) - before
    values = torch.linalg.svdvals(update / (0.02 * 0.2 * 8**0.5))
    assert values.min() > 0.5 and values.max() < 1.5


@pytest.mark.parametrize(
    ("precision", "kind"),
    [("bfloat16", torch.optim.Muon), ("float32", Muon32), ("float16", Muon32)],
)
def test_it_is_chosen_where_bfloat16_is_slow(
    monkeypatch: pytest.MonkeyPatch, precision: str, kind: type
) -> None:
    monkeypatch.setattr(runtime, "fast_precision", lambda: precision)
    assert [type(each) for each in optimizer.build(nn.Linear(3, 4), "muon", 0.1)][1:] == [kind]
