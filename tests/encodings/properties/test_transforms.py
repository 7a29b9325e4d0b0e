"""One graph for the compiler, and what `torch.func` asks of a module."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor
from torch.func import functional_call, grad, vmap

from tests.devices import DEVICES
from tests.encodings.properties.subjects import (
    EVERY,
    NAMES,
    T,
    bert,
    needed,
    run,
    tokens,
)
from tests.tiers import sample

close = torch.testing.assert_close


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", sample(NAMES, 5))
def test_it_is_one_graph_for_the_compiler(name: str, device: str) -> None:
    """Also where it is told where tokens stand; whether a break comes is seen without a kernel."""
    torch.set_default_dtype(torch.float32)
    torch.compiler.reset()  # each encoding is compiled for the first time
    model, ids = bert(name).to(device), tokens().to(device)
    given = {"positions": torch.arange(T, device=device).flip(0), **needed(name, T, device)}
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    close(run(compiled, ids, **given), run(model, ids, **given), rtol=0, atol=1e-5)


@EVERY
def test_gradients_of_each_text_are_those_of_autograd(name: str) -> None:
    model, ids, weight = bert(name), tokens(3), torch.randn(T, 1)
    given, plain = needed(name), copy.deepcopy(model)
    parameters = {key: each.detach() for key, each in model.named_parameters()}

    def loss(parameters: dict[str, Tensor], text: Tensor) -> Tensor:
        return (functional_call(model, parameters, (text[None],), given)[0] * weight).sum()

    found = vmap(grad(loss), in_dims=(None, 0))(parameters, ids)
    for number, text in enumerate(ids):
        plain.zero_grad()
        (run(plain, text[None], **given)[0] * weight).sum().backward()
        for key, parameter in plain.named_parameters():
            expected = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            close(found[key][number], expected, rtol=1e-9, atol=1e-9, msg=key)


@EVERY
def test_called_with_other_parameters_the_model_keeps_its_own(name: str) -> None:
    """What is registered twice as a module, PyTorch puts back wrongly."""
    model, ids, given = bert(name), tokens(), needed(name)
    before = run(model, ids, **given)
    halves = {key: each.detach() / 2 for key, each in model.named_parameters()}
    assert not torch.equal(functional_call(model, halves, (ids,), given), before)
    assert torch.equal(run(model, ids, **given), before)
