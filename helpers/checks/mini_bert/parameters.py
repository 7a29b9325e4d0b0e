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
    module=__name__,
)
