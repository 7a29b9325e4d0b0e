"""Who the properties are asked of: every encoding in the public models, and a learner's own class.

All that depends on how models are called stands here, so that the properties need not change
with it.
"""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers.encodings import Encoding, available, create, tree_depths, tree_offsets
from helpers.model.bert import Bert, preset
from helpers.model.decoder import Decoder

D, H, T, V = 16, 2, 9, 50
NAMES = [*available(), "mine"]
TREES = ("tree_depth", "tree_offsets")
# What these say of two tokens depends on what is read between them, not on where they stand.
BY_READING = {"none", "cope", "fox", "path"}
EVERY = pytest.mark.parametrize("name", NAMES)
SEVERAL_AXES = {"rotary_2d": 2, "learned_2d": 2, "fourier_2d": 2, "rotary_3d": 3}


class Mine(Encoding):
    """As a learner writes one, with a name of its own choice for what it learns."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.scale = nn.Parameter(torch.full((num_heads, 1, 1), 0.5))

    def rotate(self, q: Tensor, k: Tensor, positions: Any = None) -> tuple[Tensor, Tensor]:
        if positions is None:
            queries = keys = torch.arange(q.shape[2], device=q.device)
        else:
            queries, keys = positions.queries, positions.keys
        if queries.dim() == 3:
            raise ValueError("one axis only")
        return self._louder(q, queries), self._louder(k, keys)

    def _louder(self, x: Tensor, places: Tensor) -> Tensor:
        wave = (places.float() / 8).sin()[..., None, :, None].to(x.dtype)  # for all heads
        return x * (1 + self.scale * wave)


def encoding(name: str, max_len: int = 64, **options: Any) -> Encoding:
    """One of `NAMES`."""
    sizes = {"d_model": D, "num_heads": H, "max_len": max_len}
    return Mine(**sizes) if name == "mine" else create(name, **sizes, **options)


def bert(name: str, layers: int = 1, max_len: int = 64, **options: Any) -> Bert:
    """A small BERT, whose parameters all say something: T5's and ALiBi's begin at 0."""
    size = preset("mini", vocab_size=V, d_model=D, num_heads=H, num_layers=layers, max_len=max_len)
    model = Bert(size, encoding(name, max_len, **options)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model


def loud(name: str, max_len: int) -> Bert:
    """A model whose position says much, so that an error in it is seen; CoPE's begins quietly."""
    model = bert(name, max_len=max_len)
    with torch.no_grad():
        for each in model.position.parameters():
            each.mul_(40 if name == "cope" else 5)
    return model


def tokens(batch: int = 2, length: int = T) -> Tensor:
    """Random ids, (B, T)."""
    return torch.randint(V, (batch, length))


def run(
    model: Callable[..., Tensor],
    ids: Tensor,
    mask: Tensor | None = None,
    positions: Tensor | None = None,
    offsets: Tensor | None = None,
) -> Tensor:
    """Hidden states (B, T, D); `mask` is False where there is padding."""
    return model(ids, attention_mask=mask, positions=positions, offsets=offsets)


def needed(name: str, length: int = T, device: str = "cpu") -> dict[str, Tensor]:
    """What an encoding cannot do without: each word hangs on the one before or two before it."""
    parents = torch.arange(-1, length - 1)
    parents[2::3] -= 1
    if name == "tree_depth":
        return {"positions": tree_depths(parents).to(device)}
    return {"offsets": tree_offsets(parents).to(device)} if name == "tree_offsets" else {}


def decoder(name: str, max_len: int) -> Decoder:
    """One layer, since dynamic NTK turns all keys anew, but not what a layer below has made."""
    return Decoder(encoding(name, max_len), V, 1).eval()


@torch.no_grad()
def step_by_step(model: Decoder, ids: Tensor) -> Tensor:
    """Logits of a decoder that reads one token after the other, (B, T, V)."""
    cache = model.new_cache()
    return torch.cat([model(ids[:, t : t + 1], cache=cache) for t in range(ids.shape[1])], 1)


def outcome(compute: Callable[[], Tensor]) -> Tensor | str:
    """The result, or the text of a ValueError."""
    try:
        return compute()
    except ValueError as error:
        return str(error)


def rounded_and_exact(model: nn.Module, dtype: torch.dtype) -> tuple[nn.Module, nn.Module]:
    """The model in `dtype`, and in float64 with the same weights, rounded as they are there."""
    small = copy.deepcopy(model).to(dtype)
    return small, copy.deepcopy(small).double()
