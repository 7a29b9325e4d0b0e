"""A stand-in for CUDA graphs on a CPU: it keeps what a graph keeps, and refuses what one must."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

UNRECORDABLE = {"_local_scalar_dense", "nonzero", "masked_select", "_unique2", "repeat_interleave"}


class OperationLog(TorchDispatchMode):
    """What is called inside the `with` block, to be called again on the same tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Any, Any, Any]] = []
        self.before: dict[int, tuple[Any, Any]] = {}  # memory that is written into, as it was

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = function.overloadpacket.__name__
        masked = any(getattr(each, "dtype", None) == torch.bool for each in tree_leaves(args))
        if name in UNRECORDABLE or (name.startswith("index") and masked):
            raise RuntimeError(f"operation not permitted when stream is capturing: {function}")
        for spec, given in zip(function._schema.arguments, args, strict=False):
            if spec.alias_info is not None and spec.alias_info.is_write:
                for each in tree_leaves(given):
                    memory = each.untyped_storage()
                    if memory.data_ptr() not in self.before:
                        self.before[memory.data_ptr()] = memory, memory.clone()
        result = function(*args, **kwargs)
        self.calls.append((function, args, kwargs, result))
        return result

    def undo(self) -> None:
        """A graph is recorded, but not run."""
        for memory, was in self.before.values():
            memory.copy_(was)

    @torch.no_grad()
    def replay(self) -> None:
        """Call everything again, with results where they were at first."""
        for function, args, kwargs, result in self.calls:
            again = function(*args, **kwargs)
            for place, new in zip(tree_leaves(result), tree_leaves(again), strict=True):
                if isinstance(place, Tensor) and place.data_ptr() != new.data_ptr():
                    place.copy_(new)


REPLAYS: list[int] = []  # one for each replay on a CPU


def capture(function: Callable[[], Tensor]) -> tuple[Callable[[], object], Tensor]:
    """Record `function` without running it, as `helpers.training.recording.capture` does."""
    with torch.random.fork_rng([]), OperationLog() as log:
        value = function()
    log.undo()

    def replay() -> None:
        REPLAYS.append(len(log.calls))
        log.replay()

    return replay, value
