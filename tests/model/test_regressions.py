"""Faults that readers of the code have found, each held by the call that showed it."""

import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers.encodings import Encoding, Learned, Positions, Rotary, T5Bias, Yarn, create
from helpers.model.attention import KVCache, MultiHeadAttention
from helpers.model.bert import Bert, preset
from helpers.model.decoder import Decoder, generate
from helpers.model.encoder import Encoder
from helpers.model.probes import attention_weights, layer_states, moved_by_padding
from helpers.model.tensor_counter import largest_tensor
from tests.common import ROOT

D, H, T, V = 16, 4, 7, 30
SIZE = preset("mini", d_model=D, num_heads=H, vocab_size=V, max_len=32)
close = torch.testing.assert_close


def _encoding(name: str) -> Encoding:
    return create(name, d_model=D, num_heads=H, max_len=32)


@pytest.fixture
def tokens() -> Tensor:
    return torch.randint(V, (2, T), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("name", ["rotary", "xpos", "dynamic_ntk", "kerple"])
def test_a_decoder_is_one_graph_for_the_compiler(name: str, tokens: Tensor) -> None:
    torch.compiler.reset()
    model = Decoder(_encoding(name), V, 3)
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    close(compiled(tokens), model(tokens), rtol=0, atol=1e-5)


def test_a_decoder_in_bfloat16_sees_no_token_to_the_right(tokens: Tensor) -> None:
    """On a CPU it has a path of its own, without the fused kernel."""
    model, later = Decoder(_encoding("rotary"), V).bfloat16(), tokens.clone()
    later[:, 4:] = (later[:, 4:] + 1) % V
    assert torch.equal(model(later)[:, :4], model(tokens)[:, :4])


def test_frozen_biases_are_loaded_layer_by_layer() -> None:
    trained = Bert(SIZE, T5Bias(D, H))
    frozen = Bert(SIZE, T5Bias(D, H).requires_grad_(False))
    frozen.load_state_dict(trained.state_dict())


class _Warm(Rotary):
    """A learner's RoPE, whose frequencies are learned."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(d_model, num_heads)
        self.faster = nn.Parameter(torch.ones(()))

    def frequencies(self, pair: Tensor, positions: Positions) -> Tensor:
        return super().frequencies(pair, positions) * self.faster


def test_learned_frequencies_learn_in_each_layer(tokens: Tensor) -> None:
    model = Encoder(_Warm(D, H), V, shared=True)
    for _ in range(2):  # nothing of the first way back is met again
        model(tokens).square().sum().backward()
    learned = dict(model.named_parameters())["position.faster"]
    assert learned.grad is not None and learned.grad.abs() > 0


def test_a_cache_counts_no_padding_that_the_positions_name() -> None:
    encoding = create("dynamic_ntk", d_model=D, num_heads=H, rerotate=False, original_max_len=4)
    attention, x = MultiHeadAttention(encoding), torch.randn(1, 6, D)
    real = torch.arange(6)[None] < 3
    at = Positions(torch.arange(6), torch.arange(6), attention_mask=real)
    close(attention(x, positions=at, cache=KVCache()), attention(x, positions=at))


class _Penalty(Encoding):
    """As one writes it first: whole numbers times a Python float are float32."""

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        return -0.1 * positions.offsets.abs()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_a_bias_may_have_another_dtype_than_the_model(dtype: torch.dtype, tokens: Tensor) -> None:
    assert Encoder(_Penalty(D, H), V).to(dtype)(tokens).dtype == dtype


def test_steps_with_a_cache_have_gradients_where_keys_have_none(tokens: Tensor) -> None:
    model = Decoder(_encoding("convolution"), V)
    cache = model.new_cache()
    torch.cat([model(part, cache=cache) for part in tokens.split(1, 1)]).sum().backward()


def test_depths_are_read_step_by_step_too(tokens: Tensor) -> None:
    model, depths = Decoder(_encoding("tree_depth"), V, 1), torch.randint(5, (T,))
    cache = model.new_cache()
    parts = zip(tokens.split([4, 1, 2], 1), depths.split([4, 1, 2]), strict=True)
    stepped = [model(part, positions=own, cache=cache) for part, own in parts]
    close(torch.cat(stepped, 1), model(tokens, positions=depths))


def test_positions_of_a_decoder_fit_its_tokens(tokens: Tensor) -> None:
    model, places = Decoder(_encoding("rotary"), V), torch.arange(T)
    with pytest.raises(ValueError, match=r"positions has shape \(1,\)"):
        model(tokens, positions=torch.tensor([3]))
    cache = model.new_cache()
    begun = model(tokens[:, :4], positions=places[:4].expand(2, -1), cache=cache)
    rest = model(tokens[:, 4:], positions=places[4:], cache=cache)
    close(torch.cat([begun, rest], 1), model(tokens))


def test_is_causal_beside_cached_keys_is_refused() -> None:
    attention, cache, x = MultiHeadAttention(_encoding("none")), KVCache(), torch.randn(1, T, D)
    attention(x, cache=cache, is_causal=True)
    with pytest.raises(ValueError, match="is_causal needs S = T"):
        attention(x, cache=cache, is_causal=True)


def test_a_model_stays_in_its_mode(tokens: Tensor) -> None:
    decoder = Decoder(create("learned", d_model=D, num_heads=H, max_len=8), V)
    with pytest.raises(ValueError, match="beyond max_len"):
        generate(decoder, tokens, 5)
    bert = Bert(preset("mini", d_model=D, num_heads=H, vocab_size=V, dropout=0.1))
    layer_states(bert, tokens)
    attention_weights(bert, tokens)
    assert moved_by_padding(bert, tokens[:1], 0) == 0
    assert decoder.training and bert.training


def test_encodings_by_turns_may_be_named() -> None:
    model = Bert(SIZE, ["learned", "t5_bias"])
    assert [type(each.attention.encoding) for each in model.layers] == [Learned, T5Bias]  # type: ignore[union-attr]


def test_what_is_given_beside_tokens_is_looked_at(tokens: Tensor) -> None:
    bert = Bert(SIZE, "rotary")
    with pytest.raises(ValueError, match=r"attention_mask is torch.int64 .* mask.bool\(\)"):
        bert(tokens, attention_mask=torch.ones(2, T, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"attention_mask .* \(2, 7\)"):
        bert(tokens, attention_mask=torch.ones(3, 3, dtype=torch.bool))
    for model in (bert, Decoder(_encoding("huang"), V)):
        with pytest.raises(ValueError, match="T must be at least 1"):
            model(tokens[:, :0])
    picture = create("convolution", d_model=4, num_heads=4, columns=3)
    with pytest.raises(ValueError, match="3 axes"):
        places = torch.zeros(1, 4, 3)
        MultiHeadAttention(picture)(torch.randn(1, 4, 4), positions=Positions(places, places))


def test_a_very_short_training_leaves_yarn_a_ramp() -> None:
    yarn = Yarn(D, 1, original_max_len=1)
    assert yarn.ramp(torch.arange(8.0)).tolist() == [1.0, *[0.0] * 7]


def test_a_view_of_what_was_there_is_not_made() -> None:
    x = torch.zeros(1000)
    assert largest_tensor(lambda: x[:3] + 1) == 3
    sparse = torch.eye(90).to_sparse()
    made = largest_tensor(lambda: sparse * 2)  # other memory, though both are sparse
    assert 90 <= made < 90 * 90
    assert largest_tensor(lambda: torch.ones(4, device="meta") * 2) == 4


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32])
@pytest.mark.parametrize("name", ["shaw", "alibi", "xpos", "learned"])
def test_whole_numbers_of_any_type_are_positions(
    name: str, dtype: torch.dtype, tokens: Tensor
) -> None:
    """In uint8, 3 − 5 is 254, and int8 cannot be an index."""
    for kind in (Encoder, Decoder):
        model, places = kind(_encoding(name), V), torch.arange(T).flip(0)
        expected = model(tokens, positions=places)
        assert torch.equal(model(tokens, positions=places.to(dtype)), expected)
    if name in ("shaw", "alibi") and dtype != torch.uint8:
        model, offsets = Encoder(_encoding(name), V), torch.arange(T) - torch.arange(T)[:, None]
        expected = model(tokens, offsets=2 * offsets)
        assert torch.equal(model(tokens, offsets=(2 * offsets).to(dtype)), expected)


@pytest.mark.parametrize("gradients", [True, False])
def test_other_texts_than_those_in_the_cache_are_refused(gradients: bool, tokens: Tensor) -> None:
    """Where keys are written in place, those of one text would be those of all."""
    model = Decoder(_encoding("none"), V)
    cache = model.new_cache()
    with torch.set_grad_enabled(gradients):
        for part in tokens[:, :3].split(1, 1):  # the second one makes room for more
            model(part, cache=cache)
        with pytest.raises(ValueError, match="B=1 texts; the cache has read 2"):
            model(tokens[:1, 3:4], cache=cache)


def test_positions_of_other_tokens_than_there_are_are_refused() -> None:
    """A single one would be taken for that of all keys."""
    attention, cache, x = MultiHeadAttention(_encoding("shaw")), KVCache(), torch.randn(1, T, D)
    attention(x, cache=cache)
    with pytest.raises(ValueError, match=r"of 1 queries and 1 keys; there are T=1 and S=8"):
        attention(x[:, :1], positions=Positions.upto(1), cache=cache)
    with pytest.raises(ValueError, match=r"of 1 queries and 1 keys; there are T=7 and S=7"):
        attention(x, positions=Positions.upto(1))
    last, keys = torch.tensor([T]), torch.arange(T + 1)
    with pytest.raises(ValueError, match=r"S=8, for which Positions.upto\(S, T\)"):
        attention(x[:, :1], positions=Positions(last, keys), cache=cache)
    attention(
        x[:, :1], positions=Positions(last, keys, new_tokens=Positions(last, last)), cache=cache
    )
    assert cache.length == T + 1


def test_a_mask_that_is_refused_leaves_the_cache_as_it_was() -> None:
    attention, cache, x = MultiHeadAttention(_encoding("none")), KVCache(), torch.randn(1, T, D)
    with pytest.raises(ValueError, match=r"mask is torch\.float32"):
        attention(x, torch.ones(T, T), cache=cache)
    assert cache.length == 0


# RoPE calls `frequencies` once, and `apply_rotary` in each layer.
@pytest.mark.parametrize(("name", "most", "files"), [("none", 12, 3), ("rotary", 15, 3)])
def test_a_step_of_a_decoder_is_few_calls_in_few_files(
    name: str, most: int, files: int, tokens: Tensor
) -> None:
    """Of our own functions, with two layers; the first step is prepared."""
    model = Decoder(_encoding(name), V, 2)
    cache, calls = model.new_cache(), []

    def count(frame: Any, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        # What @dataclass writes is in no file.
        if event == "call" and (file == "<string>" or file.startswith(str(ROOT / "helpers"))):
            calls.append(file)

    with torch.no_grad():
        model(tokens, cache=cache)
        sys.setprofile(count)
        try:
            model(tokens[:, :1], cache=cache)
        finally:
            sys.setprofile(None)
    assert len(calls) <= most and len({*calls} - {"<string>"}) <= files, calls


def test_the_only_weights_that_learn_may_be_those_of_a_bias(tokens: Tensor) -> None:
    model = Decoder(_encoding("clipped_bias"), V, 2).requires_grad_(False)
    layers: Any = model.layers
    tables = [each.attention.encoding.requires_grad_(True) for each in layers]
    cache = model.new_cache()
    steps = [model(tokens[:, t : t + 1], cache=cache) for t in range(3)]
    torch.cat(steps, 1).square().sum().backward()
    assert all(each.grad is not None for table in tables for each in table.parameters())


def test_generation_gives_each_module_its_former_mode_back(tokens: Tensor) -> None:
    model = Decoder(_encoding("rotary"), V, 2).train()
    model.layers[0].eval()
    modes: list[bool] = []
    model.register_forward_pre_hook(lambda each, _: modes.append(each.training))
    generate(model, tokens, 1)
    assert modes == [False]  # it writes without dropout
    assert model.training and model.layers[1].training and not model.layers[0].training


def test_given_positions_cost_transformer_xl_no_vector_for_each_pair() -> None:
    places, q = torch.arange(64).expand(2, -1), torch.randn(2, H, 64, D // H)
    made = largest_tensor(lambda: _encoding("transformer_xl").bias(q, q, Positions(places, places)))
    assert made <= 2 * H * 64 * 64  # the scores
