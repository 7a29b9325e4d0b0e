"""Each encoding beside an implementation that someone else wrote: (ours, theirs), in float64.

`ORACLES` is what the tests compare and what the table in docs/encodings.md is made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import networkx as nx
import torch
import torch.nn.functional as F
from learnable_fourier_positional_encoding import LearnableFourierPositionalEncoding
from local_attention import LocalAttention
from torch import Tensor, nn
from torch.onnx import ops as onnx_ops
from transformers.models.bert.configuration_bert import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.deberta.configuration_deberta import DebertaConfig
from transformers.models.deberta.modeling_deberta import DisentangledSelfAttention
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
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
from helpers.attention import MultiHeadAttention

B, H, d, T = 2, 3, 8, 9
D = H * d
Pair = tuple[Tensor, Tensor]
Compared = Callable[[], Pair]


class Oracle(NamedTuple):
    """A comparison: whose code, how far apart the two may be, and why where it is not rounding."""

    encoding: str
    whose: str
    tolerance: float
    pair: Compared
    note: str = ""


ORACLES: list[Oracle] = []


def oracle(
    encoding: str, whose: str, tolerance: float, note: str = ""
) -> Callable[[Compared], Compared]:
    """Register a function that returns (ours, theirs)."""

    def register(pair: Compared) -> Compared:
        ORACLES.append(Oracle(encoding, whose, tolerance, pair, note))
        return pair

    return register


def build(name: str, **options: Any) -> Any:
    """An encoding whose parameters are all random; each caller knows its class."""
    encoding = encodings.create(name, **{"d_model": D, "num_heads": H, **options})
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.normal_()
    return encoding


def qk(length: int = T) -> tuple[Tensor, Tensor]:
    """Random queries and keys, (B, H, T, d) each."""
    q, k = torch.randn(2, B, H, length, d)
    return q, k


def _same_projections(ours: Any, theirs: dict[str, nn.Linear]) -> None:
    with torch.no_grad():
        pairs = zip("qkv", ours.qkv.weight.chunk(3), ours.qkv.bias.chunk(3), strict=True)
        for name, weight, bias in pairs:
            theirs[name].weight.copy_(weight)
            theirs[name].bias.copy_(bias)
        theirs["out"].load_state_dict(ours.out.state_dict())


@oracle("sinusoidal", "transformers, DistilBERT", 3e-8, "it rounds to float32")
def _distilbert() -> Pair:
    theirs = torch.empty(512, 768)
    create_sinusoidal_embeddings(512, 768, theirs)
    return encodings.create("sinusoidal", d_model=768).embed(torch.zeros(1, 512, 768))[0], theirs


@oracle("learned", "transformers, BertEmbeddings", 1e-12)
def _bert() -> Pair:
    theirs = BertEmbeddings(
        BertConfig(vocab_size=5, hidden_size=D, num_attention_heads=H, max_position_embeddings=T)
    )
    ours = build("learned", max_len=T)
    with torch.no_grad():
        theirs.position_embeddings.weight.copy_(ours.table)
        theirs.token_type_embeddings.weight.zero_()
    tokens = torch.randint(5, (B, T))
    embedded = ours.embed(theirs.word_embeddings(tokens))
    return theirs.LayerNorm(embedded), theirs.eval()(tokens)


@oracle("fourier", "learnable-fourier-positional-encoding", 1e-12)
def _fourier() -> Pair:
    ours = build("fourier", features=10, hidden=7, match_norm=False)
    theirs = LearnableFourierPositionalEncoding(1, 1, 10, 7, D, gamma=1.0).double()
    with torch.no_grad():
        theirs.Wr.weight.copy_(ours.frequencies[:, None])
        theirs.mlp.load_state_dict(ours.mlp.state_dict())
    positions = torch.arange(T, dtype=torch.float64)
    return ours.vectors(positions), theirs(positions[:, None, None])


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
    _same_projections(ours, {**linear, "out": theirs.linear_out})
    return theirs


@oracle("shaw", "transformers, VITS", 1e-12, "window ≥ T − 1: beyond it VITS has zero, Shaw clips")
def _vits() -> Pair:
    ours: Any = MultiHeadAttention(build("shaw", k=T))
    theirs = VitsAttention(
        VitsConfig(hidden_size=D, num_attention_heads=H, window_size=T, attention_dropout=0.0)
    ).double()
    linear = {"q": theirs.q_proj, "k": theirs.k_proj, "v": theirs.v_proj}
    _same_projections(ours, {**linear, "out": theirs.out_proj})
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
    return ours.scores(q, k), absolute.view(B, H, T, T)


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
    return ((q @ k.transpose(-2, -1) + ours.scores(q, k)) * ours.scale).softmax(-1), weights


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
    return ours.scores(q, k), theirs.compute_bias(300, 300)[0]


@oracle("alibi", "transformers, Bloom (causal)", 1e-6, "it computes slopes in float32")
def _bloom() -> Pair:
    theirs = build_alibi_tensor(torch.ones(1, T), 12, torch.float64)  # (H, 1, T), keys only
    ours = encodings.create("alibi", d_model=12, num_heads=12, form="causal")
    right = torch.ones(T, T).tril() == 0
    q = torch.zeros(1, 12, T, 1)
    with_theirs = theirs.expand(-1, T, -1).masked_fill(right, -math.inf).softmax(-1)
    bias = ours.scores(q, q)
    assert bias is not None
    return bias.softmax(-1), with_theirs


@oracle("alibi", "x-transformers (symmetric)", 1e-6, "it computes slopes in float32")
def _x_alibi() -> Pair:
    ours = encodings.create("alibi", d_model=12, num_heads=12)
    bias = ours.scores(torch.zeros(1, 12, T, 1), torch.zeros(1, 12, T, 1))
    assert bias is not None
    return bias, xt.AlibiPositionalBias(12).double()(T, T)


def _onnx(layout: str, fraction: float) -> Pair:
    ours = build("rotary", layout=layout, fraction=fraction)
    turned = int(d * fraction)
    x = torch.randn(B, H, T, d)
    angles = torch.outer(torch.arange(T), 10_000.0 ** (-torch.arange(0, turned, 2) / turned))
    tables = (each.expand(B, -1, -1) for each in (angles.cos(), angles.sin()))
    theirs = onnx_ops.rotary_embedding(
        x,
        *tables,
        interleaved=layout == "interleaved",
        rotary_embedding_dim=turned if fraction < 1 else 0,
    )
    return ours.rotate(x, x)[0], theirs


for _layout in ("interleaved", "halves"):
    for _fraction in (1.0, 0.5):
        oracle("rotary", f"torch.onnx, {_layout}, {_fraction:.0%} turned", 1e-12)(
            partial(_onnx, _layout, _fraction)
        )


@oracle("xpos", "x-transformers", 1e-6, "float32 angles")
def _x_xpos() -> Pair:
    ours = build("xpos")
    theirs = xt.RotaryEmbedding(d, use_xpos=True).double()
    angles, scale = theirs.forward_from_seq_len(T)
    q, k = qk()
    expected = (
        xt.apply_rotary_pos_emb(q, angles, scale),
        xt.apply_rotary_pos_emb(k, angles, scale**-1),
    )
    return torch.cat(ours.rotate(q, k)), torch.cat(expected)


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
    ours = build("cope", positions=5, causal=True)
    theirs = xt.CoPE(d, H, 5).double()
    with torch.no_grad():
        theirs.pos_emb.copy_(ours.vectors[0].T)
    q, k = qk()
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    logits = (q @ k.transpose(-2, -1) * ours.scale).masked_fill(~seen, -1e30)
    return ours.scores(q, k).where(seen, 0), theirs(q, logits).where(seen, torch.zeros(()))


def random_tree(length: int) -> tuple[Tensor, nx.DiGraph]:
    """A tree as `parents`, its words in random order, and as a graph from parent to child."""
    order = torch.randperm(length).tolist()
    parents = torch.full((length,), -1)
    for n in range(1, length):
        parents[order[n]] = order[int(torch.randint(n, ()))]
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(range(length))
    graph.add_edges_from((p, n) for n, p in enumerate(parents.tolist()) if p >= 0)
    return parents, graph


@oracle("tree_depth", "networkx, path lengths", 0.0)
def _depths() -> Pair:
    parents, graph = random_tree(30)
    root = int((parents == -1).nonzero())
    theirs = nx.single_source_shortest_path_length(graph, root)
    return encodings.tree_depths(parents), torch.tensor([theirs[n] for n in range(30)])


@oracle("tree_offsets", "networkx, ancestors and path lengths", 0.0)
def _tree_offsets() -> Pair:
    parents, graph = random_tree(30)
    steps = dict(nx.all_pairs_shortest_path_length(graph.to_undirected()))
    theirs = torch.zeros(30, 30, dtype=torch.int64)
    for i in range(30):
        for j in range(30):
            down = j in nx.descendants(graph, i)
            up = i in nx.descendants(graph, j)
            sign = 1 if down else -1 if up else (j > i) - (j < i)
            theirs[i, j] = sign * steps[i][j]
    return encodings.tree_offsets(parents), theirs


@oracle("window", "local-attention", 1e-6, "its scores are float32")
def _local() -> Pair:
    ours: Any = MultiHeadAttention(encodings.create("window", d_model=D, num_heads=H, k=4))
    theirs = LocalAttention(
        window_size=4,
        causal=False,
        look_backward=1,
        look_forward=1,
        exact_windowsize=True,
        use_rotary_pos_emb=False,
        autopad=True,
    )
    x = torch.randn(B, 12, D)
    q, k, v, _ = ours._prepared(x, None, None)
    context = theirs(*(each.contiguous() for each in (q, k, v)))
    return ours(x), ours.out(context.transpose(1, 2).flatten(2))


def convolved(num_heads: int, columns: int | None, sharpness: float) -> Pair:
    """Attention whose heads are taps, and the convolution with the same weights, inside."""
    encoding = encodings.Convolution(num_heads, num_heads, columns=columns, sharpness=sharpness)
    ours: Any = MultiHeadAttention(encoding)
    with torch.no_grad():
        ours.qkv.bias.zero_()
        ours.out.bias.zero_()
    length = T if columns is None else columns * columns
    x = torch.randn(B, length, num_heads)
    # Head h: out[:, h] takes value column h, which reads x with row 2D + h of the projection.
    taps = torch.einsum("oh,hi->oih", ours.out.weight, ours.qkv.weight[2 * num_heads :])
    image = x.transpose(1, 2)
    if columns is None:
        pad, size = num_heads // 2, length
        inside = slice(pad, size - pad)
        theirs = F.conv1d(image, taps, padding=pad)[..., inside]
        return ours(x).transpose(1, 2)[..., inside], theirs
    side = round(num_heads**0.5)
    inside = slice(side // 2, columns - side // 2)
    kernel = taps.view(num_heads, num_heads, side, side)
    theirs = F.conv2d(image.unflatten(-1, (columns, columns)), kernel, padding=side // 2)
    made = ours(x).transpose(1, 2).unflatten(-1, (columns, columns))
    return made[..., inside, inside], theirs[..., inside, inside]


@oracle("convolution", "torch, conv1d (α = 46, inside)", 1e-10)
def _conv1d() -> Pair:
    return convolved(3, None, 46.0)


@oracle("convolution", "torch, conv2d (α = 46, inside)", 1e-10)
def _conv2d() -> Pair:
    return convolved(9, 7, 46.0)
