"""Unit 08, “An encoding of your own”: encodings that ignore the order of most words, or all."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from helpers.checks.mini_bert.own import own
from helpers.encodings import Encoding, Positions


class AsAnArray(Encoding):
    """Right, but for an array that moves to no GPU."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.fixed = torch.randn(8 * max_len, d_model, generator=torch.Generator()).numpy()

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + torch.from_numpy(self.fixed)[: x.shape[1]].to(x.dtype)


def test_an_array_is_to_be_a_buffer() -> None:
    report = own(AsAnArray)
    lost = [each.part for each in report.findings if each.earned < each.points]
    assert lost == ["it learns, and can be saved"]


class Position0Alone(Encoding):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.row = nn.Parameter(torch.randn(d_model))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return torch.cat([x[:, :1] + self.row, x[:, 1:]], 1)


class Ranks0To3Alone(Encoding):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(4, d_model))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x + self.rows[torch.arange(x.shape[1]).clamp(max=3)]


class Key0Alone(Encoding):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.more = nn.Parameter(torch.ones(num_heads, 1, 1))

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        return self.more * (torch.arange(k.shape[2]) == 0)


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


BLIND = [
    Position0Alone,
    Ranks0To3Alone,
    Key0Alone,
    OneFurther,
    Mirrored,
    InADrawnOrder,
    Sorted,
    ANumberForAllEntriesInFloat32,
]


@pytest.mark.rotating
@pytest.mark.parametrize("answer", BLIND)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_who_ignores_the_order_of_most_words_earns_nothing(
    answer: type[Encoding], seed: int
) -> None:
    report = own(answer, seed=seed)
    assert report.earned == 0
