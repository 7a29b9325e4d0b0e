"""The mini BERT against the published one."""

import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining, BertModel

from helpers.encodings import create
from helpers.model import bert
from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert, Pretraining, Size, parameter_count, preset
from helpers.model.encoder import Encoder
from tests.model.hf_weights import to_transformers

SMALL = Size(50, 24, 3, 4, 12, norm="post", dropout=0.0, std=0.2)
close = torch.testing.assert_close


def _theirs(size: Size) -> BertConfig:
    return BertConfig(
        vocab_size=size.vocab_size,
        hidden_size=size.d_model,
        num_hidden_layers=size.num_layers,
        num_attention_heads=size.num_heads,
        intermediate_size=4 * size.d_model,
        max_position_embeddings=size.max_len,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )


def _batch() -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    tokens, segments = torch.randint(50, (3, 10)), torch.randint(2, (3, 10))
    real = torch.arange(10) < torch.tensor([10, 7, 4])[:, None]
    return tokens, segments, real


@pytest.mark.parametrize(("name", "count"), [("base", 109_482_240), ("large", 335_141_888)])
def test_the_formula_counts_the_papers_models(name: str, count: int) -> None:
    with torch.device("meta"):
        ours, theirs = Bert(preset(name)), BertModel(_theirs(preset(name)))
    sizes = [sum(p.numel() for p in model.parameters()) for model in (ours, theirs)]
    assert sizes == [count, count] == [parameter_count(preset(name))] * 2


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_formula_counts_ours(norm: str) -> None:
    size = preset(norm=norm)
    assert parameter_count(size) == sum(p.numel() for p in Bert(size).parameters())


def test_with_the_same_weights_it_says_what_the_published_model_says() -> None:
    torch.manual_seed(0)
    ours = Pretraining(Bert(SMALL)).double().eval()
    theirs = BertForPreTraining(_theirs(SMALL)).double().eval()
    theirs.load_state_dict(to_transformers(ours), strict=True)
    tokens, segments, real = _batch()
    expected = theirs(tokens, attention_mask=real.long(), token_type_ids=segments)
    hidden = ours.bert(tokens, segments, real)
    close(ours.mlm_logits(hidden)[real], expected.prediction_logits[real], rtol=0, atol=1e-10)
    close(ours.nsp_logits(hidden), expected.seq_relationship_logits, rtol=0, atol=1e-10)


def test_logits_at_some_places_are_those_of_all() -> None:
    model = Pretraining(Bert(SMALL))
    tokens = _batch()[0]
    places = torch.tensor([[1, 4], [0, 9], [3, 3]])
    every = model(tokens)
    close(model(tokens, places), every[torch.arange(3)[:, None], places])


def test_a_shared_encoding_is_saved_once() -> None:
    for name, shared in (("learned", False), ("t5_bias", True)):
        model = Bert(SMALL, name, shared)
        assert [key for key in model.state_dict() if key.endswith(".table")] == ["position.table"]
    assert len([key for key in Bert(SMALL, "t5_bias").state_dict() if "table" in key]) == 3


def test_wrong_sizes_are_named() -> None:
    with pytest.raises(ValueError, match="'tiny' is no preset"):
        preset("tiny")
    with pytest.raises(ValueError, match="num_heads=1; it must have 24 and 4"):
        Bert(SMALL, create("rotary", d_model=24))
    with pytest.raises(ValueError, match="norm='middle'"):
        Bert(preset(norm="middle"))


def test_the_pooler_reads_the_first_token_and_segments_count() -> None:
    model = Pretraining(Bert(SMALL)).eval()
    tokens, segments, _ = _batch()
    hidden = model.bert(tokens, segments)
    assert model.nsp_logits(hidden).shape == (3, 2)
    assert (model.bert(tokens) - hidden).abs().max() > 1e-3
    close(model.bert(tokens, torch.zeros_like(segments)), model.bert(tokens))
    assert bert.PRESETS["mini"] == Size()


@pytest.mark.parametrize("name", ["t5_bias", "rotary"])
@pytest.mark.parametrize("kind", [Bert, Encoder])
def test_scores_begin_alike_with_and_without_a_division(kind: type, name: str) -> None:
    """With weights of standard deviation σ both √d·q and k have the variance σ²·D."""
    torch.manual_seed(0)
    encoding = create(name, d_model=128, num_heads=2, max_len=64)
    model = Bert(preset("mini"), encoding) if kind is Bert else Encoder(encoding, 50)
    variance = 0.05**2 * 128 if kind is Bert else 1 / 3  # nn.Linear begins with σ² = 1/(3·D)
    (*_, attention) = (each for each in model.modules() if isinstance(each, MultiHeadAttention))
    q, k, _ = attention.qkv(torch.randn(8, 64, 128)).unflatten(-1, (3, 2, 64)).unbind(2)
    scores = torch.einsum("bihd,bjhd->bhij", q, k) * attention.encoding.softmax_scale
    assert 0.9 < scores.std() / variance < 1.1


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_dropout_acts_at_the_input_and_twice_in_each_layer(norm: str) -> None:
    model = Bert(preset(vocab_size=50, norm=norm, dropout=0.5))
    zeros: list[Tensor] = []
    for each in model.modules():
        if isinstance(each, nn.Dropout):
            each.register_forward_hook(lambda *io: zeros.append(io[2].eq(0).double().mean()))
    model(torch.randint(50, (2, 9)))
    assert [each.item() for each in zeros] == pytest.approx([0.5] * 5, abs=0.06)
