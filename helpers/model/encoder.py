"""Transformer layers, and the small encoder that most experiments train."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from torch import Tensor, nn

from helpers.encodings import Encoding, hooks_of, prepare_positions
from helpers.model.attention import EncoderLayer


def scheduled(encoding: Encoding | Sequence[Encoding]) -> list[Encoding]:
    """One encoding for all layers, or a schedule that begins anew when it is through.

    Raises:
        ValueError: there is none, they are not of one size, or one that is asked at the input
            stands behind the first, which alone is asked there.
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
    """Build the layers; each gets its own copy of the encoding, unless it is `shared`.

    A sequence is a schedule: layer n has the n-th, and begins anew when it is through. What acts
    at the input only, or has nothing to learn, is not copied. The model that asks for the layers
    registers the first encoding, and the layer that has another one first registers that.
    """
    turns = scheduled(encoding)
    layers, seen = nn.ModuleList(), {id(turns[0])}
    for number in range(num_layers):
        own = turns[number % len(turns)]
        learns = any(each.requires_grad for each in own.parameters())
        if number >= len(turns) and not shared and learns and set(hooks_of(own)) - {"embed"}:
            own = copy.deepcopy(own)
        layers.append(EncoderLayer(own, registered=id(own) not in seen, **options))  # type: ignore[arg-type]
        seen.add(id(own))
    return layers


class Encoder(nn.Module):
    """Token embedding + position, pre-LN layers, LayerNorm, and logits tied to the embedding.

    Args:
        encoding: the position encoding; or several, which layers have by turns (see `stacked`).
        vocab_size: V, number of token ids, special ones included.
        num_layers: number of layers.
        shared: all layers have one encoding, as in T5; otherwise each has its own copy.
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
