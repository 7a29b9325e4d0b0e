"""Multi-head attention that asks its encoding at four places (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

from torch import Tensor, nn

from helpers.encodings import Encoding


class MultiHeadAttention(nn.Module):
    """Self-attention; all that concerns position comes from `encoding`.

    Args:
        encoding: gives D, H and the hooks `rotate`, `scores` and `context`.
    """

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self.encoding = encoding
        self.qkv = nn.Linear(encoding.d_model, 3 * encoding.d_model)
        self.out = nn.Linear(encoding.d_model, encoding.d_model)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, offsets: Tensor | None = None
    ) -> Tensor:
        """(B, T, D) → (B, T, D).

        Args:
            mask: True where a query may look at a key, (T, T) or what broadcasts to (B, H, T, T).
            offsets: passed on to the encoding, see `Encoding.scores`.
        """
        split = (x.shape[0], x.shape[1], 3, self.encoding.num_heads, -1)
        q, k, v = self.qkv(x).view(split).permute(2, 0, 3, 1, 4)  # each (B, H, T, d)
        q, k = self.encoding.rotate(q, k)
        scores = q @ k.transpose(-2, -1)  # (B, H, T, T)
        extra = self.encoding.scores(q, k, offsets)
        if extra is not None:
            scores = scores + extra
        scores = scores * self.encoding.scale
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        context = weights @ v  # (B, H, T, d)
        extra = self.encoding.context(weights, offsets)
        if extra is not None:
            context = context + extra
        return self.out(context.transpose(1, 2).flatten(2))
