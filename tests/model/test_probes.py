"""Rank residual, position probe, states by layer."""

import pytest
import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.encodings import create, tree_depths, tree_offsets
from helpers.model import probes
from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert, preset
from helpers.model.decoder import Decoder
from helpers.model.encoder import Encoder


def _random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=Generator().manual_seed(seed), dtype=torch.float64)


def test_the_residual_is_that_of_the_best_row() -> None:
    x = _random(3, 7, 5) + 1
    row = torch.linalg.lstsq(torch.ones(3, 7, 1, dtype=torch.float64), x).solution
    best = torch.stack([(x[n] - row[n]).norm() / x[n].norm() for n in range(3)])
    torch.testing.assert_close(probes.rank_residual(x), best, rtol=0, atol=1e-9)


def test_the_residual_is_relative_exact_when_small_and_0_for_equal_rows() -> None:
    x = _random(7, 5)
    torch.testing.assert_close(probes.rank_residual(-1e6 * x), probes.rank_residual(x))
    assert probes.rank_residual(x - x.mean(0)) == pytest.approx(1)
    assert probes.rank_residual(x[:1].expand(7, 5)) == pytest.approx(0, abs=1e-15)
    assert probes.rank_residual(torch.zeros(7, 5)) == 0
    tiny = 1e-9 * (x - x.mean(0))
    expected = tiny.norm() / (7 * 5 * 9.0) ** 0.5
    assert probes.rank_residual(3 + tiny).item() == pytest.approx(expected.item(), rel=1e-5)


def test_the_probe_reads_sinusoids_on_new_sequences_and_nothing_from_noise() -> None:
    rows = encodings.sinusoidal_table(24, 48)
    train, test = _random(100, 24, 48), _random(50, 24, 48, seed=1)
    assert probes.position_probe(rows + 0.01 * train, rows + 0.01 * test) < 0.1
    middle = (torch.arange(24.0) - 11.5).abs().mean().item()
    assert probes.position_probe(train, test) == pytest.approx(middle, rel=0.05)


def test_the_probe_is_ridge_regression() -> None:
    train, test = _random(6, 9, 4), _random(3, 11, 4, seed=1)
    train[..., 0] += torch.arange(9)
    z = torch.cat([train, torch.ones(6, 9, 1)], -1).flatten(0, 1)
    # Least squares with five rows more, whose errors are √2.5 times the weights.
    rows = torch.cat([z, 2.5**0.5 * torch.eye(5)])
    wanted = torch.cat([torch.arange(9.0).repeat(6), torch.zeros(5)]).double()
    w = torch.linalg.lstsq(rows, wanted[:, None]).solution[:, 0]
    found = test @ w[:4] + w[4]
    expected = (found - torch.arange(11.0)).abs().mean().item()
    assert probes.position_probe(train, test, ridge=2.5) == pytest.approx(expected, abs=1e-6)


def test_the_probe_says_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="same D"):
        probes.position_probe(_random(3, 4, 5), _random(3, 4, 6))
    with pytest.raises(ValueError, match="same D"):
        probes.position_probe(_random(4, 5), _random(4, 5))
    with pytest.raises(ValueError, match="ridge"):
        probes.position_probe(_random(3, 4, 5), _random(3, 4, 5), ridge=-1)


def test_states_by_layer_end_where_the_model_ends() -> None:
    parents = torch.tensor([[2, 0, 3, -1, 3, 4, 4]])
    tokens = torch.randint(9, (1, 7), generator=Generator().manual_seed(0))
    given = {"depths": {"positions": tree_depths(parents)}, "offsets": {}}
    given["offsets"] = {"offsets": tree_offsets(parents)}
    for name, told in (("tree_depth", "depths"), ("tree_offsets", "offsets")):
        model = Encoder(create(name, d_model=12, num_heads=3), vocab_size=9, num_layers=3)
        states = probes.layer_states(model, tokens, **given[told])
        assert [tuple(state.shape) for state in states] == [(1, 7, 12)] * 4
        logits = model.norm(states[-1]) @ model.tokens.weight.T
        torch.testing.assert_close(logits, model(tokens, **given[told]))
        assert list(given[told]), "what was given stays as it was"


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_attention_weights_are_those_that_the_model_used(norm: str) -> None:
    torch.manual_seed(0)
    bert = Bert(preset("mini", vocab_size=50, norm=norm), "learned").train()
    with torch.no_grad():
        for each in bert.parameters():  # a LayerNorm that has learned nothing may come twice
            each.add_(0.3 * torch.randn_like(each))
    tokens = torch.randint(50, (3, 12))
    seen: list[Tensor] = []
    for module in bert.modules():
        if isinstance(module, MultiHeadAttention):
            module.register_forward_pre_hook(
                lambda each, given: seen.append(each.weights(given[0]).mean(0))
            )
    with torch.no_grad():
        bert.eval()(tokens)
    used = torch.stack(seen)
    torch.testing.assert_close(probes.attention_weights(bert, tokens), used)


def test_what_is_told_reaches_the_layers_and_nothing_stays_behind() -> None:
    torch.manual_seed(0)
    bert = Bert(preset("mini", vocab_size=50), "rotary")
    tokens = torch.randint(50, (2, 9))
    real = torch.ones(2, 9, dtype=torch.bool)
    real[:, 6:] = False
    weights = probes.attention_weights(bert, tokens, attention_mask=real)
    assert (weights[..., 6:] == 0).all() and (weights[..., :6] > 0).all()
    far = probes.attention_weights(bert, tokens, positions=5 * torch.arange(9))
    assert (far - probes.attention_weights(bert, tokens)).abs().max() > 1e-6
    assert all(not module._forward_pre_hooks for module in bert.modules())


def test_weights_of_a_decoder_are_causal() -> None:
    decoder = Decoder(create("rotary", d_model=12, num_heads=3), vocab_size=9)
    weights = probes.attention_weights(decoder, torch.arange(7)[None])
    assert weights.shape == (2, 3, 7, 7) and not weights.triu(1).any()
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 7))
