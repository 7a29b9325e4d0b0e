"""Unit 08, “An encoding of your own”: encodings that ignore the order of most words, or all."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers.checks.mini_bert.own import own
from helpers.encodings import Encoding


class AsAnArray(Encoding):
    """Right, but for an array that moves to no GPU."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.fixed = torch.randn(8 * max_len, d_model, generator=torch.Generator()).numpy()

    def embed(self, x: Tensor, positions: Any) -> Tensor:
        return x + torch.from_numpy(self.fixed)[: x.shape[1]].to(x.dtype)


def test_an_array_is_to_be_a_buffer() -> None:
    report = own(AsAnArray)
    lost = [each.part for each in report.findings if each.earned < each.points]
    assert lost == ["it learns, and can be saved"]


class WithRows(Encoding):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(4, d_model))


def places(x: Tensor) -> Tensor:
    return torch.arange(x.shape[-2])


def in_a_drawn_order(x: Tensor) -> Tensor:
    draw = torch.Generator().manual_seed(x.shape[1])
    return x[:, torch.randperm(x.shape[1], generator=draw)]


# Base, hook, and what that does.
BLIND: dict[str, tuple[type[Encoding], str, Callable[..., Tensor]]] = {
    "position 0 alone": (
        WithRows, "embed",
        lambda self, x, positions: torch.cat([x[:, :1] + self.rows[0], x[:, 1:]], 1),
    ),
    "ranks 0 to 3 alone": (
        WithRows, "embed", lambda self, x, positions: x + self.rows[places(x).clamp(max=3)]
    ),
    "key 0 alone": (
        WithRows, "bias", lambda self, q, k, positions: self.rows[0, 0] * (places(k) == 0)
    ),
    "one further": (Encoding, "embed", lambda self, x, positions: x.roll(1, 1)),
    "mirrored": (Encoding, "embed", lambda self, x, positions: x.flip(1)),
    "in a drawn order": (Encoding, "embed", lambda self, x, positions: in_a_drawn_order(x)),
    "sorted": (
        Encoding, "embed",
        lambda self, x, positions: x[torch.arange(len(x))[:, None], x[..., 0].argsort(1)],
    ),
    # The LayerNorm takes it away again, but for the rounding.
    "a number for all entries, in float32": (
        Encoding, "embed",
        lambda self, x, positions: (x.float() + places(x)[:, None].sin()).to(x.dtype),
    ),
}  # fmt: skip


@pytest.mark.rotating
@pytest.mark.parametrize(("base", "hook", "does"), BLIND.values(), ids=BLIND)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_who_ignores_the_order_of_most_words_earns_nothing(
    base: type[Encoding], hook: str, does: Callable[..., Tensor], seed: int
) -> None:
    assert own(type("Blind", (base,), {hook: does}), seed=seed).earned == 0
