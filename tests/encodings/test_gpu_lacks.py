"""What no GPU computes and every CPU does: a product of matrices of integers."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from helpers.encodings import available, tree_offsets
from tests.encodings.test_properties import D, T, build, run

PRODUCTS = {torch.ops.aten.mm, torch.ops.aten.bmm, torch.ops.aten.addmm, torch.ops.aten.baddbmm}


class AsOnAGpu(TorchDispatchMode):
    """Refuses what CUDA has no kernel for."""

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        whole = [each for each in args if isinstance(each, Tensor) and not each.is_floating_point()]
        if function.overloadpacket in PRODUCTS and whole:
            raise NotImplementedError(f"{function} of {whole[0].dtype}")
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", available())
def test_no_encoding_multiplies_integers(name: str) -> None:
    with AsOnAGpu():
        run(build(name), torch.randn(2, T, D))


def test_nor_do_the_offsets_of_a_tree() -> None:
    with AsOnAGpu():
        tree_offsets(torch.tensor([[1, -1, 1], [-1, 0, 1]]))


@pytest.mark.parametrize("multiply", [torch.mm, torch.matmul, lambda a, b: a @ b[None]])
def test_it_is_noticed(multiply: Callable[[Tensor, Tensor], Tensor]) -> None:
    ones = torch.ones(2, 2, dtype=torch.int64)
    with AsOnAGpu(), pytest.raises(NotImplementedError, match="int64"):
        multiply(ones, ones)
