"""A function of a batch as one CUDA graph: recorded once, then replayed with each batch copied in.

A small model's kernels take less time than Python needs to launch them one by one. A graph launches
all of them at once (https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

LOG = logging.getLogger(__name__)
WARM_UP = 3  # calls before the recording, in which libraries and optimisers make what they keep

Function = Callable[[Any], Tensor]


class Recorded:
    """Calls a function as it is at first, and then replays it.

    Whatever keeps the function from being recorded is logged in one line, and each call then runs
    it as it is: an operation for which the CPU waits for the GPU, a tensor copied from the CPU, a
    batch of another shape than the first.

    Args:
        function: takes a batch, any nest of tensors, and returns one tensor. It must do the same
            work each time, on the same tensors beside the batch, and read numbers that change from
            one call to the next from such tensors.
        refused: why it cannot be recorded, if that is known beforehand.
    """

    def __init__(self, function: Function, refused: str = "") -> None:
        self.function = function
        self.calls = 0
        self.recorded: tuple[Callable[[], object], list[Any], Tensor] | None = None
        self.layout: Any = None  # of the batch
        if refused:
            self._give_up(refused)

    def __call__(self, batch: Any) -> Tensor:
        """Return what the function returns."""
        self.calls += 1
        try:
            if self.calls < WARM_UP:
                return warmed_up(self.function, batch)
            if self.calls == WARM_UP:
                return warmed_up(self.function, batch, strict=True)
            if self.calls == WARM_UP + 1:
                self._record(batch)
        except RuntimeError as error:
            self._give_up(str(error).strip().split("\n")[0])
        if self.recorded and layout(batch) != self.layout:
            self._give_up("a batch has another shape than the first ones")
        if not self.recorded:
            return self.function(batch)
        replay, inputs, value = self.recorded
        for kept, new in zip(inputs, tree_flatten(batch)[0], strict=True):
            if isinstance(kept, Tensor):
                kept.copy_(new)
        replay()
        return value.clone()  # the next replay writes into it

    def _record(self, batch: Any) -> None:
        leaves, spec = tree_flatten(batch)
        inputs = [each.clone() if isinstance(each, Tensor) else each for each in leaves]
        replay, value = capture(lambda: self.function(tree_unflatten(inputs, spec)))
        self.recorded, self.layout = (replay, inputs, value), layout(batch)

    def _give_up(self, why: str) -> None:
        self.recorded, self.calls = None, WARM_UP + 1
        LOG.warning("Each step is launched from Python, not as one CUDA graph: %s", why)


def available(device: torch.device) -> bool:
    """Return whether there are graphs on this device."""
    return device.type == "cuda"


def warmed_up(function: Function, batch: Any, strict: bool = False) -> Tensor:
    """Call `function` on a stream of its own, as a recording has to be prepared.

    Args:
        strict: raise a RuntimeError where the CPU waits for the GPU. A recording would, too, but
            could leave PyTorch's source of random numbers unusable.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    torch.cuda.set_sync_debug_mode("error" if strict else "default")
    try:
        with torch.cuda.stream(stream):
            value = function(batch)
    finally:
        torch.cuda.set_sync_debug_mode("default")
        torch.cuda.current_stream().wait_stream(stream)
    return value


def capture(function: Callable[[], Tensor]) -> tuple[Callable[[], object], Tensor]:
    """Record `function`, without running it; returns what replays it, and its result's place."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        value = function()
    return graph.replay, value


def layout(batch: Any) -> Any:
    """Return what must not change from batch to batch: all but the numbers in tensors."""
    leaves, spec = tree_flatten(batch)
    return spec, [
        (each.shape, each.dtype, each.device) if isinstance(each, Tensor) else each
        for each in leaves
    ]
