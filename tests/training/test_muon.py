"""Muon does what PyTorch's does, but for Q, K and V in one matrix; who has it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from helpers import runtime
from helpers.encodings import available
from helpers.model.bert import Bert, Pretraining, preset
from helpers.training import optimizer
from helpers.training.muon import Muon

Kind = Callable[..., Optimizer]
HIDDEN = ("attention.qkv", "attention.out", "mlp.0", "mlp.2", "pooler.0", "transform.0")


def _theirs(weights: list[Any], **options: Any) -> Optimizer:
    if "steps" in options:
        options["ns_steps"] = options.pop("steps")
    return torch.optim.Muon(weights, adjust_lr_fn="match_rms_adamw", **options)


def _after(kind: Kind, shape: tuple[int, int], steps: int = 4, **options: Any) -> Tensor:
    """A matrix after some steps along gradients that each point elsewhere."""
    draw = torch.Generator().manual_seed(0)
    weight = nn.Parameter(torch.randn(shape, generator=draw))
    chosen = kind([weight], **{"lr": 0.02, "weight_decay": 0.1} | options)
    for _ in range(steps):
        weight.grad = torch.randn(shape, generator=draw)
        chosen.step()
    return weight.detach()


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(6, 20), (20, 6), (8, 8)])
def test_the_steps_are_those_of_pytorch_but_for_rounding(
    shape: tuple[int, int], precision: torch.dtype
) -> None:
    start, theirs = _after(_theirs, shape, 0), _after(_theirs, shape)
    moved = (theirs - start).norm()
    share = 0.02 if precision == torch.float32 else 1e-6  # theirs is in bfloat16
    assert (_after(Muon, shape, precision=precision) - theirs).norm() < share * moved
    others: list[dict[str, Any]] = [
        {"nesterov": False}, {"momentum": 0.5}, {"weight_decay": 0.0}, {"steps": 1}
    ]  # fmt: skip
    for other in others:
        assert (_after(Muon, shape, **other) - theirs).norm() > 0.02 * moved, other
        there = _after(_theirs, shape, **other)
        assert (_after(Muon, shape, **other) - there).norm() < 0.02 * moved, other


def test_q_k_and_v_in_one_matrix_are_three() -> None:
    draw = torch.Generator().manual_seed(0)
    start = torch.randn(24, 8, generator=draw)
    fused = nn.Parameter(start.clone())
    apart = [nn.Parameter(each.clone()) for each in start.chunk(3)]
    ours = Muon([{"params": [fused], "parts": 3}], lr=0.02)
    theirs = _theirs(apart, lr=0.02, weight_decay=0.1)
    for _ in range(4):
        fused.grad = torch.randn(24, 8, generator=draw)
        for each, gradient in zip(apart, fused.grad.chunk(3), strict=True):
            each.grad = gradient
        ours.step()
        theirs.step()
    moved = (fused - start).norm()
    assert (fused - torch.cat([*apart])).norm() < 0.02 * moved


@pytest.mark.parametrize("name", available())
def test_muon_has_the_matrices_between_hidden_states_and_nothing_else_decays(name: str) -> None:
    size = preset("mini", vocab_size=1100)
    model = Pretraining(Bert(size, name))
    names = {id(each): name for name, each in model.named_parameters()}
    position = {each for each in names.values() if ".position." in each}
    built, found = optimizer.build(model, "muon", 0.1), list[str]()
    for who, group in [(type(each), group) for each in built for group in each.param_groups]:
        has = {names[id(each)] for each in group["params"]}
        found += has
        if who is not Muon:
            assert group["weight_decay"] == 0
            assert not {n for n in has if n.removesuffix(".weight").endswith(HIDDEN)} - position
            continue
        assert group["weight_decay"] == optimizer.DECAY
        assert (group["parts"] == 3) == all("qkv" in each for each in has)
        assert not any(word in each for each in has for word in ("words", "is_next", "table"))
        for each in has:
            assert min(model.get_parameter(each).shape) >= size.d_model / 2, each
    assert sorted(found) == sorted(names.values())


def test_with_adamw_alone_matrices_decay_and_nothing_else() -> None:
    model = Pretraining(Bert(preset("mini", vocab_size=50)))
    before = {name: each.clone() for name, each in model.named_parameters()}
    for each in model.parameters():
        each.grad = torch.zeros_like(each)
    for chosen in optimizer.build(model, "adamw", 0.1):
        chosen.step()
    for name, parameter in model.named_parameters():
        kept = 1 - 0.1 * optimizer.DECAY if parameter.dim() > 1 else 1.0
        torch.testing.assert_close(parameter, kept * before[name], msg=name)


def test_what_trains_on_a_cpu_has_its_precision_though_there_is_a_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (9, 0))
    monkeypatch.setattr(runtime, "_processor", lambda _entry: "avx2")
    assert (runtime.fast_precision(), runtime.fast_precision("cpu")) == ("bfloat16", "float32")
    (muon,) = optimizer.build(nn.Linear(4, 4, bias=False), "muon", 0.1)
    assert isinstance(muon, Muon) and muon.precision == torch.float32
