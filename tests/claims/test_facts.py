"""Numbers that are often told wrong, computed: from our code, and from somebody else's."""

from typing import Any

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertForPreTraining, BertModel

from helpers.claims import order, sizes, stacks, timing
from helpers.claims.small import QUICK, TASKS, fresh, trained
from helpers.claims.trained import (
    between_positions,
    longest_answered,
    steps_to,
    steps_to_learn,
)
from helpers.encodings import Encoding, create, sinusoidal_table
from helpers.model.bert import parameter_count, preset

LARGE: dict[str, Any] = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
LARGE["intermediate_size"] = 4096


def _theirs(kind: type[nn.Module], **options: Any) -> nn.Module:
    with torch.device("meta"):
        return kind(BertConfig(**options))


def test_bert_has_512_positions_not_1024() -> None:
    assert preset("base").max_len == preset("large").max_len == 512
    assert BertConfig().max_position_embeddings == 512
    assert sizes.longest_bert() == {"rows": 512}
    assert sizes.count_parameters(_theirs(BertModel, **LARGE)) == 335_141_888
    assert parameter_count(preset("large")) == 335_141_888
    assert parameter_count(preset("large", max_len=1024)) == 335_141_888 + 512 * 1024


def test_the_table_is_a_third_of_a_percent_of_bert_base() -> None:
    size = preset("base")
    assert size.max_len * size.d_model == 393_216
    assert parameter_count(size) == sizes.count_parameters(_theirs(BertModel)) == 109_482_240
    assert round(sizes.table_share(), 2) == 0.36


def test_340_million_is_336_with_both_heads() -> None:
    assert sizes.count_parameters(_theirs(BertForPreTraining, **LARGE)) == 336_226_108
    assert sizes.parameters_of_large() == {"parameters": 336.226108}


def test_the_word_head_is_dense_gelu_norm_and_a_tied_decoder() -> None:
    ours = sizes.word_head()
    assert (ours["ReLUs"], ours["dense layers"], ours["tied"]) == (0, 1, 1)
    assert (ours["width of the head"], ours["width of an MLP"]) == (1024, 4096)
    theirs = BertForPreTraining(BertConfig(hidden_size=8, num_attention_heads=2, vocab_size=11))
    head = theirs.cls.predictions
    assert head.decoder.weight is theirs.bert.embeddings.word_embeddings.weight
    assert tuple(head.transform.dense.weight.shape) == (8, 8)
    assert not any(isinstance(each, nn.ReLU) for each in theirs.modules())


@pytest.mark.parametrize("length", [2, 5, 32, 100])
def test_there_are_t_squared_pairs_and_2t_minus_1_offsets(length: int) -> None:
    found = sizes.pairs_and_offsets(length)
    assert found == {"pairs": length**2, "offsets": 2 * length - 1}
    assert found["pairs"] - length == length * (length - 1) != (length - 1) ** 2


def test_parameters_of_attention_do_not_know_the_length() -> None:
    assert sizes.parameters_of_attention()["512 over 32"] == 1
    width = 768  # 4D² + 4D of 12D² + 13D
    share = (4 * width**2 + 4 * width) / (12 * width**2 + 13 * width)
    assert sizes.parameters_of_attention()["share of a layer"] == pytest.approx(100 * share)


def test_the_spread_along_diagonals_is_0_for_toeplitz_and_1_for_constant_diagonal_means() -> None:
    places = torch.arange(6.0, dtype=torch.float64)
    toeplitz = (places[None, :] - places[:, None]) ** 3
    assert order.along_and_overall(toeplitz) == pytest.approx(0, abs=1e-12)
    hankel = torch.tensor([[1.0, 0.0], [0.0, -1.0]]).double()
    assert order.along_and_overall(hankel) == pytest.approx(1)
    sinusoids = sinusoidal_table(40, 16)
    assert order.along_and_overall(sinusoids @ sinusoids.T) < 1e-12


def test_a_shuffle_is_noticed_where_there_are_positions() -> None:
    """The measurement of claim 6 can come out otherwise."""
    assert order.last_output_moves(2, causal=False, seed=0, encoding="sinusoidal") > 1e-3
    assert order.last_output_moves(1, causal=True, seed=0) < 1e-12
    assert order.last_output_moves(2, causal=True, seed=0) > 0.05


def test_the_longest_text_is_that_of_the_table() -> None:
    assert order.longest_text(create("learned", d_model=8, max_len=5), 9) == 5
    assert order.longest_text(create("huang", d_model=8, max_len=5), 9) == 5
    assert order.longest_text(create("shaw_keys", d_model=8, max_len=5), 9) == 9


def test_a_window_would_be_noticed_as_a_fixed_span() -> None:
    """The measurement of claim 2 can come out otherwise."""
    torch.manual_seed(0)
    x = torch.randn(1, 12, 8, dtype=torch.float64)
    window = order._attention(0, create("window", d_model=8, num_heads=2, k=3))
    assert order.felt(window, x).tolist() == [True] * 4 + [False] * 8
    assert order.felt(order._attention(0, Encoding(8, 2)), x).all()


def test_memory_is_counted_once_and_without_parameters() -> None:
    x = torch.randn(3, 5, requires_grad=True)
    assert timing.bytes_kept(nn.Linear(5, 4), x) == 3 * 5 * 4  # x, for the gradient of the weights
    twice = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2))
    assert timing.bytes_kept(twice, x) == 3 * (5 + 4) * 4  # tanh's output serves both


def test_the_first_step_below_a_level_is_found() -> None:
    assert steps_to([1.0] * 20 + [0.0] * 20) == 26  # the mean of 4 ones and 6 zeros is below 0.5
    assert steps_to([1.0] * 15) == 15


@pytest.mark.rotating
def test_a_run_that_ends_when_it_has_learned_counts_the_same_steps() -> None:
    for kind, norm in (("shaw_keys", None), ("learned", 1.0)):
        whole = steps_to(trained("shift", kind, 0, norm=norm)[1])
        assert steps_to_learn(kind, 0, norm=norm) == whole < QUICK.steps


@pytest.mark.parametrize("kind", ["learned", "sinusoidal"])
def test_rows_begin_as_long_as_asked_and_else_as_drawn(kind: str) -> None:
    def length(norm: float | None) -> float:
        model = fresh(kind, TASKS["shift"], 0, QUICK, 64, norm)
        table = model.position.table
        assert isinstance(table, torch.Tensor)
        assert model.tokens.weight.norm(dim=1).mean().item() == pytest.approx(1, abs=0.1)
        return table.norm(dim=1).mean().item()

    drawn = 0.02 * QUICK.width**0.5 if kind == "learned" else (QUICK.width / 2) ** 0.5
    assert length(None) == pytest.approx(drawn, rel=0.05)
    assert length(1.0) == pytest.approx(1)
    with pytest.raises(TypeError, match="has no table"):
        fresh("shaw_keys", TASKS["shift"], 0, QUICK, 64, 1.0)


def test_the_products_of_positions_are_what_attention_adds_up() -> None:
    """Without words, and with rows of equal size, P·W·Pᵀ is the score up to that size."""
    model = fresh("learned", TASKS["shift"], 0, QUICK, 16, 1.0)
    layer: Any = model.layers[0]
    width = QUICK.width
    with torch.no_grad():
        layer.norms[0].weight.uniform_(0.5, 1.5)
        layer.attention.qkv.bias.zero_()
        table = model.position.get_parameter("table").clone()
        x = layer.norms[0](table)
        q, k, _ = layer.attention.qkv(x).unflatten(-1, (3, QUICK.heads, -1)).unbind(1)
        size = table.var(1, correction=0).add(layer.norms[0].eps).sqrt()
        theirs = torch.einsum("ihd,jhd->hij", q, k) * size[:, None] * size
    between, rows = between_positions(model), table.double()
    assert between.shape == (QUICK.heads, width, width)
    assert torch.allclose(rows @ between @ rows.T, theirs.double(), atol=1e-5)


@pytest.mark.rotating
def test_a_longer_text_may_be_answered_to_its_end() -> None:
    """The measurement of claim 7 can come out otherwise: with vectors by offset it does."""
    table, shaw = (
        longest_answered(trained("shift", kind, 0)[0], 16) for kind in ("learned", "shaw_keys")
    )
    assert (table, shaw) == (16, 32)


def test_sines_and_cosines_would_be_recognised() -> None:
    """The measurement of claim 24 can come out otherwise: whatever the frequencies and sizes."""
    angles = torch.arange(16.0).double()[:, None] * torch.tensor([0.3, 1.1, 2.5]).double()
    waves = torch.cat([angles.sin(), angles.cos()], 1) * torch.tensor([1.0, 3, 0.5] * 2).double()
    turned = waves @ torch.linalg.qr(torch.randn(6, 6).double()).Q
    assert order.along_and_overall(turned @ turned.T) < 1e-12
    noise = torch.randn(16, 32).double()
    assert order.along_and_overall(noise @ noise.T) > 0.4


@pytest.mark.rotating
def test_many_texts_are_not_overfitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measurement of claim 17 can come out otherwise: with 400 texts there is no gap."""
    bias = {"d_model": QUICK.width, "num_heads": QUICK.heads, "k": 3}
    few = stacks.overfitting(create("clipped_bias", **bias), 0, False)
    monkeypatch.setattr(stacks, "FEW", 400)
    many = stacks.overfitting(create("clipped_bias", **bias), 0, False)
    assert many < 0.1 < few
