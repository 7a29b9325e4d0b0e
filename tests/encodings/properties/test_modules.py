"""What PyTorch does with a module: it is begun, stored, copied, compiled and differentiated."""

import copy
import io
from collections.abc import Callable
from itertools import chain

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from helpers.model.bert import Bert, preset
from tests.devices import DEVICES
from tests.encodings.properties.subjects import (
    EVERY,
    NAMES,
    Mine,
    T,
    bert,
    encoding,
    needed,
    run,
    tokens,
)
from tests.tiers import sample

close = torch.testing.assert_close
LAYERS = 3


@EVERY
def test_layers_begin_alike(name: str) -> None:
    """The same spread in each layer, as far as so many numbers tell it; 0 is 0 in all."""
    size = preset("mini", d_model=64, num_layers=LAYERS)
    sizes = {"d_model": size.d_model, "num_heads": size.num_heads}
    model = Bert(size, Mine(**sizes) if name == "mine" else name)
    layers = [dict(layer.named_parameters()) for layer in model.layers]
    for key in {key for layer in layers for key in layer}:
        found = [layer[key].detach() for layer in layers if key in layer]
        spread = torch.stack([each.square().mean().sqrt() for each in found])
        chance = 5 / (2 * found[0].numel()) ** 0.5
        assert spread.max() <= spread.min() * (1.01 + chance) ** 2, (key, spread)


def _saved(model: nn.Module) -> nn.Module:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@pytest.mark.parametrize("again", [_saved, copy.deepcopy])
@EVERY
def test_a_copy_is_of_the_same_type_and_says_the_same(
    name: str, again: Callable[[nn.Module], nn.Module]
) -> None:
    model, ids = bert(name, 2), tokens()
    twin = again(model)
    assert [type(each) for each in twin.modules()] == [type(each) for each in model.modules()]
    assert type(model.position) is type(encoding(name))
    assert torch.equal(run(twin, ids, **needed(name)), run(model, ids, **needed(name)))
    for one, two in zip(twin.parameters(), model.parameters(), strict=True):
        assert one.data_ptr() != two.data_ptr()


@EVERY
def test_built_without_memory_it_is_filled_by_what_was_stored(name: str) -> None:
    model, ids = bert(name, 2), tokens()
    with torch.device("meta"):
        empty = Bert(model.size, encoding(name)).eval()
    empty.to_empty(device="cpu")
    with torch.no_grad():
        for tensor in chain(empty.parameters(), empty.buffers()):
            tensor.copy_(torch.full_like(tensor, 77))  # memory that nobody has written
    empty.load_state_dict(model.state_dict())
    assert torch.equal(run(empty, ids, **needed(name)), run(model, ids, **needed(name)))


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
