"""BERT with any position encoding (Devlin et al. 2018), and its two heads for pretraining."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import Encoding, create, prepare_positions
from helpers.model.attention import MultiHeadAttention
from helpers.model.encoder import scheduled, stacked


@dataclass(frozen=True)
class Size:
    """The sizes and options of a model.

    Args:
        vocab_size: V, number of WordPieces, special ones included.
        d_model: D; the inner width of the MLP is 4·D.
        num_layers: L.
        num_heads: H.
        max_len: longest input, in tokens.
        norm: "post" as in the paper, or "pre", which trains without a warm-up.
        dropout: probability of dropout.
        std: standard deviation of the initial weights; 0.02 in the paper's code, for D = 768. At
            D = 128, 0.05 gives initial attention scores of the same size, see docs/mini-bert.md.
    """

    vocab_size: int = 4096
    d_model: int = 128
    num_layers: int = 2
    num_heads: int = 2
    max_len: int = 64
    norm: str = "pre"
    dropout: float = 0.0
    std: float = 0.05


PRESETS = {
    "mini": Size(),
    "base": Size(30_522, 768, 12, 12, 512, norm="post", dropout=0.1, std=0.02),
    "large": Size(30_522, 1024, 24, 16, 512, norm="post", dropout=0.1, std=0.02),
}


def preset(name: str = "mini", **changes: Any) -> Size:
    """Return one of the paper's sizes, or this course's "mini", with `changes`.

    Raises:
        ValueError: there is no such preset.
    """
    if name not in PRESETS:
        raise ValueError(f"name={name!r} is no preset; choose from {list(PRESETS)}")
    return replace(PRESETS[name], **changes)


def parameter_count(size: Size) -> int:
    """Return the number of parameters of `Bert(size)` with a learned table, by the formula.

    Embeddings have VD + TD + 2D and a LayerNorm 2D, each layer 12D² + 13D, the pooler D² + D, and
    the last LayerNorm of pre-LN 2D.
    """
    width = size.d_model
    embeddings = (size.vocab_size + size.max_len + 2) * width + 2 * width
    layers = size.num_layers * (12 * width**2 + 13 * width)
    last = 2 * width if size.norm == "pre" else 0
    return embeddings + layers + width**2 + width + last


class Bert(nn.Module):
    """Token + segment + position, LayerNorm, and L layers.

    Args:
        size: see `preset`.
        encoding: a name for `create`, or an `Encoding` of the same D and H; or several of these,
            among which the layers take turns. Its weights of `nn.Linear`, and learned tables that
            are added at the input, are drawn anew.
        shared: let all layers share an encoding's parameters; see `stacked`.
    """

    def __init__(
        self,
        size: Size,
        encoding: str | Encoding | Sequence[str | Encoding] = "learned",
        shared: bool = False,
    ) -> None:
        super().__init__()
        self.size = size
        sizes = {"d_model": size.d_model, "num_heads": size.num_heads, "max_len": size.max_len}
        several = [encoding] if isinstance(encoding, str | Encoding) else encoding
        encodings = scheduled([create(e, **sizes) if isinstance(e, str) else e for e in several])
        first = encodings[0]
        if (first.d_model, first.num_heads) != (size.d_model, size.num_heads):
            raise ValueError(
                f"encoding has d_model={first.d_model}, num_heads={first.num_heads}; it "
                f"must have {size.d_model} and {size.num_heads}"
            )
        self.words = nn.Embedding(size.vocab_size, size.d_model)
        self.segments = nn.Embedding(2, size.d_model)
        self.position = first
        self.norm = nn.LayerNorm(size.d_model, 1e-12)
        self.dropout = nn.Dropout(size.dropout)
        options = {"norm": size.norm, "dropout": size.dropout, "eps": 1e-12}
        self.layers = stacked(encodings, size.num_layers, shared, **options)
        self.last_norm = nn.LayerNorm(size.d_model, 1e-12) if size.norm == "pre" else nn.Identity()
        self.pooler = nn.Sequential(nn.Linear(size.d_model, size.d_model), nn.Tanh())
        self.apply(self._initialise)
        for each in self.modules():
            if isinstance(each, Encoding):
                each.reset_parameters(size.std)

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.size.std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, MultiHeadAttention):
            module.scale_initial_queries()

    def forward(
        self,
        tokens: Tensor,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        positions: Tensor | None = None,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """Token ids (B, T) → hidden states (B, T, D).

        Args:
            token_type_ids: 0 for the first sentence, 1 for the second, (B, T); all 0 if not given.
            attention_mask: False where there is padding, (B, T); no padding if not given.
            positions: (T,), (B, T) or (B or 1, T, axes); 0 … T−1 if not given.
            offsets: (T, T) or (B, T, T); j − i if not given.
        """
        first = self.segments.weight[0]
        segments = first if token_type_ids is None else self.segments(token_type_ids)
        x = self.words(tokens) + segments
        at = prepare_positions(tokens, positions, offsets, attention_mask)
        x = self.dropout(self.norm(self.position.embed(x, at)))
        mask = None if attention_mask is None else attention_mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask, at)
        return self.last_norm(x)


class Pretraining(nn.Module):
    """BERT with its heads for masked words (task 1) and for the next sentence (task 2).

    The MLM head is dense, GELU, LayerNorm, and a decoder whose weights are the word embedding.
    """

    def __init__(self, bert: Bert) -> None:
        super().__init__()
        width = bert.size.d_model
        self.bert = bert
        self.transform = nn.Sequential(
            nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width, 1e-12)
        )
        self.bias = nn.Parameter(torch.zeros(bert.size.vocab_size))
        self.is_next = nn.Linear(width, 2)
        for module in (self.transform[0], self.is_next):
            bert._initialise(module)

    def mlm_logits(self, hidden: Tensor) -> Tensor:
        """Hidden states (…, D) → logits of the words, (…, V)."""
        return F.linear(self.transform(hidden), self.bert.words.weight, self.bias)

    def nsp_logits(self, hidden: Tensor) -> Tensor:
        """Hidden states (B, T, D) → logits, (B, 2): 0 the next sentence, 1 another."""
        return self.is_next(self.bert.pooler(hidden[:, 0]))

    def forward(self, tokens: Tensor, places: Tensor | None = None, **given: Tensor) -> Tensor:
        """Token ids (B, T) → word logits, (B, T, V), or (B, n, V) at the positions `places` (B, n).

        To compute logits only at the masked positions makes training quick: V is the largest size
        in the model, and five positions in six have no loss.
        """
        hidden = self.bert(tokens, **given)
        if places is not None:
            hidden = hidden.gather(1, places[..., None].expand(-1, -1, hidden.shape[-1]))
        return self.mlm_logits(hidden)
