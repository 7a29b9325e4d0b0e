"""Numbers that are often told wrong, computed: from our code, and from somebody else's."""

from typing import Any

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertForPreTraining

from helpers.claims import order, sizes, stacks, timing
from helpers.claims.small import QUICK, TASKS, fresh, trained
from helpers.claims.trained import (
    between_positions,
    longest_answered,
    steps_to,
    steps_to_learn,
)
from helpers.encodings import create, sinusoidal_table

LARGE: dict[str, Any] = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
LARGE["intermediate_size"] = 4096


def _theirs(kind: type[nn.Module], **options: Any) -> nn.Module:
    with torch.device("meta"):
        return kind(BertConfig(**options))


def test_what_bert_counts_is_what_transformers_counts() -> None:
    assert sizes.longest_bert() == {"rows": BertConfig().max_position_embeddings}
    assert sizes.table_share() == pytest.approx(100 * 512 * 768 / 109_482_240)
    assert sizes.count_parameters(_theirs(BertForPreTraining, **LARGE)) == 336_226_108
    assert sizes.parameters_of_large() == {"parameters": 336.226108}


def test_a_shuffle_is_noticed_where_there_are_positions() -> None:
    """The measurement of claim 6 can come out otherwise."""
    assert order.last_output_moves(2, causal=False, seed=0, encoding="sinusoidal") > 1e-3
    assert order.last_output_moves(1, causal=True, seed=0) < 1e-12
    assert order.last_output_moves(2, causal=True, seed=0) > 0.05


def test_memory_is_counted_once_and_without_parameters() -> None:
    x = torch.randn(3, 5, requires_grad=True)
    assert timing.bytes_kept(nn.Linear(5, 4), x) == 3 * 5 * 4  # x, for the gradient of the weights
    twice = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2))
    assert timing.bytes_kept(twice, x) == 3 * (5 + 4) * 4  # tanh's output serves both


@pytest.mark.rotating
def test_a_run_that_ends_when_it_has_learned_counts_the_same_steps() -> None:
    for kind, norm in (("shaw_keys", None), ("learned", 1.0)):
        whole = steps_to(trained("shift", kind, 0, norm=norm)[1])
        assert steps_to_learn(kind, 0, norm=norm) == whole < QUICK.steps


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


@pytest.mark.rotating
def test_many_texts_are_not_overfitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measurement of claim 17 can come out otherwise: with 400 texts there is no gap."""
    bias = {"d_model": QUICK.width, "num_heads": QUICK.heads, "k": 3}
    few = stacks.overfitting(create("clipped_bias", **bias), 0, False)
    monkeypatch.setattr(stacks, "FEW", 400)
    many = stacks.overfitting(create("clipped_bias", **bias), 0, False)
    assert many < 0.1 < few


def test_waves_are_told_from_noise_also_where_a_matrix_has_mixed_them() -> None:
    """The measurement of claim 24 can come out otherwise."""
    draw = torch.Generator().manual_seed(0)
    table, noise = sinusoidal_table(16, 32), torch.randn(16, 32, generator=draw).double()
    mixed = table @ torch.randn(32, 32, generator=draw).double()
    assert order.best_wave(table) > 0.99
    assert 0.65 < order.best_wave(mixed) < 0.85
    assert order.best_wave(noise) < 0.55
