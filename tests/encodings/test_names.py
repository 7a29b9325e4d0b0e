"""Whoever writes an encoding may call an attribute as the interface does, and nothing changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers.encodings import Encoding, Shaw, interface
from helpers.encodings.base import INTERFACE
from helpers.model.encoder import Encoder

KINDS: dict[str, Callable[[], Any]] = {
    "parameter": lambda: nn.Parameter(torch.randn(8)),
    "buffer": lambda: torch.randn(8),
    "module": lambda: nn.Linear(8, 8),
    "number": lambda: 3.5,
}
OWN = [name for name in INTERFACE if name != "embed"]


class _Added(Encoding):
    """Adds one vector to all tokens; it is kept under the name that is asked for."""

    def __init__(self, d_model: int, num_heads: int, name: str, kind: str) -> None:
        super().__init__(d_model, num_heads)
        self.name = name
        if kind == "buffer":
            self.register_buffer(name, KINDS[kind]())
        else:
            setattr(self, name, KINDS[kind]())

    def embed(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        kept: Any = getattr(self, self.name)
        return kept(x) if callable(kept) else x + kept


def _models(name: str, kind: str) -> tuple[Encoder, Encoder]:
    """The same weights twice: the attribute has a name of the interface, and one of its own."""
    found = []
    for called in (name, "something_else"):
        torch.manual_seed(0)
        found.append(Encoder(_Added(8, 2, called, kind), 5, 2).double())
    return found[0], found[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OWN)
def test_a_model_does_the_same_whatever_an_attribute_is_called(name: str, kind: str) -> None:
    one, other = _models(name, kind)
    tokens = torch.randint(5, (3, 7))
    assert torch.equal(one(tokens), other(tokens))
    assert torch.equal(copy.deepcopy(one)(tokens), one(tokens))
    assert len(list(one.parameters())) == len(list(other.parameters()))
    assert [key.replace(name, "something_else") for key in one.state_dict()] == [
        *other.state_dict()
    ]


def test_other_encodings_keep_their_interface() -> None:
    changed, plain = _Added(8, 2, "scale", "number"), _Added(8, 2, "shift", "number")
    assert changed.scale == 3.5 and plain.scale == interface(changed, "scale") == 0.5
    assert type(plain) is _Added and isinstance(changed, _Added)
    assert interface(changed, "hooks")() == ("embed",)
    assert interface(changed, "head_width") == 4


def test_two_names_may_give_way() -> None:
    encoding = _Added(8, 2, "scores", "module")
    encoding.register_parameter("context", nn.Parameter(torch.ones(8)))
    assert isinstance(encoding.scores, nn.Linear) and isinstance(encoding.context, nn.Parameter)
    assert interface(encoding, "scores")(None, None) is None
    assert interface(encoding, "context")(None) is None
    assert interface(encoding, "hooks")() == ("embed",)


def test_a_hook_that_a_class_writes_itself_does_not_give_way() -> None:
    encoding = Shaw(8, 2)
    with pytest.raises(KeyError, match="scores"):
        encoding.register_parameter("scores", nn.Parameter(torch.ones(8)))
