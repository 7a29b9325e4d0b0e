"""Multi-head attention with any encoding (Vaswani et al. 2017), its KV cache, and a layer."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import Encoding, Positions, hooks_of


class KVCache:
    """Keys and values of one layer, for all tokens that it has read.

    Keys are stored after `rotate`; before it if the encoding has `rerotate`.
    """

    def __init__(self) -> None:
        self.length = 0  # S, number of tokens stored
        self._keys = self._values = torch.empty(0)  # (B, H, S or more, d)

    def update(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add those of T new tokens, (B, H, T, d), and return all, (B, H, S, d).

        Raises:
            ValueError: they are of another number of texts than those before.
        """
        before = self.length
        if before and len(keys) != len(self._keys):
            raise ValueError(f"B={len(keys)} texts; the cache has read {len(self._keys)}")
        self.length = before + keys.shape[2]
        if before == 0:  # contiguous, as a view would keep the memory of q, k and v in use
            self._keys, self._values = keys.contiguous(), values.contiguous()
        elif torch.is_grad_enabled():  # not in place: autograd may have saved these tensors
            self._keys = torch.cat([self._keys[:, :, :before], keys], 2)
            self._values = torch.cat([self._values[:, :, :before], values], 2)
        else:
            if self._keys.shape[2] < self.length:
                # A quarter more than needed, or each new token would copy all earlier ones.
                spare = (0, 0, 0, self.length + self.length // 4 + 16 - self._keys.shape[2])
                self._keys, self._values = F.pad(self._keys, spare), F.pad(self._values, spare)
            self._keys[:, :, before : self.length] = keys
            self._values[:, :, before : self.length] = values
        return self._keys[:, :, : self.length], self._values[:, :, : self.length]


class MultiHeadAttention(nn.Module):
    """Self-attention that calls the hooks `rotate`, `bias` and `context` of an encoding.

    Args:
        encoding: it also gives D and H.
        registered: whether the encoding is a submodule of this one; False if it is one of another
            module already, as where all layers share it.
    """

    encoding: Encoding

    def __init__(self, encoding: Encoding, registered: bool = True) -> None:
        super().__init__()
        if registered:
            self.encoding = encoding
        else:  # past `nn.Module.__setattr__`, which would register it
            self.__dict__["encoding"] = encoding
        self.hooks = hooks_of(encoding)
        self.qkv = nn.Linear(encoding.d_model, 3 * encoding.d_model)
        self.out = nn.Linear(encoding.d_model, encoding.d_model)
        self.scale_initial_queries()

    def scale_initial_queries(self) -> None:
        """Divide the initial W_Q by √d if `softmax_scale` is 1, as in T5.

        A model that initialises `qkv` itself calls this again.
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
            mask: True where a query may attend to a key, (T, S) or (B or 1, H or 1, T or 1, S);
                for padding, `attention_mask[:, None, None, :]`. A query that may attend to no key
                has the context 0, so its output is the bias of W_O.
            positions: of T queries and S keys, cached ones included; if not given, the keys are at
                0 … S−1, the queries at the last T of these.
            cache: keys and values of earlier tokens, to which those of `x` are added.
            is_causal: each query attends to the keys up to its own: the same as a causal mask, but
                the fused kernel then skips the others. Not if keys are cached.
            need_weights: return the attention weights α instead, (B, H, T, S).

        Raises:
            ValueError: `mask` is not boolean or has another shape, positions are of other numbers
                of tokens, or `is_causal` is given beside a mask or cached keys.
        """
        encoding, (batch, length) = self.encoding, x.shape[:2]
        num_keys = length if cache is None else cache.length + length  # S
        if is_causal and (mask is not None or num_keys > length):
            raise ValueError("is_causal needs S = T and no mask: pass a mask (T, S) instead")
        if mask is not None:
            _check_mask(mask, (batch, encoding.num_heads, length, num_keys))
        if positions is None:
            positions = Positions.upto(num_keys, length, x.device)
        sizes = positions.queries.shape[:2][-1], positions.keys.shape[:2][-1]
        if sizes != (length, num_keys) or (num_keys > length and positions.new_tokens is None):
            raise ValueError(
                f"positions of {sizes[0]} queries and {sizes[1]} keys; there are T={length} and "
                f"S={num_keys}, for which Positions.upto(S, T) makes them"
            )
        q, k, v = self.qkv(x).unflatten(-1, (3, encoding.num_heads, -1)).permute(2, 0, 3, 1, 4)
        if cache is None:
            q, k = encoding.rotate(q, k, positions)
        elif encoding.rerotate:
            k, v = cache.update(k, v)
            q, k = encoding.rotate(q, k, positions)
        else:
            q, k = encoding.rotate(q, k, positions.new_tokens or positions)
            k, v = cache.update(k, v)
        scale, bias = encoding.softmax_scale, None
        if "bias" in self.hooks:
            bias = encoding.bias(q * scale, k, positions)
        # In bfloat16 on a CPU the fused kernel takes two to four times as long.
        slow = q.dtype == torch.bfloat16 and q.device.type == "cpu" and q.shape[2] <= 512
        plain = slow or need_weights or "context" in self.hooks
        if is_causal and (plain or bias is not None):
            mask = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
            is_causal = False
        if bias is not None:
            mask = _merged(bias, mask, q)
        if plain:
            weights = _softmax(q * scale @ k.mT, mask)
            if need_weights:
                return weights
            context = weights @ v  # (B, H, T, d)
            extra = encoding.context(weights, positions)
            context = context if extra is None else context + extra
        else:  # the fused kernel stores no weights
            context = F.scaled_dot_product_attention(
                q, k, v, attn_mask=mask, is_causal=is_causal, scale=scale
            )
        return self.out(context.transpose(1, 2).flatten(2))

    def weights(
        self, x: Tensor, mask: Tensor | None = None, positions: Positions | None = None
    ) -> Tensor:
        """Return the attention weights α, (B, H, T, T); arguments as in `forward`."""
        return self.forward(x, mask, positions, need_weights=True)


def _merged(bias: Tensor, mask: Tensor | None, q: Tensor) -> Tensor:
    """Return the bias, −∞ where the mask is False, as the fused kernel takes it."""
    bias = bias.to(q.dtype)
    if mask is not None:
        bias = torch.where(mask, bias, float("-inf"))
    return bias[None] if bias.dim() == 3 else bias  # it takes 2 or 4 axes


def _softmax(scores: Tensor, attn_mask: Tensor | None) -> Tensor:
    """Return the softmax with a mask or a bias; zeros where a query may attend to no key."""
    if attn_mask is None:
        return scores.softmax(-1)
    bias = attn_mask
    if bias.dtype == torch.bool:
        bias = torch.zeros_like(bias, dtype=scores.dtype).masked_fill(~bias, float("-inf"))
    blind = bias.isneginf().all(-1, keepdim=True)
    return (scores + bias.masked_fill(blind, 0)).softmax(-1).masked_fill(blind, 0)


def _check_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a mask of a wrong dtype or shape; (B, T, T) too, which could mean (H, T, T)."""
    fits = mask.dim() in (2, 4) and all(
        have in (1, want) for have, want in zip(mask.shape, shape[-mask.dim() :], strict=True)
    )
    if mask.dtype != torch.bool or not fits:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}; it must be torch.bool of shape "
            f"(T, S) = {shape[2:]}, or (B, H, T, S) = {shape} with 1 where it is the same for all"
        )


class EncoderLayer(nn.Module):
    """Attention and MLP, each with a skip connection and a LayerNorm.

    Args:
        encoding: as in `MultiHeadAttention`, and so is `registered`.
        norm: "pre" is x + f(LN(x)) (Xiong et al. 2020, figure 1b), "post" LN(x + f(x)), as in
            Vaswani et al. 2017 and BERT.
        dropout: probability of dropout after attention and after the MLP.
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
