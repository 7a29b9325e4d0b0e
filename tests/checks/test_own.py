"""Unit 08, “An encoding of your own”: where a tensor may hide, and sizes that must not be known."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from helpers.checks.mini_bert.own import own
from helpers.encodings import Encoding, Positions
from tests.checks.variants.mini_bert_own import own_left_neighbour, own_turn_of_the_first_pair

OUTSIDE = torch.linspace(0, 1, 600)[:, None]


class _Hidden(own_left_neighbour):
    """Adds fixed numbers that are no buffer; a subclass says where they are."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.fixed: Any = self.hide(OUTSIDE)

    def hide(self, fixed: Tensor) -> Any:
        return None

    def found(self) -> Tensor:
        return self.fixed()

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return super().embed(x, positions) + self.found()[: x.shape[1]].to(x.dtype)


class InALambda(_Hidden):
    def hide(self, fixed: Tensor) -> Any:
        return lambda: fixed


class InAPartial(_Hidden):
    def hide(self, fixed: Tensor) -> Any:
        return partial(torch.clone, fixed)


class InANamespace(_Hidden):
    def hide(self, fixed: Tensor) -> Any:
        return SimpleNamespace(fixed=fixed)

    def found(self) -> Tensor:
        return self.fixed.fixed


class AsAnArray(_Hidden):
    def hide(self, fixed: Tensor) -> Any:
        return fixed.numpy()

    def found(self) -> Tensor:
        return torch.from_numpy(self.fixed)


class InTheNotebook(_Hidden):
    def found(self) -> Tensor:
        return OUTSIDE


class With512RowsAtMost(own_turn_of_the_first_pair):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("p", torch.arange(min(max_len, 512)).float())


@pytest.mark.parametrize(
    ("answer", "lost"),
    [
        *((each, "it learns, and can be saved") for each in _Hidden.__subclasses__()),
        (With512RowsAtMost, "any length up to max_len"),
    ],
)
def test_it_is_found_wherever_it_is(answer: type[Encoding], lost: str) -> None:
    report = own(answer)
    assert [each.part for each in report.findings if each.earned < each.points] == [lost]


class OneFurther(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x.roll(1, 1)


class Mirrored(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x.flip(1)


class InADrawnOrder(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        draw = torch.Generator().manual_seed(x.shape[1])
        return x[:, torch.randperm(x.shape[1], generator=draw)]


class Sorted(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x[torch.arange(len(x))[:, None], x[..., 0].argsort(1)]


class ANumberForAllEntriesInFloat32(Encoding):
    """The LayerNorm takes it away again, but for the rounding."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return (x.float() + torch.arange(x.shape[1])[:, None].sin()).to(x.dtype)


BLIND = [OneFurther, Mirrored, InADrawnOrder, Sorted, ANumberForAllEntriesInFloat32]


@pytest.mark.rotating
@pytest.mark.parametrize("answer", BLIND)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_who_only_moves_words_or_zero_is_blind_to_order(answer: type[Encoding], seed: int) -> None:
    report = own(answer, seed=seed)
    earned = {each.part: each.earned for each in report.findings}
    assert earned["it is not blind to order"] == earned["it tells left from right"] == 0
