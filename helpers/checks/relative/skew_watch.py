"""Unit 04, “Skew”: by what an answer finds the numbers, by slices or by an index or a mask."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from torch import Tensor
from torch.utils._pytree import tree_leaves

from helpers.checks.engine import Answer, Case, unchanged
from helpers.checks.relative import common
from helpers.model.tensor_counter import TensorCounter

LONG = 40  # tokens; a loop over pairs has as many steps as a text has pairs
INDEXING = {  # the operations that indices or a mask tell where to read or write, in words
    "an index, as in gather, take and x[rows]": {
        "_embedding_bag", "_embedding_bag_forward_only", "_unsafe_index", "embedding", "gather",
        "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "index", "index_select", "take",
    },
    "an index to write at": {
        "_index_put_impl_", "index_add", "index_add_", "index_copy", "index_copy_", "index_fill",
        "index_fill_", "index_put", "index_put_", "index_reduce", "index_reduce_", "put", "put_",
    },
    "scatter, or a one-hot tensor, which scatter makes": {
        "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_",
    },
    "a mask, as in where and masked_fill": {
        "masked_fill", "masked_fill_", "masked_scatter", "masked_scatter_", "masked_select",
        "tril", "tril_", "triu", "triu_", "where",
    },
    "a comparison, which makes a mask": {"eq", "ne", "lt", "le", "gt", "ge", "isclose", "isin"},
}  # fmt: skip
PRODUCTS = {
    "addbmm", "addcmul", "addmm", "addmv", "baddbmm", "bmm", "convolution", "dot", "lerp",
    "matmul", "mm", "mul", "mul_", "mv",
}  # fmt: skip
BY_MASK = "a product with a tensor of zeros and ones"
UNSEEN = "means outside PyTorch, such as NumPy, where nothing can be watched"


class Watch(TensorCounter):
    """Looks at what is multiplied as well."""

    def __init__(self) -> None:
        super().__init__()
        self.masked = False
        self.seen: dict[int, Any] = {}  # memory that was given or made; kept, so that it stays so
        self.large, self.elsewhere = 0, False

    def give(self, products: Tensor) -> None:
        """These are the products that the answer is asked with."""
        self.remember(products)
        self.large = products.numel() // 2  # of which T columns are more than half

    def remember(self, tensor: Tensor) -> None:
        """The memory of a tensor is known from now on."""
        memory = tensor.untyped_storage()
        self.seen[memory.data_ptr()] = memory

    def knows(self, tensor: Any) -> bool:
        """Whether PyTorch made its memory; NumPy's arrays cannot be watched."""
        return not isinstance(tensor, Tensor) or tensor.untyped_storage().data_ptr() in self.seen

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func.overloadpacket.__name__ in PRODUCTS and not self.masked:
            given = [each for each in args if isinstance(each, Tensor)]
            self.masked = any(each.numel() > 1 and _is_mask(each) for each in given)
        self.elsewhere |= any(
            not self.knows(each) and each.numel() > self.large for each in tree_leaves(args)
        )
        result = super().__torch_dispatch__(func, types, args, kwargs)
        for made in tree_leaves(result):
            if isinstance(made, Tensor):
                self.remember(made)
        return result

    def finds(self, term: Any) -> str:
        """In words of the text; the operations have names that a learner need not have written."""
        by = [words for words, names in INDEXING.items() if names.intersection(self.operations)]
        by += [BY_MASK] * self.masked
        by += [UNSEEN] * (self.elsewhere or not self.knows(term))
        return f"by {'; by '.join(by)}" if by else "by slices alone"


def _is_mask(tensor: Tensor) -> bool:
    """Whether it holds ones and zeros and nothing else."""
    return bool(((tensor == 0) | (tensor == 1)).all() and tensor.any() and not tensor.all())


def without_index(rng: Random) -> Iterator[Case]:
    """With and without axes in front, and in any order in memory."""
    common.make_sure_of_the_meter()
    for length in (LONG, rng.randint(4, 8), rng.randint(66, 80)):
        products = common.normal_numbers(rng, 1, 2, length, 2 * length - 1)
        yield Case(f"(products of shape {tuple(products.shape)})", partial(_watched, products))
    for front in ((), (2,), (1, 2)):
        products = common.normal_numbers(rng, *front, 2 * LONG - 1, LONG).mT
        label = f"(products of shape {tuple(products.shape)}"
        if len(front) < 2:
            yield Case(f"{label})", partial(_way_alone, products.contiguous()))
        yield Case(f"{label}, column after column in memory)", partial(_way_alone, products))


def _way_alone(products: Tensor, answer: Answer) -> dict[str, Any]:
    """Without the numbers, and without what stops an answer: other parts ask for those."""
    given, term = copy.deepcopy(products), None
    with Watch() as meter, contextlib.suppress(Exception):
        meter.give(given)
        term = answer(given)
    return _way(meter, term, products.shape[-2])


def _watched(products: Tensor, answer: Answer) -> dict[str, Any]:
    given, length = copy.deepcopy(products), products.shape[-2]
    with Watch() as meter:
        meter.give(given)
        term = answer(given)
    unchanged((given,), (products,))
    return {"the numbers": term} | _way(meter, term, length)


def _way(meter: Watch, term: Any, length: int) -> dict[str, Any]:
    steps = max(meter.operations.total(), meter.made)
    return {
        "how it finds the numbers": meter.finds(term),
        "it takes a step for each pair": length >= LONG and steps >= length**2,
    }
