"""Relative encodings against code that others wrote and against slow pair-by-pair forms."""

import copy
import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Generator, Tensor
from torch.onnx import ops as onnx_ops
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.vits.configuration_vits import VitsConfig
from transformers.models.vits.modeling_vits import VitsAttention
from transformers.models.wav2vec2_bert.configuration_wav2vec2_bert import Wav2Vec2BertConfig
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention

from helpers import encodings
from helpers.attention import MultiHeadAttention
from helpers.encodings import Encoding, available
from helpers.encodings.bias import T5Bias, alibi_slopes
from helpers.encodings.offsets import offset_matrix, skew

D, H, T = 12, 3, 9
RELATIVE = ("shaw", "clipped_bias", "t5_bias", "alibi", "rotary")
close = torch.testing.assert_close


def create(name: str, **options: Any) -> Any:
    """`encodings.create`, whose result is an Encoding; each test knows which."""
    return encodings.create(name, **options)


@pytest.fixture(autouse=True)
def in_double_precision() -> Any:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)


def _attention(name: str, **options: Any) -> Any:
    encoding = create(name, d_model=D, num_heads=H, **options)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.normal_()
    return MultiHeadAttention(encoding)


def _share_projections(theirs: dict[str, torch.nn.Linear], ours: MultiHeadAttention) -> None:
    with torch.no_grad():
        pairs = zip("qkv", ours.qkv.weight.chunk(3), ours.qkv.bias.chunk(3), strict=True)
        for name, weight, bias in pairs:
            theirs[name].weight.copy_(weight)
            theirs[name].bias.copy_(bias)
        theirs["out"].load_state_dict(ours.out.state_dict())


def test_shaw_keys_are_those_of_wav2vec2_bert() -> None:
    ours = _attention("shaw", k=4)
    theirs = Wav2Vec2BertSelfAttention(
        Wav2Vec2BertConfig(
            hidden_size=D,
            num_attention_heads=H,
            position_embeddings_type="relative_key",
            left_max_position_embeddings=4,
            right_max_position_embeddings=4,
            attention_dropout=0.0,
        )
    ).double()
    linear = {"q": theirs.linear_q, "k": theirs.linear_k, "v": theirs.linear_v}
    _share_projections({**linear, "out": theirs.linear_out}, ours)
    with torch.no_grad():
        theirs.distance_embedding.weight.copy_(ours.encoding.keys)
    x = torch.randn(2, T, D)
    close(ours(x), theirs(x)[0], rtol=0, atol=1e-12)


def test_shaw_keys_and_values_are_those_of_vits_inside_its_window() -> None:
    ours = _attention("shaw", k=T, values=True)  # VITS has zero beyond the window, Shaw clips
    theirs = VitsAttention(
        VitsConfig(hidden_size=D, num_attention_heads=H, window_size=T, attention_dropout=0.0)
    ).double()
    linear = {"q": theirs.q_proj, "k": theirs.k_proj, "v": theirs.v_proj}
    _share_projections({**linear, "out": theirs.out_proj}, ours)
    with torch.no_grad():
        theirs.emb_rel_k.copy_(ours.encoding.keys[None])
        theirs.emb_rel_v.copy_(ours.encoding.values[None])
    x = torch.randn(2, T, D)
    close(ours(x), theirs(x)[0], rtol=0, atol=1e-12)


@given(st.integers(1, 7), st.integers(0, 5), st.integers(1, 3), st.integers(1, 4))
@settings(deadline=None, max_examples=40)
def test_shaw_is_the_formula_one_pair_at_a_time(
    length: int, k: int, heads: int, width: int
) -> None:
    shaw = create("shaw", d_model=heads * width, num_heads=heads, k=k, values=True)
    q, keys = torch.randn(2, 2, heads, length, width).unbind(0)
    weights = torch.rand(2, heads, length, length)
    key_term = torch.zeros(2, heads, length, length)
    value_term = torch.zeros(2, heads, length, width)
    for i in range(length):
        for j in range(length):
            row = max(-k, min(k, j - i)) + k
            key_term[:, :, i, j] = q[:, :, i] @ shaw.keys[row]
            value_term[:, :, i] += weights[:, :, i, j, None] * shaw.values[row]
    close(shaw.scores(q, keys), key_term, rtol=0, atol=1e-10)
    close(shaw.context(weights), value_term, rtol=0, atol=1e-10)


@given(st.integers(1, 9))
def test_skew_is_the_gather(length: int) -> None:
    products = torch.randn(2, 3, length, 2 * length - 1)
    index = (offset_matrix(length) + length - 1).expand(2, 3, -1, -1)
    close(skew(products), products.gather(-1, index), rtol=0, atol=0)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("buckets", "distance"), [(32, 128), (8, 20), (64, 1000)])
def test_buckets_are_those_of_t5(causal: bool, buckets: int, distance: int) -> None:
    offsets = torch.arange(-1500, 1501)
    theirs = T5Attention._relative_position_bucket(offsets, not causal, buckets, distance)
    ours = T5Bias(D, H, buckets=buckets, max_distance=distance, causal=causal).bucket(offsets)
    assert torch.equal(ours, theirs)


def test_what_t5s_buckets_leave_out() -> None:
    """With 32 buckets both ways, bucket 16 is never used and the last begins at offset 91."""
    buckets = T5Bias(D, H).bucket(torch.arange(-200, 201))
    assert sorted(set(range(32)) - set(buckets.tolist())) == [16]
    assert (torch.arange(-200, 201)[buckets == 31]).min() == 91


def test_t5_does_not_scale() -> None:
    attention = _attention("t5_bias")
    x = torch.randn(2, T, D)
    q, k, v = attention.qkv(x).view(2, T, 3, H, -1).permute(2, 0, 3, 1, 4)
    bias = attention.encoding.table[:, attention.encoding.bucket(offset_matrix(T))]
    expected = (q @ k.transpose(-2, -1) + bias).softmax(-1) @ v
    close(attention(x), attention.out(expected.transpose(1, 2).flatten(2)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("heads", [1, 2, 4, 6, 8, 12])
def test_causal_alibi_is_that_of_bloom(heads: int) -> None:
    theirs = build_alibi_tensor(torch.ones(1, T), heads, torch.float64)  # (H, 1, T), keys only
    encoding = create("alibi", d_model=heads, num_heads=heads, form="causal")
    q = torch.randn(1, heads, T, 1)
    causal = torch.ones(T, T).tril() == 0
    with_ours = encoding.scores(q, q).masked_fill(causal, -math.inf).softmax(-1)
    with_theirs = theirs.expand(-1, T, -1).masked_fill(causal, -math.inf).softmax(-1)
    close(with_ours, with_theirs, rtol=0, atol=1e-6)  # Bloom computes its slopes in float32


def test_alibi_forms_differ_in_direction_only() -> None:
    q = torch.randn(1, H, T, 1)
    made = {
        form: create("alibi", d_model=H, num_heads=H, form=form).scores(q, q)
        for form in ("symmetric", "directional", "causal")
    }
    offsets = offset_matrix(T)
    expected = -alibi_slopes(H)[:, None, None] * offsets.abs()
    close(made["symmetric"], expected, rtol=0, atol=1e-12)
    close(made["symmetric"], made["symmetric"].transpose(-2, -1), rtol=0, atol=0)
    left, right = offsets <= 0, offsets > 0
    for form in ("directional", "causal"):
        close(made[form][:, left], expected[:, left], rtol=0, atol=1e-12)
    close(made["directional"][:, right], 2 * expected[:, right], rtol=0, atol=1e-12)
    assert (made["causal"][:, right] == -math.inf).all()


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("fraction", [1.0, 0.5])
def test_rotary_is_that_of_onnx(layout: str, fraction: float) -> None:
    rotary = create("rotary", d_model=24, num_heads=3, layout=layout, fraction=fraction)
    x = torch.randn(2, 3, T, 8)
    angles = torch.outer(torch.arange(T, dtype=torch.float64), rotary.frequencies)
    theirs = onnx_ops.rotary_embedding(
        x,
        angles.cos().expand(2, -1, -1),
        angles.sin().expand(2, -1, -1),
        interleaved=layout == "interleaved",
        rotary_embedding_dim=0 if fraction == 1 else int(8 * fraction),
    )
    close(rotary.rotate(x, x)[0], theirs, rtol=0, atol=1e-12)


def test_rotary_scores_depend_on_the_offset_only() -> None:
    rotary = create("rotary", d_model=8)
    q, k = (torch.randn(8).expand(1, 1, T, 8) for _ in range(2))
    turned, keys = rotary.rotate(q, k)
    scores = (turned @ keys.transpose(-2, -1))[0, 0]
    for offset in range(-T + 1, T):
        close(scores.diagonal(offset), scores.diagonal(offset)[:1].expand(T - abs(offset)))


@pytest.mark.parametrize("name", RELATIVE)
def test_relative_encodings_do_not_see_where_a_text_begins(name: str) -> None:
    """The last tokens' outputs are the same when what may be looked at is moved along."""
    attention = _attention(name)
    x, before = torch.randn(1, T, D), torch.randn(1, 4, D)
    seen = torch.zeros(T + 4, T + 4, dtype=torch.bool)
    seen[:4, :4], seen[4:, 4:] = True, True
    close(attention(torch.cat([before, x], 1), seen)[:, 4:], attention(x), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", available())
def test_every_encoding_trains_copies_and_takes_a_single_token(name: str) -> None:
    attention = _attention(name, max_len=16)
    x = torch.randn(1, T, D)
    attention(attention.encoding.embed(x)).sum().backward()
    for parameter in attention.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().sum() > 0
    twin = copy.deepcopy(attention)
    twin.load_state_dict(attention.state_dict())
    close(twin(x), attention(x), rtol=0, atol=0)
    single = attention.float()
    assert single(x[:, :1].float()).shape == (1, 1, D)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("shaw", {"k": -1}, ["k=-1"]),
        ("clipped_bias", {"k": -2}, ["k=-2"]),
        ("t5_bias", {"buckets": 2}, ["buckets=2"]),
        ("t5_bias", {"max_distance": 8}, ["max_distance=8", "8"]),
        ("alibi", {"form": "sideways"}, ["'sideways'", "causal"]),
        ("rotary", {"layout": "thirds"}, ["'thirds'", "halves"]),
        ("rotary", {"fraction": 0.3}, ["fraction=0.3", "even"]),
        ("rotary", {"num_heads": 4}, ["width 3", "even"]),
        ("learned", {"beyond": "guess"}, ["'guess'", "interpolate"]),
        ("shaw", {"num_heads": 5}, ["num_heads=5", "d_model=12"]),
    ],
)
def test_wrong_options_are_named(name: str, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        create(name, **{"d_model": D, "num_heads": H, **options})
    assert all(word in str(error.value) for word in words)


def test_a_learned_table_ends_where_it_ends() -> None:
    table = create("learned", d_model=D, max_len=4)
    x = torch.zeros(1, 5, D)
    close(table.embed(x[:, :4])[0], table.table, rtol=0, atol=0)
    close(table.embed(x, torch.tensor([3, 0, 1, 1, 2]))[0], table.table[[3, 0, 1, 1, 2]])
    with pytest.raises(ValueError, match=r"T=5 is beyond max_len=4"):
        table.embed(x)
    longer = create("learned", d_model=D, max_len=4, beyond="interpolate")
    rows = longer.embed(torch.zeros(1, 7, D))[0]
    close(rows[0::2], longer.table, rtol=0, atol=1e-12)
    close(rows[1], (longer.table[0] + longer.table[1]) / 2, rtol=0, atol=1e-12)


def test_offsets_of_a_tree_may_replace_those_of_the_text() -> None:
    offsets = torch.randint(-5, 6, (2, T, T), generator=Generator().manual_seed(1))
    for name in ("shaw", "clipped_bias", "t5_bias", "alibi"):
        attention = _attention(name)
        q = torch.randn(2, H, T, D // H)
        both: Tensor = attention.encoding.scores(q, q, offsets)
        for b in range(2):
            alone = attention.encoding.scores(q[b : b + 1], q[b : b + 1], offsets[b])
            close(both[b], alone[0] if alone.dim() == 4 else alone, rtol=0, atol=1e-12)


def test_no_encoding_is_an_encoding() -> None:
    assert type(create("none", d_model=D)) is Encoding
