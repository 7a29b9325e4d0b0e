"""Unit 08, “Count them”: what people forget in a layer, and in the sum of all."""

from __future__ import annotations

from helpers.checks.mini_bert.parameters import parameters


@parameters.mistake(
    "`layer` is what one layer has; yours is that of all layers together.",
    loses="a layer",
    breaks=("**one** layer", '`"layer"`'),
)
def count_of_all_layers_at_once(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layers, pooler = L * (12 * D * D + 13 * D), D * D + D
    return {
        "embeddings": below,
        "layer": layers,
        "pooler": pooler,
        "all": below + layers + pooler,
    }


@parameters.mistake(
    "4·D parameters of a layer are missing: those of its two LayerNorms, the biases of the four "
    "maps of attention, or the bias of the MLP's first map, which is 4D long.",
    loses=("a layer", "all of it"),
)
def count_without_norms_in_a_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 9 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "2·D parameters of a layer are missing. There are two LayerNorms in it, with two numbers for "
    "each entry; and each of the six maps has a bias.",
    loses=("a layer", "all of it"),
    breaks="two LayerNorms",
)
def count_with_one_norm_in_a_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 11 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Queries, keys and values are three maps. Attention has a fourth, which mixes what the "
    "heads have found.",
    loses=("a layer", "all of it"),
)
def count_without_the_output_of_attention(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 11 * D * D + 12 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "The hidden layer of your MLP is D wide. In BERT it is four times as wide as the model.",
    loses=("a layer", "all of it"),
)
def count_with_a_narrow_mlp(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 6 * D * D + 10 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "3·D parameters of a layer are missing. Queries, keys and values have biases too, and the bias "
    "of the MLP's first map is as long as its output, 4D.",
    loses=("a layer", "all of it"),
)
def count_with_a_bias_of_d_inside_the_mlp(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 10 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake("You have counted the pooler, but it is not in the sum.", loses="all of it")
def count_all_without_the_pooler(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": below + L * layer}


@parameters.mistake(
    "The sum has a second table of V rows. The decoder of the MLM head is the token table "
    "itself, used once more, and the heads do not belong to this count anyway.",
    loses="all of it",
)
def count_with_the_decoder(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler + V * D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "The sum contains the two heads of pretraining. Count without them, as the published "
    "numbers do: they are thrown away afterwards.",
    loses="all of it",
    breaks=("without the two heads for pretraining.", "of all without the heads"),
)
def count_with_the_heads(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    heads = D * D + D + 2 * D + V + 2 * D + 2
    every = below + L * layer + pooler + heads
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "The sum has one layer in it. Each of the L layers has parameters of its own.",
    loses="all of it",
)
def count_with_one_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": below + layer + pooler}


@parameters.mistake(
    "The sum has a pooler for each layer. There is one, on top of the last.", loses="all of it"
)
def count_with_a_pooler_per_layer(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * (layer + pooler)
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "A LayerNorm has two numbers for each of the D entries: what it multiplies by, and what it "
    "adds.",
    loses=("below the layers", "a layer", "all of it"),
    breaks="A LayerNorm has two numbers",
)
def count_with_norms_of_one_number(V, D, L, T):
    below = (V + 2 + T) * D + D
    layer, pooler = 12 * D * D + 11 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Your linear maps have no biases. In BERT each has one number for each of its outputs.",
    loses=("a layer", "the pooler", "all of it"),
    breaks="Each map has a bias",
)
def count_without_biases(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 4 * D, D * D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "One of the three tables below the layers is missing: the one that this course is about.",
    loses=("below the layers", "all of it"),
)
def count_without_positions(V, D, L, T):
    below = (V + 2) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}
