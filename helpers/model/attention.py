"""Attention that asks its encoding about position (Vaswani et al. 2017); its cache, its layer."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import Encoding, Positions, hooks_of


class KVCache:
    """Keys and values that one layer has computed, of all tokens that have been read.

    Keys are kept as `rotate` has turned them; for an encoding with `rerotate` as they are before.
    """

    def __init__(self) -> None:
        self.length = 0  # S, tokens that are kept
        self._keys = self._values = torch.empty(0)  # (B, H, room for S and more, d)

    def update(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Keep some more, (B, H, T, d), and return all, (B, H, S, d)."""
        before, self.length = self.length, self.length + keys.shape[2]
        if before == 0:  # a view would keep the projections of q, k and v alive
            self._keys, self._values = keys.contiguous(), values.contiguous()
        elif keys.requires_grad or values.requires_grad:  # autograd forbids to write into them
            self._keys = torch.cat([self._keys[:, :, :before], keys], 2)
            self._values = torch.cat([self._values[:, :, :before], values], 2)
        else:
            if self._keys.shape[2] < self.length:
                self._keys, self._values = self._wider(self._keys), self._wider(self._values)
            self._keys[:, :, before : self.length] = keys
            self._values[:, :, before : self.length] = values
        return self._keys[:, :, : self.length], self._values[:, :, : self.length]

    @property
    def nbytes(self) -> int:
        """Bytes of the keys and values that are kept, without the room to spare."""
        return sum(each[:, :, : self.length].nbytes for each in (self._keys, self._values))

    def _wider(self, kept: Tensor) -> Tensor:
        """The same with room to spare, or each further token would copy all."""
        room = kept.new_empty(*kept.shape[:2], self.length + self.length // 4 + 16, kept.shape[3])
        room[:, :, : kept.shape[2]] = kept
        return room


class MultiHeadAttention(nn.Module):
    """Self-attention; all that concerns position comes from `encoding`.

    Args:
        encoding: gives D, H and the hooks `rotate`, `bias` and `context`.
        registered: False if another module has registered the encoding already, as where all
            layers share one.
    """

    encoding: Encoding

    def __init__(self, encoding: Encoding, registered: bool = True) -> None:
        super().__init__()
        if registered:
            self.encoding = encoding
        else:  # an attribute that PyTorch does not look into
            self.__dict__["encoding"] = encoding
        self.hooks = hooks_of(encoding)
        self.qkv = nn.Linear(encoding.d_model, 3 * encoding.d_model)
        self.out = nn.Linear(encoding.d_model, encoding.d_model)
        self.scale_initial_queries()

    def scale_initial_queries(self) -> None:
        """Divide the initial W_Q by √d if `softmax_scale` is 1, as in T5.

        A model that initialises `qkv` anew calls this after it.
        """
        if self.encoding.softmax_scale == 1.0:
            with torch.no_grad():
                for each in self.qkv.parameters():
                    each[: self.encoding.d_model] *= self.encoding.head_dim**-0.5

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Positions | None = None,
        cache: KVCache | None = None,
        is_causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor:
        """(B, T, D) → (B, T, D).

        Args:
            mask: True where a query may look at a key: (T, S), or (B or 1, H or 1, T or 1, S), so
                that padding is `attention_mask[:, None, None, :]`. A query that may look at no key
                has the context 0, so its output is the bias of W_O.
            positions: where queries and keys stand; the last T of 0 … S−1 if not given.
            cache: keys and values of earlier calls; S counts them and those of `x`.
            is_causal: each query looks at keys up to its own, and no further; only where no key is
                cached, so S = T. Without mask and bias, the fused kernel skips the other keys.
            need_weights: return α, who looks at whom, (B, H, T, S).

        Raises:
            ValueError: `mask` is not boolean or has another shape, or `is_causal` beside keys that
                are cached.
        """
        encoding = self.encoding
        if is_causal and cache is not None and cache.length:
            raise ValueError("is_causal needs S = T, but keys are cached: pass a mask (T, S)")
        q, k, v = self.qkv(x).unflatten(-1, (3, encoding.num_heads, -1)).permute(2, 0, 3, 1, 4)
        if positions is None:
            before = 0 if cache is None else cache.length
            positions = Positions.upto(before + x.shape[1], x.shape[1], x.device)
        if cache is None:
            q, k = encoding.rotate(q, k, positions)
        elif encoding.rerotate:
            k, v = cache.update(k, v)
            q, k = encoding.rotate(q, k, positions)
        else:
            q, k = encoding.rotate(q, k, positions.of_queries)
            k, v = cache.update(k, v)
        scale, bias = encoding.softmax_scale, None
        if "bias" in self.hooks:
            bias = encoding.bias(q * scale, k, positions)
        # On a CPU the fused kernel takes two to four times as long in bfloat16.
        slow = q.dtype == torch.bfloat16 and q.device.type == "cpu" and q.shape[2] <= 512
        plain = slow or need_weights or "context" in self.hooks
        if mask is not None:
            _check_mask(mask, (*q.shape[:3], k.shape[2]))
        if is_causal and (plain or bias is not None or mask is not None):
            mask, is_causal = _causal(q) if mask is None else mask & _causal(q), False
        if bias is not None:
            mask = _merged(bias, mask, q)
        if plain:
            # q is scaled, not q·kᵀ: it has fewer numbers, and is copied for the product anyway.
            weights = _softmax(q * scale @ k.mT, mask)
            if need_weights:
                return weights
            context = weights @ v  # (B, H, T, d)
            extra = encoding.context(weights, positions)
            context = context if extra is None else context + extra
        else:  # no hook needs the weights, so none need be stored
            context = F.scaled_dot_product_attention(
                q, k, v, attn_mask=mask, is_causal=is_causal, scale=scale
            )
        return self.out(context.transpose(1, 2).flatten(2))

    def weights(
        self, x: Tensor, mask: Tensor | None = None, positions: Positions | None = None
    ) -> Tensor:
        """Return α, who looks at whom, (B, H, T, T); arguments as in `forward`."""
        return self.forward(x, mask, positions, need_weights=True)


def _causal(q: Tensor) -> Tensor:
    """Return True up to a query's own key, (T, T)."""
    return torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).tril()


def _merged(bias: Tensor, mask: Tensor | None, q: Tensor) -> Tensor:
    """Return the bias in the queries' dtype, which the kernels want; −∞ where the mask forbids."""
    bias = bias.to(q.dtype)
    if mask is not None:
        bias = torch.where(mask, bias, float("-inf"))
    return bias[None] if bias.dim() == 3 else bias  # with three axes the fused kernel is not taken


def _softmax(scores: Tensor, mask_or_bias: Tensor | None) -> Tensor:
    """Return softmax behind a mask, or of scores + bias; zeros where a query sees no key."""
    if mask_or_bias is None:
        return scores.softmax(-1)
    bias = mask_or_bias
    if bias.dtype == torch.bool:
        bias = torch.zeros_like(bias, dtype=scores.dtype).masked_fill(~bias, float("-inf"))
    blind = bias.isneginf().all(-1, keepdim=True)
    return (scores + bias.masked_fill(blind, 0)).softmax(-1).masked_fill(blind, 0)


def _check_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a (B, T, T) mask, which would be read as one per head where B = H, and others."""
    fits = mask.dim() in (2, 4) and all(
        have in (1, want) for have, want in zip(mask.shape, shape[-mask.dim() :], strict=True)
    )
    if mask.dtype != torch.bool or not fits:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}; it must be torch.bool of shape "
            f"(T, T) = {shape[2:]}, or (B, H, T, T) = {shape} with 1 where it is the same for all"
        )


class EncoderLayer(nn.Module):
    """Attention and MLP, each with a skip connection and a LayerNorm.

    Args:
        encoding: as `MultiHeadAttention` has it, and `registered`.
        norm: "pre" is x + f(LN(x)) (Xiong et al. 2020, figure 1b), "post" LN(x + f(x)), as in
            Vaswani et al. 2017 and BERT.
        dropout: probability that a number is set to 0 after attention and after the MLP.
        eps: of the LayerNorms.
    """

    def __init__(
        self,
        encoding: Encoding,
        norm: str = "pre",
        dropout: float = 0.0,
        eps: float = 1e-5,
        registered: bool = True,
    ) -> None:
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm={norm!r} must be 'pre' or 'post'")
        width = encoding.d_model
        self.norm_first = norm == "pre"
        self.attention = MultiHeadAttention(encoding, registered)
        self.norms = nn.ModuleList([nn.LayerNorm(width, eps), nn.LayerNorm(width, eps)])
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Positions | None = None,
        cache: KVCache | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """(B, T, D) → (B, T, D); all arguments as in `MultiHeadAttention`."""
        first, second = self.norms
        if self.norm_first:
            x = x + self.dropout(self.attention(first(x), mask, positions, cache, is_causal))
            return x + self.dropout(self.mlp(second(x)))
        x = first(x + self.dropout(self.attention(x, mask, positions, cache, is_causal)))
        return second(x + self.dropout(self.mlp(x)))
