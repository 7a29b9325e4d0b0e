"""Transformer layers, and the small encoder that most experiments train."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from torch import Tensor, nn

from helpers.encodings import Encoding, Positions, embed, interface
from helpers.model.attention import Kept, MultiHeadAttention


class EncoderLayer(nn.Module):
    """Attention and MLP, each with a skip connection and a LayerNorm.

    Args:
        encoding: as `MultiHeadAttention` has it.
        norm: "pre" is x + f(LN(x)) (Xiong et al. 2020, figure 1b), "post" LN(x + f(x)), as in
            Vaswani et al. 2017 and BERT.
        dropout: probability that a number is set to 0 after attention and after the MLP.
        eps: of the LayerNorms.
    """

    def __init__(
        self, encoding: Encoding, norm: str = "pre", dropout: float = 0.0, eps: float = 1e-5
    ) -> None:
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm={norm!r} must be 'pre' or 'post'")
        width = encoding.d_model
        self.norm_first = norm == "pre"
        self.attention = MultiHeadAttention(encoding)
        self.norms = nn.ModuleList([nn.LayerNorm(width, eps), nn.LayerNorm(width, eps)])
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        offsets: Tensor | Positions | None = None,
        kept: Kept | None = None,
    ) -> Tensor:
        """(B, T, D) → (B, T, D); all arguments as in `MultiHeadAttention`."""
        first, second = self.norms
        if self.norm_first:
            x = x + self.dropout(self.attention(first(x), mask, offsets, kept))
            return x + self.dropout(self.mlp(second(x)))
        x = first(x + self.dropout(self.attention(x, mask, offsets, kept)))
        return second(x + self.dropout(self.mlp(x)))


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
        if "embed" in interface(each, "hooks")() and each is not turns[0]:
            raise ValueError(
                f"{type(each).__name__} acts at the input: it must come first in a schedule"
            )
    return turns


def stacked(
    encoding: Encoding | Sequence[Encoding], num_layers: int, shared: bool, **options: object
) -> nn.ModuleList:
    """Layers that ask `encoding`, or, where it was asked before, a copy each unless it is `shared`.

    A sequence is a schedule: layer n asks the n-th, and begins anew when it is through.
    """
    turns = scheduled(encoding)
    layers = nn.ModuleList()
    for number in range(num_layers):
        own = turns[number % len(turns)]
        # A copy of what is asked at the input only would be parameters that nothing trains.
        one = shared or set(interface(own, "hooks")()) <= {"embed"}
        first = number < len(turns)
        layers.append(EncoderLayer(own if one or first else copy.deepcopy(own), **options))  # type: ignore[arg-type]
    return layers


class Encoder(nn.Module):
    """Token embedding + position, pre-LN layers, LayerNorm, and logits tied to the embedding.

    Args:
        encoding: the position encoding; or several, which layers have by turns (see `stacked`).
        vocab_size: V, number of token ids, special ones included.
        num_layers: number of layers.
        shared: all layers ask one encoding, as T5 does; otherwise each later layer has its own
            copy of one that layers ask.
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
        self.layers = stacked(encoding, num_layers, shared)
        self.norm = nn.LayerNorm(width)

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | Positions | None = None,
        offsets: Tensor | None = None,
        kept: Sequence[Kept] | None = None,
    ) -> Tensor:
        """Token ids (B, T) → logits (B, T, V).

        Args:
            mask: as in `MultiHeadAttention`.
            positions: of the tokens, (T,), (B, T) or (B or 1, T, axes), where they are not
                0 … T−1; with `kept`, the `Positions` of these tokens and of all keys.
            offsets: (T, T) or (B, T, T), where they are not j − i, as in a tree.
            kept: what each layer has kept of earlier calls.
        """
        x, at = placed(self.position, self.tokens(tokens), positions, offsets)
        for number, layer in enumerate(self.layers):
            x = layer(x, mask, at, kept[number]) if kept else layer(x, mask, at)
        return self.norm(x) @ self.tokens.weight.T


def placed(
    encoding: Encoding,
    x: Tensor,
    positions: Tensor | Positions | None,
    offsets: Tensor | None,
) -> tuple[Tensor, Tensor | Positions | None]:
    """The input with what `embed` adds, and what the layers are told: a tree's offsets first."""
    at = Positions(positions) if isinstance(positions, Tensor) else positions
    x = embed(encoding, x, None if at is None else at.queries)
    return x, at if offsets is None else offsets
