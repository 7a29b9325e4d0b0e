"""Names that an encoding may not give to its attributes, and what it says of them; all others."""

import pickle
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers.encodings import Encoding, Positions
from helpers.encodings.base import RESERVED
from helpers.model.encoder import Encoder

FREE = ["scale", "hooks", "paper", "formula", "settled", "scores", "offsets", "positions", "std"]


class Added(Encoding):
    """Adds one vector to all tokens; it is kept under the name that is asked for."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(8, 2)
        self.name = name
        setattr(self, name, value)

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + getattr(self, self.name)


@pytest.mark.parametrize("name", RESERVED)
def test_the_name_of_a_hook_is_refused_and_said(name: str) -> None:
    for value in (nn.Parameter(torch.randn(8)), nn.Linear(8, 8), 3.5):
        with pytest.raises(AttributeError, match=f"{name} is a method of .* as self.my_{name}"):
            Added(name, value)


@pytest.mark.parametrize("name", FREE)
def test_other_names_are_free(name: str) -> None:
    encoding = Added(name, nn.Parameter(torch.randn(8)))
    model, tokens = Encoder(encoding, 5), torch.randint(5, (3, 7))
    assert type(model.position) is Added
    assert torch.equal(pickle.loads(pickle.dumps(model))(tokens), model(tokens))


def test_the_hook_of_before_says_what_is_new() -> None:
    with pytest.raises(TypeError, match=r"Old.scores: this hook is now bias\(self, q, k, pos"):

        class Old(Encoding):
            def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None = None) -> Tensor:
                return q @ k.mT


def test_arguments_of_a_learners_hook_are_its_own() -> None:
    class Fading(Encoding):
        def bias(self, q: Tensor, k: Tensor, positions: Positions, strength: float = 2.0) -> Tensor:
            assert strength == 2.0
            return -strength * positions.offsets.abs()

    tokens = torch.randint(5, (3, 7))
    assert Encoder(Fading(8, 2), 5)(tokens, positions=torch.arange(7)).shape == (3, 7, 5)


class TheOldTable(Encoding):
    """As unit 02 had it before a hook was given `Positions`."""

    def embed(self, x: Any, positions: Any = None) -> Any:
        table = torch.zeros(20, self.d_model)
        return x + (table[: x.shape[1]] if positions is None else table[positions])


class TheOldValues(Encoding):
    """As unit 04 had it."""

    def context(self, weights: Any, offsets: Any = None) -> Any:
        return weights @ torch.zeros(7)[offsets.clamp(-3, 3) + 3]


@pytest.mark.parametrize("kind", [TheOldTable, TheOldValues])
def test_who_takes_positions_for_a_tensor_is_told_what_they_hold(kind: type[Encoding]) -> None:
    with pytest.raises((TypeError, AttributeError), match=r"no tensor.*positions\.queries"):
        Encoder(kind(8, 2), 5)(torch.randint(5, (3, 7)))
