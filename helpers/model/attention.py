"""Multi-head attention that asks its encoding about position (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import Encoding, Positions, ask, interface


class Kept:
    """Keys and values that one layer has computed, of all tokens that have been read.

    Keys are kept as `rotate` has turned them. Where an encoding turns all of them otherwise once
    the text is longer, as dynamic NTK does, they are kept as they are before, and turned each time.
    """

    def __init__(self) -> None:
        self.length = 0  # S, tokens that are kept
        self._keys = self._values = torch.empty(0)  # (B, H, room for S and more, d)

    def with_more(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Keep some more, (B, H, T, d), and return all, (B, H, S, d)."""
        self._keys = self._extended(self._keys, keys)
        self._values = self._extended(self._values, values)
        self.length += keys.shape[2]
        return self._keys[:, :, : self.length], self._values[:, :, : self.length]

    @property
    def nbytes(self) -> int:
        """Bytes of the keys and values that are kept, without the room to spare."""
        return sum(each[:, :, : self.length].nbytes for each in (self._keys, self._values))

    def _extended(self, kept: Tensor, more: Tensor) -> Tensor:
        """What is kept and what comes behind it; with room to spare, or each token copies all."""
        before, length = self.length, self.length + more.shape[2]
        if not before:
            return more.contiguous()  # not a part of something larger, which would be kept with it
        if more.requires_grad:  # what is written into cannot be differentiated
            return torch.cat([kept[:, :, :before], more], 2)
        if kept.shape[2] < length:
            room = more.new_empty(*more.shape[:2], length + length // 4 + 16, more.shape[3])
            room[:, :, :before] = kept[:, :, :before]
            kept = room
        kept[:, :, before:length] = more
        return kept


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
        self,
        x: Tensor,
        mask: Tensor | None = None,
        offsets: Tensor | Positions | None = None,
        kept: Kept | None = None,
    ) -> Tensor:
        """(B, T, D) → (B, T, D).

        Args:
            mask: True where a query may look at a key: (T, S), or (B or 1, H or 1, T or 1, S), so
                that padding is `real[:, None, None, :]`. A query that may look at no key gets 0.
            offsets: how far the key of each pair stands from its query, see `Encoding.scores`; or
                the `Positions` of both. T tokens at 0 … T−1 if it is not given.
            kept: keys and values of earlier calls, of which there are then S with those of `x`.

        Raises:
            ValueError: `mask` is not boolean or has another shape.
        """
        q, k, v, bias = self._prepared(x, mask, offsets, kept)
        if "context" in interface(self.encoding, "hooks")() or _plain_is_quicker(q):
            weights = self._weights(q, k, bias)
            context = weights @ v  # (B, H, T, d)
            extra = ask(self.encoding, "context", weights, offsets=offsets)
            context = context if extra is None else context + extra
        else:  # no hook needs the weights, so none need be stored
            scale = interface(self.encoding, "scale")
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=scale)
        return self.out(context.transpose(1, 2).flatten(2))

    def weights(
        self, x: Tensor, mask: Tensor | None = None, offsets: Tensor | Positions | None = None
    ) -> Tensor:
        """α, who looks at whom, (B, H, T, T); arguments as in `forward`."""
        q, k, _, bias = self._prepared(x, mask, offsets)
        return self._weights(q, k, bias)

    def _weights(self, q: Tensor, k: Tensor, bias: Tensor | None) -> Tensor:
        # q is scaled, not q·kᵀ: it has fewer numbers, and they are copied for the product anyway.
        scale = interface(self.encoding, "scale")
        return _softmax(q * scale @ k.transpose(-2, -1), bias)

    def _prepared(
        self,
        x: Tensor,
        mask: Tensor | None,
        offsets: Tensor | Positions | None,
        kept: Kept | None = None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """q, k, v (B, H, T, d), and what is added to the scaled q·kᵀ: −∞ where the mask forbids."""
        heads = self.encoding.num_heads
        q, k, v = self.qkv(x).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
        settled = interface(self.encoding, "settled")
        if kept is not None and not settled:
            k, v = kept.with_more(k, v)
        own = offsets if kept is None or not settled else _of_these(k, offsets, kept)
        q, k = ask(self.encoding, "rotate", q, k, offsets=own)
        if kept is not None and settled:
            k, v = kept.with_more(k, v)
        if mask is not None:
            _check_mask(mask, (*q.shape[:3], k.shape[2]))
        bias = ask(self.encoding, "scores", q, k, offsets=offsets)
        if bias is not None:
            # The fused kernel reads float32 beside float64 queries as if it were float64.
            wide = torch.promote_types(bias.dtype, q.dtype)
            bias = bias.to(wide) * interface(self.encoding, "scale")
        if mask is not None:
            allowed = torch.zeros((), dtype=q.dtype, device=q.device) if bias is None else bias
            bias = torch.where(mask, allowed, float("-inf"))
        if bias is not None and bias.dim() == 3:
            bias = bias[None]  # with three axes the fused kernel is not taken
        return q, k, v, bias


def _of_these(k: Tensor, offsets: Tensor | Positions | None, kept: Kept) -> Positions:
    """Where the tokens of a call stand, without those that are kept."""
    if isinstance(offsets, Positions):
        return Positions(offsets.queries)
    return Positions(torch.arange(kept.length, kept.length + k.shape[2], device=k.device))


def _plain_is_quicker(q: Tensor) -> bool:
    """On a CPU the fused kernel takes two to four times as long in bfloat16."""
    return q.dtype == torch.bfloat16 and q.device.type == "cpu" and q.shape[2] <= 512


def _softmax(scores: Tensor, bias: Tensor | None) -> Tensor:
    """Softmax of scores + bias; zeros for a query that may look at no key."""
    if bias is None:
        return scores.softmax(-1)
    blind = bias.isneginf().all(-1, keepdim=True)
    weights = (scores + bias.masked_fill(blind, 0)).softmax(-1)
    return weights.masked_fill(blind, 0)


def _check_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """A (B, T, T) mask would be read as one per head where B = H, so its axes must be said."""
    fits = mask.dim() in (2, 4) and all(
        have in (1, want) for have, want in zip(mask.shape, shape[-mask.dim() :], strict=True)
    )
    if mask.dtype != torch.bool or not fits:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}; it must be torch.bool of shape "
            f"(T, T) = {shape[2:]}, or (B, H, T, T) = {shape} with 1 where it is the same for all"
        )
