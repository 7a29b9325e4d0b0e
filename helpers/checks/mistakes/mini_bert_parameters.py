# ruff: noqa: N803
"""Unit 08: what people forget, or count twice, when they add up BERT's parameters."""

from __future__ import annotations

from helpers.checks.exercise import Mistake


def count_with_512_positions(V, D, L, T):
    below = (V + 2 + 512) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_1024_positions(V, D, L, T):
    below = (V + 2 + 1024) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_without_segments_or_norm(V, D, L, T):
    below = (V + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_without_positions(V, D, L, T):
    below = (V + 2) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_norms_of_one_number(V, D, L, T):
    below = (V + 2 + T) * D + D
    layer, pooler = 12 * D * D + 11 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_without_biases(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 4 * D, D * D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_without_norms_in_a_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 9 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_one_norm_in_a_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 11 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_without_the_output_of_attention(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 11 * D * D + 12 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_a_narrow_mlp(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 6 * D * D + 10 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_a_bias_of_d_inside_the_mlp(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 10 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_all_without_the_pooler(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": below + L * layer}


def count_with_the_decoder(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler + V * D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_the_heads(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    heads = D * D + D + 2 * D + V + 2 * D + 2
    every = below + L * layer + pooler + heads
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_with_one_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": below + layer + pooler}


def count_with_a_pooler_per_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * (layer + pooler)
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


_BELOW, _LAYER, _POOLER, _SUM = "below the layers", "a layer", "the pooler", "all of it"
PARAMETERS = (
    Mistake(
        count_with_512_positions,
        "512 is written into your sum. The number of positions is the argument T, so that the "
        "formula serves other models too.",
        (_BELOW, _SUM),
    ),
    Mistake(
        count_with_1024_positions,
        "Your sum has 1,024 positions in it. One reads that now and then, but BERT has 512; here "
        "it is the argument T.",
        (_BELOW, _SUM),
    ),
    Mistake(
        count_without_segments_or_norm,
        "Below the layers, 2D numbers are missing. Either you have left out the table that says "
        "which sentence a token belongs to, or the LayerNorm behind the sum.",
        (_BELOW, _SUM),
    ),
    Mistake(
        count_without_positions,
        "One of the three tables below the layers is missing: the one that this course is about.",
        (_BELOW, _SUM),
    ),
    Mistake(
        count_with_norms_of_one_number,
        "A LayerNorm has two numbers for each of the D entries: what it multiplies by, and what it "
        "adds.",
        (_BELOW, _LAYER, _SUM),
    ),
    Mistake(
        count_without_biases,
        "Your linear maps have no biases. In BERT each has one number for each of its outputs.",
        (_LAYER, _POOLER, _SUM),
    ),
    Mistake(
        count_without_norms_in_a_layer,
        "A layer has more than attention and an MLP: each of the two is followed by something that "
        "has parameters as well.",
        (_LAYER, _SUM),
    ),
    Mistake(
        count_with_one_norm_in_a_layer,
        "There are two LayerNorms in a layer, one after attention and one after the MLP; you have "
        "one.",
        (_LAYER, _SUM),
    ),
    Mistake(
        count_without_the_output_of_attention,
        "Queries, keys and values are three maps. Attention has a fourth, which mixes what the "
        "heads have found.",
        (_LAYER, _SUM),
    ),
    Mistake(
        count_with_a_narrow_mlp,
        "Your MLP is D wide inside. In BERT it is four times as wide as the model.",
        (_LAYER, _SUM),
    ),
    Mistake(
        count_with_a_bias_of_d_inside_the_mlp,
        "The first map of the MLP has 4D outputs; its bias is as long as that.",
        (_LAYER, _SUM),
    ),
    Mistake(
        count_all_without_the_pooler,
        "You have counted the pooler, but it is not in the sum.",
        (_SUM,),
    ),
    Mistake(
        count_with_the_decoder,
        "The sum has a second table of V rows. The decoder of the word head is the token table "
        "itself, used once more, and the heads do not belong to this count anyway.",
        (_SUM,),
    ),
    Mistake(
        count_with_the_heads,
        "The sum contains the two heads of pretraining. Count without them, as the published "
        "numbers do: they are thrown away afterwards.",
        (_SUM,),
    ),
    Mistake(
        count_with_one_layer,
        "The sum has one layer in it. Each of the L layers has parameters of its own.",
        (_SUM,),
    ),
    Mistake(
        count_with_a_pooler_per_layer,
        "The sum has a pooler for each layer. There is one, on top of the last.",
        (_SUM,),
    ),
)
