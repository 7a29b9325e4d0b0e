"""What is added to the scores by the offset or by the content."""

import math
from typing import Any, Literal

import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.deberta.configuration_deberta import DebertaConfig
from transformers.models.deberta.modeling_deberta import DisentangledSelfAttention
from transformers.models.t5.configuration_t5 import T5Config
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.vits.configuration_vits import VitsConfig
from transformers.models.vits.modeling_vits import VitsAttention
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2
from transformers.models.wav2vec2_bert.configuration_wav2vec2_bert import Wav2Vec2BertConfig
from transformers.models.xlnet.configuration_xlnet import XLNetConfig
from transformers.models.xlnet.modeling_xlnet import XLNetModel, XLNetRelativeAttention
from x_transformers import x_transformers as xt

from helpers import encodings
from helpers.model.attention import MultiHeadAttention
from tests.encodings import hooks
from tests.encodings.oracles.comparison import (
    B,
    D,
    H,
    Pair,
    T,
    build,
    d,
    oracle,
    qk,
    same_projections,
)


@oracle("shaw_keys", "transformers, Wav2Vec2Bert relative_key", 1e-12)
def _wav2vec2_keys() -> Pair:
    ours: Any = MultiHeadAttention(build("shaw_keys", k=4))
    theirs = _wav2vec2("relative_key", ours)
    with torch.no_grad():
        theirs.distance_embedding.weight.copy_(ours.encoding.keys)
    x = torch.randn(B, T, D)
    return ours(x), theirs(x)[0]


def _wav2vec2(kind: Literal["relative", "relative_key"], ours: Any) -> Any:
    config = Wav2Vec2BertConfig(
        hidden_size=D,
        num_attention_heads=H,
        position_embeddings_type=kind,
        left_max_position_embeddings=4,
        right_max_position_embeddings=4,
        attention_dropout=0.0,
    )
    theirs = wav2vec2.Wav2Vec2BertSelfAttention(config).double()
    linear = {"q": theirs.linear_q, "k": theirs.linear_k, "v": theirs.linear_v}
    same_projections(ours, {**linear, "out": theirs.linear_out})
    return theirs


@oracle("shaw", "transformers, VITS", 1e-12, "window ≥ T − 1: beyond it VITS has zero, Shaw clips")
def _vits() -> Pair:
    ours: Any = MultiHeadAttention(build("shaw", k=T))
    theirs = VitsAttention(
        VitsConfig(hidden_size=D, num_attention_heads=H, window_size=T, attention_dropout=0.0)
    ).double()
    linear = {"q": theirs.q_proj, "k": theirs.k_proj, "v": theirs.v_proj}
    same_projections(ours, {**linear, "out": theirs.out_proj})
    with torch.no_grad():
        theirs.emb_rel_k.copy_(ours.encoding.keys[None])
        theirs.emb_rel_v.copy_(ours.encoding.values[None])
    x = torch.randn(B, T, D)
    return ours(x), theirs(x)[0]


@oracle("huang", "transformers, VITS, relative to absolute", 1e-12)
def _vits_skew() -> Pair:
    ours = build("huang", max_len=T)
    q, k = qk()
    helper = VitsAttention(VitsConfig(hidden_size=D, num_attention_heads=H))
    products = (q @ ours.table.transpose(-2, -1)).flatten(0, 1)  # (B·H, T, 2T − 1)
    absolute = helper._relative_position_to_absolute_position(products)
    return hooks.scores(ours, q, k), absolute.view(B, H, T, T)


@oracle("transformer_xl", "transformers, XLNet", 1e-6, "it rounds the angles to float32")
def _xlnet() -> Pair:
    ours = build("transformer_xl")
    config = XLNetConfig(d_model=D, n_head=H, n_layer=1, vocab_size=5, dropout=0.0)
    theirs: Any = XLNetRelativeAttention(config).double()
    vectors = XLNetModel(config).relative_positional_encoding(T, T)[:, 0].double()  # [sin; cos]
    vectors = torch.stack([vectors[:, : D // 2], vectors[:, D // 2 :]], -1).flatten(-2)
    rows = ours.project(vectors).view(2 * T, 1, H, d).expand(-1, B, -1, -1)
    with torch.no_grad():
        theirs.r_w_bias.copy_(ours.u[:, 0])
        theirs.r_r_bias.copy_(ours.v[:, 0])
    q, k = qk()
    first = (x.permute(2, 0, 1, 3) for x in (q, k, torch.randn(B, H, T, d)))
    weights = theirs.rel_attn_core(*first, rows, output_attentions=True)[1].permute(2, 3, 0, 1)
    scores = (q @ k.transpose(-2, -1) + hooks.scores(ours, q, k)) * ours.softmax_scale
    return scores.softmax(-1), weights


@oracle("transformer_xl", "transformers, Wav2Vec2Bert relative", 1e-6, "float32 angles")
def _wav2vec2_relative() -> Pair:
    ours: Any = MultiHeadAttention(build("transformer_xl"))
    theirs = _wav2vec2("relative", ours)
    with torch.no_grad():
        theirs.pos_bias_u.copy_(ours.encoding.u[:, 0])
        theirs.pos_bias_v.copy_(ours.encoding.v[:, 0])
        theirs.linear_pos.weight.copy_(ours.encoding.project.weight)
    x = torch.randn(B, T, D)
    vectors = wav2vec2.Wav2Vec2BertRelPositionalEmbedding(
        Wav2Vec2BertConfig(hidden_size=D, max_source_positions=T)
    )(x)
    return ours(x), theirs(x, relative_position_embeddings=vectors.double())[0]


@oracle("t5_bias", "transformers, T5Attention", 1e-12)
def _t5() -> Pair:
    ours = build("t5_bias")
    config = T5Config(d_model=D, d_kv=d, num_heads=H)
    theirs = T5Attention(config, has_relative_attention_bias=True)
    with torch.no_grad():
        theirs.relative_attention_bias.weight.copy_(ours.table.T)
    q, k = qk(300)
    return hooks.scores(ours, q, k), theirs.compute_bias(300, 300)[0]


@oracle("clipped_bias", "transformers, T5Attention", 1e-12, "8 buckets a side: 0 to 3, 4, the rest")
def _t5_clipped() -> Pair:
    """With a largest distance of 5 the buckets of T5 for 4 and for all from 5 on have one each."""
    ours = build("clipped_bias", k=5)
    config = T5Config(d_model=D, d_kv=d, num_heads=H)
    config.relative_attention_num_buckets, config.relative_attention_max_distance = 16, 5
    theirs = T5Attention(config, has_relative_attention_bias=True)
    offsets = torch.arange(-5, 6)
    with torch.no_grad():
        rows = theirs._relative_position_bucket(offsets, num_buckets=16, max_distance=5)
        theirs.relative_attention_bias.weight[rows] = ours.table.T
    q, k = qk(30)
    return hooks.scores(ours, q, k) * ours.softmax_scale, theirs.compute_bias(30, 30)[0]


@oracle("alibi", "transformers, Bloom (causal)", 1e-6, "it computes slopes in float32")
def _bloom() -> Pair:
    theirs = build_alibi_tensor(torch.ones(1, T), 12, torch.float64)  # (H, 1, T), keys only
    ours = encodings.create("alibi", d_model=12, num_heads=12, form="causal")
    right = torch.ones(T, T).tril() == 0
    q = torch.zeros(1, 12, T, 1)
    with_theirs = theirs.expand(-1, T, -1).masked_fill(right, -math.inf).softmax(-1)
    bias = hooks.scores(ours, q, q)
    assert bias is not None
    return bias.softmax(-1), with_theirs


@oracle("alibi", "x-transformers (symmetric)", 1e-12)
def _x_alibi() -> Pair:
    ours = encodings.create("alibi", d_model=12, num_heads=12)
    bias = hooks.scores(ours, torch.zeros(1, 12, T, 1), torch.zeros(1, 12, T, 1))
    assert bias is not None
    return bias, xt.AlibiPositionalBias(12).double()(T, T)


@oracle("deberta", "transformers, DeBERTa (index='code')", 1e-7, "it rounds √(3d) to float32")
def _deberta() -> Pair:
    return deberta_scores("code")


def deberta_scores(index: str, k: int = 4) -> Pair:
    """Weights of ours with `index`, and of the published code."""
    ours: Any = MultiHeadAttention(build("deberta", k=k, index=index))
    config = DebertaConfig(
        hidden_size=D,
        num_attention_heads=H,
        relative_attention=True,
        max_relative_positions=k,
        pos_att_type=["c2p", "p2c"],
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    theirs = DisentangledSelfAttention(config).double().eval()
    with torch.no_grad():
        ours.qkv.bias.zero_()
        by_head = [each.unflatten(0, (H, d)) for each in ours.qkv.weight.chunk(3)]
        theirs.in_proj.weight.copy_(torch.stack(by_head, 1).flatten(0, 2))
        theirs.pos_proj.weight.copy_(ours.encoding.key.weight)
        theirs.pos_q_proj.weight.copy_(ours.encoding.query.weight)
        theirs.pos_q_proj.bias.zero_()
    x = torch.randn(B, T, D)
    distance = torch.arange(T)[:, None] - torch.arange(T)  # i − j
    _, weights = theirs(
        x,
        torch.ones(B, 1, T, T),
        output_attentions=True,
        relative_pos=distance,
        rel_embeddings=ours.encoding.vectors,
    )
    return ours.weights(x), weights


@oracle("cope", "x-transformers", 1e-10, "with the causal mask already in its logits")
def _x_cope() -> Pair:
    ours = build("cope", num_positions=5, causal=True)
    theirs = xt.CoPE(d, H, 5).double()
    with torch.no_grad():
        theirs.pos_emb.copy_(ours.vectors[0].T)
    q, k = qk()
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    logits = (q @ k.transpose(-2, -1) * ours.softmax_scale).masked_fill(~seen, -1e30)
    return hooks.scores(ours, q, k).where(seen, 0), theirs(q, logits).where(seen, torch.zeros(()))
