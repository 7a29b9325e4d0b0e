"""Transformer layers, and the small encoder that most experiments train."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torch import Tensor, nn

from helpers.encodings import Encoding, hooks_of, prepare_positions
from helpers.model.attention import EncoderLayer


def scheduled(encoding: Encoding | Sequence[Encoding]) -> list[Encoding]:
    """Return a schedule of encodings, which the layers go through cyclically.

    Raises:
        ValueError: there is none, they are not of one size, or another than the first has `embed`.
    """
    turns = [encoding] if isinstance(encoding, Encoding) else list(encoding)
    if len({(each.d_model, each.num_heads) for each in turns}) != 1:
        raise ValueError("a schedule must have encodings, all of the same d_model and num_heads")
    for each in turns[1:]:
        if "embed" in hooks_of(each) and each is not turns[0]:
            raise ValueError(
                f"{type(each).__name__} acts at the input: it must come first in a schedule"
            )
    return turns


def stacked(
    encoding: Encoding | Sequence[Encoding], num_layers: int, shared: bool, **options: object
) -> nn.ModuleList:
    """Build the layers; they go through a sequence of encodings cyclically.

    Each layer gets its own copy, unless encodings are `shared`. Layers also share an encoding that
    acts at the input only, or has neither parameters nor buffers. The caller must register the
    first encoding as a submodule; each other one is registered by the first layer that has it.
    """
    turns = scheduled(encoding)
    layers, seen = nn.ModuleList(), {id(turns[0])}
    for number in range(num_layers):
        own = turns[number % len(turns)]
        if number >= len(turns) and not shared and own.state_dict() and hooks_of(own) != ("embed",):
            own = copy.deepcopy(own)
        layers.append(EncoderLayer(own, registered=id(own) not in seen, **options))  # type: ignore[arg-type]
        seen.add(id(own))
    return layers


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Have a model in eval mode, as without dropout, and leave it in the mode that it was in."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


class Encoder(nn.Module):
    """Token embedding + position, pre-LN layers, LayerNorm, and logits tied to the embedding.

    Args:
        encoding: the position encoding; or several, which layers have by turns (see `stacked`).
        vocab_size: V, number of token ids, special ones included.
        num_layers: number of layers.
        shared: all layers have one encoding, as in T5; otherwise see `stacked`.
    """

    def __init__(
        self,
        encoding: Encoding | Sequence[Encoding],
        vocab_size: int,
        num_layers: int = 2,
        shared: bool = False,
    ) -> None:
        super().__init__()
        first = scheduled(encoding)[0]
        width = first.d_model
        self.tokens = nn.Embedding(vocab_size, width)
        # 1/sqrt(D): the logits, tied to this table, then begin at unit size.
        nn.init.normal_(self.tokens.weight, std=width**-0.5)
        self.position = first
        self.embeds = "embed" in hooks_of(first)
        self.layers = stacked(encoding, num_layers, shared)
        self.norm = nn.LayerNorm(width)

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """Token ids (B, T) → logits (B, T, V).

        Args:
            mask: as in `MultiHeadAttention`.
            positions: (T,), (B, T) or (B or 1, T, axes), where they are not 0 … T−1.
            offsets: (T, T) or (B, T, T), where they are not j − i, as in a tree.
        """
        at = prepare_positions(tokens, positions, offsets)
        x = self.tokens(tokens)
        x = self.position.embed(x, at) if self.embeds else x
        for layer in self.layers:
            x = layer(x, mask, at)
        return self.norm(x) @ self.tokens.weight.T
