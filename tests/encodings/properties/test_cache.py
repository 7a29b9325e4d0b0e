"""Layers begin alike, and a model that is stored, copied or moved is the same model after it."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from itertools import chain

import pytest
import torch
from torch import nn

from helpers.model.bert import Bert, preset
from tests.encodings.properties.subjects import (
    EVERY,
    Mine,
    bert,
    encoding,
    needed,
    run,
    tokens,
)

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
