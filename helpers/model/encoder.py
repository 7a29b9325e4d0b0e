"""Transformer layers, and the small encoder that most experiments train."""

from __future__ import annotations

import copy

from torch import Tensor, nn

from helpers.encodings import Encoding, interface
from helpers.model.attention import MultiHeadAttention


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
        self, x: Tensor, mask: Tensor | None = None, offsets: Tensor | None = None
    ) -> Tensor:
        """(B, T, D) → (B, T, D); `mask` and `offsets` as in `MultiHeadAttention`."""
        first, second = self.norms
        if self.norm_first:
            x = x + self.dropout(self.attention(first(x), mask, offsets))
            return x + self.dropout(self.mlp(second(x)))
        x = first(x + self.dropout(self.attention(x, mask, offsets)))
        return second(x + self.dropout(self.mlp(x)))


def stacked(encoding: Encoding, num_layers: int, shared: bool, **options: object) -> nn.ModuleList:
    """Layers that ask `encoding`, or, from the second on, a copy each unless it is `shared`."""
    # A copy of what is asked at the input only would be parameters that nothing trains.
    one = shared or set(interface(encoding, "hooks")()) <= {"embed"}
    return nn.ModuleList(
        EncoderLayer(encoding if one or layer == 0 else copy.deepcopy(encoding), **options)  # type: ignore[arg-type]
        for layer in range(num_layers)
    )


class Encoder(nn.Module):
    """Token embedding + position, pre-LN layers, LayerNorm, and logits tied to the embedding.

    Args:
        encoding: the position encoding.
        vocab_size: V, number of token ids, special ones included.
        num_layers: number of layers.
        shared: all layers ask one encoding, as T5 does; otherwise each later layer has its own
            copy of one that layers ask.
    """

    def __init__(
        self, encoding: Encoding, vocab_size: int, num_layers: int = 2, shared: bool = False
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, encoding.d_model)
        # 1/sqrt(D): the logits, tied to this table, then begin at unit size.
        nn.init.normal_(self.tokens.weight, std=encoding.d_model**-0.5)
        self.position = encoding
        self.layers = stacked(encoding, num_layers, shared)
        self.norm = nn.LayerNorm(encoding.d_model)

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
            positions: of the tokens, (T,) or (B, T), where they are not 0 … T−1.
            offsets: (T, T) or (B, T, T), where they are not j − i, as in a tree.
        """
        x = interface(self.position, "embed")(self.tokens(tokens), positions)
        for layer in self.layers:
            x = layer(x, mask, offsets)
        return self.norm(x) @ self.tokens.weight.T
