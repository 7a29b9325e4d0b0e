"""Unit 04, “Skew”: what it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, Exercise, Part, call, differentiated, digits
from helpers.checks.engine.hints import DTYPE, IN_PLACE, NO_GRADIENT
from helpers.checks.relative import common
from helpers.encodings import offsets as library
from helpers.model.tensor_counter import TensorCounter

LONG = 40  # tokens; a loop over pairs has as many steps as a text has pairs
# By what PyTorch's operations are known that read or write at an index, or make and use a mask.
INDEX = re.compile("index|gather|scatter|take|embedding|grid_sampler|(^|_)put")
MASK = re.compile("mask|where|tri[lu]|isclose|isin|^(eq|ne|lt|le|gt|ge)_?$")
PRODUCT = re.compile("mul|mm|mv|dot|conv|lerp|addc")


class _Watch(TensorCounter):
    """Notes as well whether something is multiplied by zeros and ones."""

    multiplies_by_mask = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if PRODUCT.search(func.overloadpacket.__name__):
            given = (each for each in args if isinstance(each, Tensor) and each.numel() > 1)
            self.multiplies_by_mask |= any(map(_is_mask, given))
        return super().__torch_dispatch__(func, types, args, kwargs)

    def way(self) -> str:
        """Say in words of the text how the numbers were found."""
        if any(map(INDEX.search, self.operations)):
            return "by an index, as in gather, scatter and x[rows]"
        if any(map(MASK.search, self.operations)):
            return "by a mask, as in where, tril and a comparison"
        if self.multiplies_by_mask:
            return "by a product with a tensor of zeros and ones"
        return "by slices alone"


def _is_mask(tensor: Tensor) -> bool:
    """Whether it holds ones and zeros and nothing else."""
    return bool(((tensor == 0) | (tensor == 1)).all() and tensor.any() and not tensor.all())


def _without_index(rng: Random) -> Iterator[Case]:
    common.make_sure_of_the_meter()
    for length in (LONG, rng.randint(66, 80)):
        products = draws.normal(rng, 1, 2, length, 2 * length - 1)
        label = f"(products of shape {tuple(products.shape)})"
        yield Case(label, partial(_watched, products=products))


def _watched(answer: Answer, products: Tensor) -> dict[str, Any]:
    with _Watch() as meter:
        answer(products.clone())
    steps = max(meter.operations.total(), meter.made)
    return {
        "how it finds the numbers": meter.way(),
        "it takes a step for each pair": steps >= products.shape[-2] ** 2,
    }


def _skew_case(products: Tensor, words: str = "") -> Case:
    return call(products).labelled(f"(products of shape {tuple(products.shape)}{words})")


def _four_axes(rng: Random) -> Iterator[Case]:
    length = rng.randint(7, 9)
    yield _skew_case(draws.normal(rng, 2, 3, length, 2 * length - 1))
    for size in (1, 2, rng.randint(4, 6), rng.randint(210, 230)):
        yield _skew_case(draws.normal(rng, 3, 2, size, 2 * size - 1))
    products = draws.normal(rng, 2, 3, 2 * length - 1, length).mT
    yield _skew_case(products, ", column after column in memory")
    products = draws.normal(rng, 3, 2, length, 2 * length - 1).transpose(0, 1)
    yield _skew_case(products, ", the heads in front in memory")


def _other_axes(rng: Random) -> Iterator[Case]:
    for front in ((), (rng.randint(2, 3),), (2, 1, 3)):
        length = rng.randint(4, 7)
        yield _skew_case(draws.normal(rng, *front, length, 2 * length - 1))
        products = draws.normal(rng, *front, 2 * length - 1, length).mT
        yield _skew_case(products, ", column after column in memory")
    wide = draws.normal(rng, 3, length + 1, 2 * length + 2)[1:, 1:, 2:-1]
    yield _skew_case(wide, ", a part of a larger tensor")
    yield _skew_case(wide[:1].expand(3, -1, -1), ", the same memory three times")
    yield _skew_case(draws.normal(rng, 3, 5, 3, 5))  # as many heads as columns


def _backwards(rng: Random) -> Iterator[Case]:
    length = rng.randint(4, 6)
    products = draws.normal(rng, 2, 3, length, 2 * length - 1)
    yield differentiated(products=products)
    yield digits(f"(products of shape {tuple(products.shape)})", products)


skew = Exercise(
    "skew",
    library.skew,
    (
        Part("key j at offset j − i", 0.5, _four_axes),
        Part("any axes in front", 0.5, _other_axes),
        Part("without an index", 0.5, _without_index),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(library.skew_padded, library.toeplitz, encodings.Huang, *common.TERMS),
    explains=("are all you need",),
    generic={
        "gradients must reach `products`": NO_GRADIENT,
        "The result has the dtype of `products`": DTYPE,
        "`products` is not modified in place": IN_PLACE,
    },
    module=__name__,
)
