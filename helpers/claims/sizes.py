"""Claims that counting settles: parameters, pairs, widths. Chance plays no part."""

from __future__ import annotations

from functools import cache

import torch
from torch import nn

from helpers.encodings import Encoding, create
from helpers.encodings.offsets import offset_matrix
from helpers.model.attention import EncoderLayer, MultiHeadAttention
from helpers.model.bert import Bert, Pretraining, Size, parameter_count, preset


def count_parameters(module: nn.Module) -> int:
    """How many trained numbers a module has."""
    return sum(each.numel() for each in module.parameters())


@cache
def pretraining(name: str) -> Pretraining:
    """BERT of a preset with its two heads; shapes without numbers, so it costs no memory."""
    with torch.device("meta"):
        return Pretraining(Bert(preset(name)))


def table_share(size: Size | None = None) -> float:
    """Share of the position table in the parameters of the encoder (%), of BERT base if not given.

    512 · 768 of 109,482,240: Devlin et al. 2018, section 3.
    """
    size = size or preset("base")
    return 100 * size.max_len * size.d_model / parameter_count(size)


def pairs_and_offsets(length: int) -> dict[str, float]:
    """How many pairs (i, j) a text of `length` tokens has, and how many different j − i."""
    offsets = offset_matrix(length)
    return {"pairs": offsets.numel(), "offsets": offsets.unique().numel()}


def inputs_of_relative(seed: int = 0, full: bool = False) -> dict[str, float]:
    """Pairs over (T − 1)², and different offsets over 2T − 1 (×); T = 32, 512 in the full form.

    Shaw et al. 2018, section 3.2.
    """
    length = 512 if full else 32
    found = pairs_and_offsets(length)
    return {
        "pairs": found["pairs"] / (length - 1) ** 2,
        "offsets": found["offsets"] / (2 * length - 1),
    }


def longest_bert(seed: int = 0, full: bool = False) -> dict[str, float]:
    """Rows of BERT large's table, computed from its number of parameters; the same in both forms.

    335,141,888 without heads is what other libraries count too (see the tests); all but the table
    follows from vocabulary, width and layers. Devlin et al. 2018, section 3 and appendix A.2.
    """
    size = preset("large")
    published = 335_141_888
    without = parameter_count(preset("large", max_len=0))
    return {"rows": (published - without) / size.d_model}


def word_head(seed: int = 0, full: bool = False) -> dict[str, float]:
    """What predicts the hidden word in BERT large, and where the width 4,096 really is.

    How many ReLUs and how many dense layers before the decoder, the width of the widest of those,
    the inner width of a layer's MLP, and 1 if the decoder's weights are the word embedding. The
    same in both forms. Devlin et al. 2018, section 3.1; the published code has dense, GELU,
    LayerNorm, tied decoder.
    """
    model = pretraining("large")
    dense, inner = (
        [each for each in part.modules() if isinstance(each, nn.Linear)]
        for part in (model.transform, model.bert.layers)
    )
    own = {
        name for name, each in model.named_parameters() if model.bert.size.vocab_size in each.shape
    }
    return {
        "ReLUs": sum(isinstance(each, nn.ReLU) for each in model.modules()),
        "dense layers": len(dense),
        "width of the head": max(each.out_features for each in dense),
        "width of an MLP": max(each.out_features for each in inner),
        "tied": float(own == {"bert.words.weight", "bias"}),
    }


def parameters_of_large(seed: int = 0, full: bool = False) -> dict[str, float]:
    """Parameters of BERT large with both heads, in millions; the same in both forms.

    Devlin et al. 2018, section 3.
    """
    return {"parameters": count_parameters(pretraining("large")) / 1e6}


def parameters_of_attention(seed: int = 0, full: bool = False) -> dict[str, float]:
    """Parameters of self-attention for 512 tokens over those for 32, and its share of a layer (%).

    4D² + 4D whatever the length, D = 768; the same in both forms. Vaswani et al. 2017, section
    3.2.2 and table 1.
    """

    def attention(length: int) -> MultiHeadAttention:
        return MultiHeadAttention(Encoding(768, 12, max_len=length))

    with torch.device("meta"):
        layer = EncoderLayer(Encoding(768, 12))
        return {
            "512 over 32": count_parameters(attention(512)) / count_parameters(attention(32)),
            "share of a layer": 100 * count_parameters(layer.attention) / count_parameters(layer),
        }


def index_mlp_over_table(length: int, width: int = 768) -> float:
    """Parameters of an MLP of the index, 4D wide inside, over those of a table of `length` rows."""
    sizes = {"d_model": width, "max_len": length}
    with torch.device("meta"):
        return count_parameters(create("index_mlp", **sizes)) / count_parameters(
            create("learned", **sizes)
        )


def index_mlp(seed: int = 0, full: bool = False) -> dict[str, float]:
    """Parameters of an MLP of the index over those of a table, for texts of 512 and of 8,192 (×).

    D = 768, 4D wide inside; the same in both forms. Li et al. 2021 (2106.02795), section 1, give
    the independence of the length as a reason.
    """
    return {"at 512": index_mlp_over_table(512), "at 8,192": index_mlp_over_table(8192)}
