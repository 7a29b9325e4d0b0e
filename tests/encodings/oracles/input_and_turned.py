"""Vectors at the input, and turned queries and keys."""

from functools import partial

import torch
from learnable_fourier_positional_encoding import LearnableFourierPositionalEncoding
from torch.onnx import ops as onnx_ops
from transformers.models.bert.configuration_bert import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.groupvit.configuration_groupvit import GroupViTVisionConfig
from transformers.models.groupvit.modeling_groupvit import GroupViTMLP
from transformers.models.reformer.configuration_reformer import ReformerConfig
from transformers.models.reformer.modeling_reformer import AxialPositionEmbeddings
from x_transformers import x_transformers as xt

from helpers import encodings
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
)


@oracle("sinusoidal", "transformers, DistilBERT", 3e-8, "it rounds to float32")
def _distilbert() -> Pair:
    theirs = torch.empty(512, 768)
    create_sinusoidal_embeddings(512, 768, theirs)
    ours = encodings.create("sinusoidal", d_model=768)
    return hooks.embed(ours, torch.zeros(1, 512, 768))[0], theirs


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
    embedded = hooks.embed(ours, theirs.word_embeddings(tokens))
    return theirs.LayerNorm(embedded), theirs.eval()(tokens)


@oracle("index_mlp", "transformers, GroupViTMLP", 1e-12, "then both go through torch's LayerNorm")
def _group_vit() -> Pair:
    ours = build("index_mlp", max_len=T)
    width = ours.mlp[0].out_features
    theirs = GroupViTMLP(GroupViTVisionConfig(hidden_act="gelu"), 1, width, D)
    with torch.no_grad():
        for own, layer in zip((ours.mlp[0], ours.mlp[2]), (theirs.fc1, theirs.fc2), strict=True):
            layer.load_state_dict(own.state_dict())
    x = torch.randn(B, T, D)
    return hooks.embed(ours, x), x + ours.norm(theirs(torch.linspace(0, 1, T + 1)[:T, None]))


@oracle("fourier", "learnable-fourier-positional-encoding", 1e-12)
def _fourier() -> Pair:
    ours = build("fourier", features=10, hidden=7, match_norm=False)
    theirs = LearnableFourierPositionalEncoding(1, 1, 10, 7, D, gamma=1.0).double()
    with torch.no_grad():
        theirs.Wr.weight.copy_(ours.frequencies[:, None])
        theirs.mlp.load_state_dict(ours.mlp.state_dict())
    positions = torch.arange(T, dtype=torch.float64)
    return ours.vectors(positions), theirs(positions[:, None, None])


@oracle("fourier_2d", "learnable-fourier-positional-encoding", 1e-12)
def _fourier_2d() -> Pair:
    ours = build("fourier_2d", features=10, hidden=7, match_norm=False)
    theirs = LearnableFourierPositionalEncoding(1, 2, 10, 7, D, gamma=1.0).double()
    with torch.no_grad():
        theirs.Wr.weight.copy_(ours.frequencies.T)
        theirs.mlp.load_state_dict(ours.mlp.state_dict())
    patches = torch.cartesian_prod(torch.arange(3.0), torch.arange(4.0)).double()
    x = torch.randn(B, len(patches), D)
    return hooks.embed(ours, x, patches[None]), x + theirs(patches[:, None])


@oracle("learned_2d", "transformers, Reformer's axial positions", 1e-12)
def _reformer() -> Pair:
    rows, columns = 3, 4
    ours = build("learned_2d", max_len=columns)
    half = ours.rows.shape[1]
    theirs = (
        AxialPositionEmbeddings(
            ReformerConfig(
                axial_pos_shape=(rows, columns), axial_pos_embds_dim=(half, D - half), hidden_size=D
            )
        )
        .double()
        .eval()
    )
    with torch.no_grad():
        theirs.weights[0].copy_(ours.rows[:rows, None])
        theirs.weights[1].copy_(ours.columns[None])
    patches = torch.cartesian_prod(torch.arange(rows), torch.arange(columns))[None]
    x = torch.randn(B, rows * columns, D)
    return hooks.embed(ours, x, patches), x + theirs(torch.arange(rows * columns).expand(B, -1))


def _onnx(layout: str, partial_rotary_factor: float) -> Pair:
    ours = build("rotary", layout=layout, partial_rotary_factor=partial_rotary_factor)
    turned = int(d * partial_rotary_factor)
    x = torch.randn(B, H, T, d)
    angles = torch.outer(torch.arange(T), 10_000.0 ** (-torch.arange(0, turned, 2) / turned))
    tables = (each.expand(B, -1, -1) for each in (angles.cos(), angles.sin()))
    theirs = onnx_ops.rotary_embedding(
        x,
        *tables,
        interleaved=layout == "interleaved",
        rotary_embedding_dim=turned if partial_rotary_factor < 1 else 0,
    )
    return hooks.rotate(ours, x, x)[0], theirs


for _layout in ("interleaved", "halves"):
    for _partial_rotary_factor in (1.0, 0.5):
        oracle("rotary", f"torch.onnx, {_layout}, {_partial_rotary_factor:.0%} turned", 1e-12)(
            partial(_onnx, _layout, _partial_rotary_factor)
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
    return torch.cat(hooks.rotate(ours, q, k)), torch.cat(expected)
