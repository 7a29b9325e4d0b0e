"""Unit 08, “Count them”: what it asks, and what people write instead.

People forget something, or count it twice, when they add up BERT's parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
from torch import Tensor

from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.model import bert


def counted(V: int, D: int, L: int, T: int) -> dict[str, int]:
    """Numbers in a BERT of L layers: below the layers, in one of them, in the pooler, in all."""
    norm = 2 * D
    embeddings = (V + 2 + T) * D + norm
    attention = 4 * (D * D + D)
    mlp = D * 4 * D + 4 * D + 4 * D * D + D
    layer = attention + mlp + 2 * norm
    pooler = D * D + D
    every = embeddings + L * layer + pooler
    return {"embeddings": embeddings, "layer": layer, "pooler": pooler, "all": every}


def _small(rng: Random) -> tuple[int, ...]:
    return tuple(rng.randint(*ends) for ends in ((90, 900), (10, 19), (5, 9), (20, 70)))


def _large(rng: Random) -> tuple[int, ...]:
    """Odd numbers of parameters, too many of them for a float32."""
    return tuple(
        2 * rng.randint(*ends) + odd
        for ends, odd in (((15_000, 30_000), 0), ((600, 700), 1), ((5, 15), 0), ((150, 300), 1))
    )


def _sizes(rng: Random) -> Iterator[tuple[int, ...]]:
    """Some that share D, some that share all but D, and so many layers that 32 bits are too few."""
    first, second, large = _small(rng), _small(rng), _large(rng)
    width = first[1] + rng.randint(1, 5)
    yield from (first, (second[0], first[1], *second[2:]), (first[0], width, *first[2:]))
    yield from (large, (*large[:2], rng.randint(260, 300), large[3]))


def _count(rng: Random, key: str) -> Iterator[Case]:
    for sizes in _sizes(rng):

        def ask(answer: Answer, sizes: tuple[int, ...] = sizes) -> Any:
            found = _entries(answer(*sizes))
            return _whole(found.get(key, "no such entry")) if type(found) is dict else found

        yield Case(f"{sizes}[{key!r}]", ask)
    if key == "all":
        yield Case(f"the entries for {sizes}", partial(_keys, sizes=sizes))


def _keys(answer: Answer, sizes: tuple[int, ...]) -> Any:
    found = _entries(answer(*sizes))
    return sorted(map(str, found)) if type(found) is dict else found


def _entries(found: Any) -> Any:
    """A Counter and its like as the plain dictionary that it is."""
    return dict(found) if isinstance(found, dict) else found


def _whole(value: Any) -> Any:
    """A whole number as an int, if it was counted in whole numbers; a float is said to be one."""
    if isinstance(value, Tensor | np.ndarray | np.number) and math.prod(value.shape) == 1:
        value = value.item()
    return f"the float {value!r}" if isinstance(value, float) else value


parameters = Exercise(
    "parameters",
    counted,
    tuple(
        Part(words, 0.5, partial(_count, key=key))
        for words, key in (
            ("below the layers", "embeddings"),
            ("a layer", "layer"),
            ("the pooler", "pooler"),
            ("all of it", "all"),
        )
    ),
    forbidden=(bert.parameter_count, bert.Bert),
)


@parameters.mistake(
    "These are the four numbers without their names. Return a dictionary, with the keys of the "
    "text.",
    breaks="as a dictionary of four numbers",
)
def count_as_a_tuple(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return below, layer, pooler, below + L * layer + pooler


@parameters.mistake(
    "Your pooler has two outputs. That is the pair head; the pooler below it is as wide as the "
    "model, (B, D) in the table above.",
    loses=("the pooler", "all of it"),
    breaks="one map",
)
def count_with_the_pair_head_as_pooler(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, 2 * D + 2
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Your numbers are rounded: a float32 holds whole numbers exactly up to 16,777,216 only. Count "
    "in Python's whole numbers.",
    breaks="exact for any sizes",
)
def count_in_float32(V, D, L, T):
    import torch

    V, D, L, T = torch.tensor([V, D, L, T]).float()
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Your numbers are floats, which hold whole numbers exactly up to 2 to the power of 53 only. "
    "Multiply ints by ints, and divide with //.",
    breaks="each an int",
)
def count_in_floats(V, D, L, T):
    below = (V + 2 + T) * D + 2.0 * D
    layer, pooler = 12.0 * D * D + 13 * D, 1.0 * D * D + D
    return {
        "embeddings": below,
        "layer": layer,
        "pooler": pooler,
        "all": below + L * layer + pooler,
    }


@parameters.mistake(
    "Large models have more parameters than 32 bits can count. Python's own ints have no end, and "
    "those of torch.int64 are long enough.",
    loses="all of it",
    breaks="exact for any sizes",
)
def count_in_32_bits(V, D, L, T):
    import torch

    V, D, L, T = torch.tensor([V, D, L, T]).int()
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "512 is written into your sum. The number of positions is the argument T, so that the "
    "formula serves other models too.",
    loses=("below the layers", "all of it"),
)
def count_with_512_positions(V, D, L, T):
    below = (V + 2 + 512) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Your sum has 1,024 positions in it. One reads that now and then, but BERT has 512; here "
    "it is the argument T.",
    loses=("below the layers", "all of it"),
)
def count_with_1024_positions(V, D, L, T):
    below = (V + 2 + 1024) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Below the layers, 2D numbers are missing. Either you have left out the table that says "
    "which sentence a token belongs to, or the LayerNorm behind the sum.",
    loses=("below the layers", "all of it"),
    breaks="three tables and a LayerNorm",
)
def count_without_segments_or_norm(V, D, L, T):
    below = (V + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
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


@parameters.mistake("You have counted the pooler, but it is not in the sum.", loses="all of it")
def count_all_without_the_pooler(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": below + L * layer}


@parameters.mistake(
    "The sum has a second table of V rows. The decoder of the word head is the token table "
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
    breaks=("without the heads.", "of all without the heads"),
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
