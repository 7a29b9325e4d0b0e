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
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

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
        for ends, odd in (((15_000, 30_000), 0), ((600, 700), 1), ((5, 8), 0), ((150, 300), 1))
    )


def _known(rng: Random) -> Iterator[tuple[int, ...]]:
    """BERT base, sizes of which a part is that of a published model, and more layers than any."""
    yield 30_522, 768, 12, 512
    yield 30_522, 768, 12, 2 * rng.randint(300, 500)
    yield 2 * rng.randint(15_000, 15_200), 1024, 24, 512
    yield (
        2 * rng.randint(50, 400),
        rng.randint(10, 19),
        rng.randint(100, 150),
        2 * rng.randint(9, 30),
    )


def _huge(rng: Random) -> tuple[int, ...]:
    """Each number is too large for a float64 that is to hold it exactly, and "all" for 64 bits.

    One map of a layer is not, so that PyTorch can be asked about its shape.
    """
    width = 4 * rng.randint(2**27, 2**27 + 999) + 1
    return width + 2 * rng.randint(1, 999), width, 2 * rng.randint(2, 4), 2 * rng.randint(50, 500)


def _sizes(rng: Random) -> Iterator[tuple[int, ...]]:
    """Some that share D, some that share all but D, and ever larger ones."""
    first, second = _small(rng), _small(rng)
    width = first[1] + rng.randint(1, 5)
    yield from (first, (second[0], first[1], *second[2:]), (first[0], width, *first[2:]))
    yield rng.randint(2, 5), rng.randint(2, 5), 1, 1  # one layer, one position
    yield from (_large(rng), *_known(rng), _huge(rng))


class _WithoutNumbers(TorchFunctionMode):
    """Tensors of many entries have shapes and no numbers, so that nothing fills the memory.

    Who adds up the Parameters of layers may do so; a whole Bert is not allowed, but is tried.
    """

    MAKERS = (torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn)
    FILLERS = (Tensor.normal_, Tensor.uniform_, Tensor.zero_, Tensor.fill_)
    MANY = 100_000

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func in self.MAKERS:
            shape = kwargs.get("size", args[0] if args and not isinstance(args[0], int) else args)
            if math.prod(shape) > self.MANY:
                kwargs = {**kwargs, "device": "meta"}
        elif func in self.FILLERS and args[0].is_meta:  # PyTorch takes milliseconds for nothing
            return args[0]
        return func(*args, **kwargs)


def _count(rng: Random, key: str) -> Iterator[Case]:
    for sizes in _sizes(rng):

        def ask(answer: Answer, sizes: tuple[int, ...] = sizes) -> Any:
            found = _entries(answer, sizes)
            return _whole(found.get(key, "no such entry")) if type(found) is dict else found

        yield Case(f"{sizes}[{key!r}]", ask)
    if key == "all":
        yield Case(f"the entries for {sizes}", partial(_keys, sizes=sizes))
        words = f"{sizes}[{key!r}], once it has been asked about other sizes"
        yield Case(words, partial(_kept, sizes=sizes, key=key))


def _keys(answer: Answer, sizes: tuple[int, ...]) -> Any:
    found = _entries(answer, sizes)
    return sorted(map(str, found)) if type(found) is dict else found


def _kept(answer: Answer, sizes: tuple[int, ...], key: str) -> Any:
    """An entry of a dictionary that was returned before another one."""
    with _WithoutNumbers():
        first = answer(*sizes)
        answer(*(each + 1 for each in sizes))
    return _whole(first.get(key, "no such entry")) if isinstance(first, dict) else first


def _entries(answer: Answer, sizes: tuple[int, ...]) -> Any:
    """What is returned; a Counter and its like as the plain dictionary that it is."""
    with _WithoutNumbers():
        found = answer(*sizes)
    return dict(found) if isinstance(found, dict) else found


def _whole(value: Any) -> Any:
    """An int as it is; of another number it is said what it is."""
    held = isinstance(value, Tensor | np.ndarray | np.number) and math.prod(value.shape) == 1
    if held:
        value = value.item()
    if isinstance(value, float):
        return f"the float {value!r}"
    return f"{value!r} in a tensor or a number of NumPy's" if held else value


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
    explains=("Write `parameters(V, D, L, T)`",),
)


@parameters.mistake(
    "These are the four numbers without their names. Return a dictionary, with the keys of the "
    "text.",
    breaks="dictionary of four numbers",
)
def count_as_a_tuple(V, D, L, T):
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    return below, layer, pooler, below + L * layer + pooler


@parameters.mistake(
    "Your pooler has two outputs. That is the NSP head; the pooler below it is as wide as the "
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
    "Large models have more parameters than 32 bits can count. Python's own ints have no limit, "
    "and those of torch.int64 are long enough.",
    breaks="exact for any sizes",
)
def count_in_32_bits(V, D, L, T):
    import torch

    V, D, L, T = torch.tensor([V, D, L, T]).int()
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    found = {
        "embeddings": below,
        "layer": layer,
        "pooler": pooler,
        "all": below + L * layer + pooler,
    }
    return {name: int(number) for name, number in found.items()}


@parameters.mistake(
    "These are the right numbers, as tensors or NumPy numbers. The text asks for Python's ints: "
    "int(…) makes one of each.",
    breaks="each an int",
)
def count_in_tensors(V, D, L, T):
    import torch

    V, D, L, T = torch.tensor([V, D, L, T])
    below = (V + 2 + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


@parameters.mistake(
    "Your ints were floats at some point, by /, a power of 0.5 or a float: beyond 2 to the power "
    "of 53 that loses the last digits, and int(…) does not bring them back.",
    breaks="exact for any sizes",
)
def count_in_floats_made_ints(V, D, L, T):
    below = (V + 2 + T) * D + 2.0 * D
    layer, pooler = 12.0 * D * D + 13 * D, 1.0 * D * D + D
    found = {
        "embeddings": below,
        "layer": layer,
        "pooler": pooler,
        "all": below + L * layer + pooler,
    }
    return {name: int(number) for name, number in found.items()}


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
    "Below the layers, 2·D parameters are missing: most likely the table that says which sentence "
    "a token belongs to, or the LayerNorm behind the sum.",
    loses=("below the layers", "all of it"),
    breaks="three tables and a LayerNorm",
)
def count_without_segments_or_norm(V, D, L, T):
    below = (V + T) * D + 2 * D
    layer, pooler = 12 * D * D + 13 * D, D * D + D
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}
