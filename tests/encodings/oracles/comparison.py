"""What a comparison is, and what those in the other files here share."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tests.encodings import hooks

B, H, d, T = 2, 3, 8, 9
D = H * d
Pair = tuple[Tensor, Tensor]
Compared = Callable[[], Pair]


class Oracle(NamedTuple):
    """A comparison: whose code, how far apart the two may be, and why where it is not rounding."""

    encoding: str
    whose: str
    tolerance: float
    pair: Compared
    note: str = ""


ORACLES: list[Oracle] = []


def oracle(
    encoding: str, whose: str, tolerance: float, note: str = ""
) -> Callable[[Compared], Compared]:
    """Register a function that returns (ours, theirs)."""

    def register(pair: Compared) -> Compared:
        ORACLES.append(Oracle(encoding, whose, tolerance, pair, note))
        return pair

    return register


def build(name: str, **options: Any) -> Any:
    """An encoding whose parameters are all random; each caller knows its class."""
    return hooks.drawn(name, **{"d_model": D, "num_heads": H, **options})


def qk(length: int = T) -> tuple[Tensor, Tensor]:
    """Random queries and keys, (B, H, T, d) each."""
    q, k = torch.randn(2, B, H, length, d)
    return q, k


def same_projections(ours: Any, theirs: dict[str, nn.Linear]) -> None:
    """Give a library's linear layers, by the names q, k, v and out, the weights of ours."""
    with torch.no_grad():
        pairs = zip("qkv", ours.qkv.weight.chunk(3), ours.qkv.bias.chunk(3), strict=True)
        for name, weight, bias in pairs:
            theirs[name].weight.copy_(weight)
            theirs[name].bias.copy_(bias)
        theirs["out"].load_state_dict(ours.out.state_dict())
