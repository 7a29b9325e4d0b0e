"""What is compared: one step of attention, forward and backward, in our forms and in others'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.models.vits.configuration_vits import VitsConfig
from transformers.models.vits.modeling_vits import VitsAttention
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2
from transformers.models.wav2vec2_bert.configuration_wav2vec2_bert import Wav2Vec2BertConfig

from benchmarks import relative_logits
from helpers.encodings import Encoding, Positions, create
from helpers.model.attention import MultiHeadAttention

B, H, d, K = 2, 4, 64, 16
D = H * d
CLIPPED_FLEX = f"flex, k = {K}"  # what is further away shares the outermost row, as in Shaw's keys
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Step = Callable[[], None]


def form_step(name: str, length: int, width: int) -> Step:
    """Make a step of attention with one form of the key term, forward and backward."""
    q, k, v = (torch.randn(B, H, length, width, device=DEVICE) for _ in range(3))
    furthest = K if name == CLIPPED_FLEX else length - 1
    table = torch.randn(2 * furthest + 1, width, device=DEVICE)
    leaves = [each.requires_grad_() for each in (q, k, v, table)]
    encoding, at = None, Positions.upto(length, device=torch.device(DEVICE))
    fused = torch.compile(relative_logits.flex, dynamic=False)
    if name.startswith("ours"):
        option: dict[str, Any] = {"k": K} if "shaw" in name else {"max_len": length}
        kind = "shaw_keys" if "shaw" in name else "huang"
        encoding = create(kind, d_model=H * width, num_heads=H, **option).to(DEVICE)
        leaves += list(encoding.parameters())

    def context() -> Tensor:
        """Keep nothing beyond its use but what autograd needs, as in a module."""
        if name in ("flex", CLIPPED_FLEX):
            return fused(q, k, v, table)
        scaled = q * width**-0.5
        bias = encoding.bias(scaled, k, at) if encoding else _term(name, scaled, table)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)

    def step() -> None:
        for leaf in leaves:
            leaf.grad = None
        context().sum().backward()

    return step


def _term(name: str, q: Tensor, table: Tensor) -> Tensor | None:
    return None if name == "plain" else relative_logits.FORMS[name](q, table)


def module_step(name: str, length: int) -> Step:
    """Make a step of a whole attention module, its projections included."""
    x = torch.randn(B, length, D, device=DEVICE, requires_grad=True)
    module = _built(name, length).to(DEVICE)
    vectors = None
    if name == "Wav2Vec2Bert relative":
        config = Wav2Vec2BertConfig(hidden_size=D, max_source_positions=length)
        vectors = wav2vec2.Wav2Vec2BertRelPositionalEmbedding(config)(x.cpu()).to(DEVICE)

    def step() -> None:
        module.zero_grad()
        x.grad = None
        given = {"relative_position_embeddings": vectors} if vectors is not None else {}
        out = module(x, **given)
        (out[0] if isinstance(out, tuple) else out).sum().backward()

    return step


def _built(name: str, length: int) -> nn.Module:
    if name.startswith("Wav2Vec2Bert"):
        config = Wav2Vec2BertConfig(
            hidden_size=D,
            num_attention_heads=H,
            position_embeddings_type="relative_key" if "key" in name else "relative",
            left_max_position_embeddings=K,
            right_max_position_embeddings=K,
            attention_dropout=0.0,
        )
        return wav2vec2.Wav2Vec2BertSelfAttention(config)
    if name.startswith("a ready mask"):
        return MultiHeadAttention(ReadyMask(length, learned="learned" in name))
    if name == "VITS":
        return VitsAttention(
            VitsConfig(hidden_size=D, num_attention_heads=H, window_size=K, attention_dropout=0.0)
        )
    kind = name.split()[0]
    options: dict[str, Any] = {"k": K} if kind.startswith("shaw") else {"max_len": length}
    return MultiHeadAttention(create(kind, d_model=D, num_heads=H, **options))


class ReadyMask(Encoding):
    """Shows what a bias costs at least: (H, T, T) numbers that are there already."""

    def __init__(self, length: int, learned: bool) -> None:
        super().__init__(D, H)
        self.table = nn.Parameter(torch.zeros(H, length, length), requires_grad=learned)

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        """Return the numbers as they are."""
        return self.table
