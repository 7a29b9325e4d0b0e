"""A small Transformer encoder that predicts a token at each place."""

from __future__ import annotations

import copy

from torch import Tensor, nn

from helpers.attention import MultiHeadAttention
from helpers.encodings import Encoding


class EncoderLayer(nn.Module):
    """Pre-LN layer: x + attention(LN(x)), then x + MLP(LN(x)) (Xiong et al. 2020, figure 1b)."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        width = encoding.d_model
        self.attention = MultiHeadAttention(encoding)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(
        self, x: Tensor, mask: Tensor | None = None, offsets: Tensor | None = None
    ) -> Tensor:
        """(B, T, D) → (B, T, D); `mask` and `offsets` as in `MultiHeadAttention`."""
        x = x + self.attention(self.norms[0](x), mask, offsets)
        return x + self.mlp(self.norms[1](x))


class Encoder(nn.Module):
    """Token embedding + position, layers, LayerNorm, and logits tied to the embedding.

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
        # A copy of what is asked at the input only would be parameters that nothing trains.
        one = shared or set(encoding.hooks()) <= {"embed"}
        self.layers = nn.ModuleList(
            EncoderLayer(encoding if one or layer == 0 else copy.deepcopy(encoding))
            for layer in range(num_layers)
        )
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
        x = self.position.embed(self.tokens(tokens), positions)
        for layer in self.layers:
            x = layer(x, mask, offsets)
        return self.norm(x) @ self.tokens.weight.T
