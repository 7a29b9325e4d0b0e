"""The sizes of the tensors that a call makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class TensorCounter(TorchDispatchMode):
    """Counts the tensors made inside the `with` block; it cannot see NumPy's arrays.

    `largest` leaves out results that share memory with an argument, as views do.
    """

    def __init__(self) -> None:
        super().__init__()
        self.largest = 0  # numbers in the memory of the largest tensor
        self.made = 0  # number of tensors; one operation may make several, as unbind does
        self.operations: Counter[str] = Counter()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: otherwise PyTorch imports its compiler first, which takes seconds."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.operations[func.overloadpacket.__name__] += 1
        given = {_memory(each) for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)}
        given.discard(0)
        for made in tree_leaves(result):
            if isinstance(made, Tensor):
                self.made += 1
                if _memory(made) not in given:
                    self.largest = max(self.largest, _numbers(made))
        return result


def _memory(each: Tensor) -> int:
    """Return the address of a tensor's memory; 0 if it has none, or is sparse and has several."""
    return each.untyped_storage().data_ptr() if each.layout == torch.strided else 0


def _numbers(made: Tensor) -> int:
    """Return how many numbers are in a tensor's memory; of a sparse one, in that of its values."""
    if made.layout == torch.sparse_coo:
        made = made._values()
    elif made.layout in (torch.sparse_csr, torch.sparse_csc):
        made = made.values()
    return made.untyped_storage().nbytes() // made.element_size()


def largest_tensor(action: Callable[[], Any]) -> int:
    """Return how many numbers are in the largest tensor that `action()` makes."""
    with TensorCounter() as counter:
        action()
    return counter.largest
