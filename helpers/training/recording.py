"""A training step as one CUDA graph: recorded once, then replayed with each batch copied in.

A small model's kernels take less time than Python needs to launch them one by one. A graph launches
all of them at once (https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs).
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

LOG = logging.getLogger(__name__)
WARM_UP = 3  # calls in which libraries and optimisers make what they keep; the last is recorded

Step = Callable[[Any], Tensor]
Snapshot = tuple[list[Tensor], list[Tensor]]  # a step's state, and those of random generators


class Graph(NamedTuple):
    """A recorded step, and the memory that a replay reads and writes."""

    replay: Callable[[], object]
    inputs: list[Any]  # leaves of a batch
    layout: Any
    addresses: list[int]  # of the step's state
    gradients: list[Tensor | None]
    value: Tensor


class Recorded:
    """Calls a step as it is, records it, compares the first replay with it, and then replays.

    What stands against it is logged in one line: an operation for which the CPU waits for the GPU,
    a replay that differs by more than rounding, a batch of another shape. State and random numbers
    are put back to where that call found them, and this and all later calls run the step as it is.

    Args:
        step: takes a batch, any nest of tensors; computes the gradients of `parameters` anew, may
            write into its state, and returns one tensor. A number of Python's would stay what it
            was at the recording; those that change have to be tensors.
        parameters: whose gradients the step computes.
        state: returns the tensors that the step reads or writes beside batch and gradients; asked
            once, after two calls.
        rounding: how far loss, gradients and state may be from those of the step, by their norms.
        refused: why the step cannot be recorded, if that is known beforehand.
    """

    def __init__(
        self,
        step: Step,
        parameters: Iterable[Tensor],
        state: Callable[[], list[Tensor]],
        rounding: float = 1e-3,
        refused: str = "",
    ) -> None:
        self.step, self.parameters, self.find_state = step, [*parameters], state
        self.rounding = rounding
        self.calls = 0
        self.state: list[Tensor] = []
        self.graph: Graph | None = None
        self.given_up = False
        if refused:
            self._give_up(refused)

    def __call__(self, batch: Any) -> Tensor:
        """Return what the step returns."""
        if self.given_up:
            return self.step(batch)
        self.calls += 1
        if self.calls < WARM_UP:
            return warmed_up(self.step, batch)
        if self.calls == WARM_UP:
            self.state = self.find_state()
        before = _snapshot(self.state) if self.calls <= WARM_UP + 1 else None
        try:
            if self.graph is None:
                return self._record(batch)
            if before:
                return self._compare(self.graph, batch, before)
            return self._replay(self.graph, batch)
        except RuntimeError as error:
            if before:
                _restore(self.state, before)
            # What went wrong in a recording is the context of another error, that of its end.
            self._give_up(str(error.__context__ or error).strip().split("\n")[0])
        return self.step(batch)

    def _give_up(self, why: str) -> None:
        self.graph, self.given_up = None, True
        LOG.warning("Each step is launched from Python, not as one CUDA graph: %s", why)

    def _record(self, batch: Any) -> Tensor:
        """Call the step; then record it, which does not run it."""
        value = warmed_up(self.step, batch, strict=True)
        gradients = self._gradients()
        leaves, spec = tree_flatten(batch)
        inputs = [each.clone() if isinstance(each, Tensor) else each for each in leaves]
        replay, place = capture(lambda: self.step(tree_unflatten(inputs, spec)))
        addresses = [each.data_ptr() for each in self.state]
        self.graph = Graph(replay, inputs, layout(batch), addresses, self._gradients(), place)
        self._set_gradients(gradients)  # those of the call, which no optimiser has seen yet
        return value

    def _compare(self, graph: Graph, batch: Any, before: Snapshot) -> Tensor:
        """Run the step both ways from the same state, on another batch than the recorded one."""
        value, gradients = self.step(batch), self._gradients()
        state, _ = _snapshot(self.state)
        _restore(self.state, before)
        replayed = self._replay(graph, batch)
        near = _near([replayed], [value], self.rounding)
        near &= _near(self._gradients(), gradients, self.rounding)
        for one, other in zip(self.state, state, strict=True):
            near &= _near([one], [other], self.rounding)
        if not near:
            raise RuntimeError("its replay differs by more than rounding")
        return replayed

    def _replay(self, graph: Graph, batch: Any) -> Tensor:
        if layout(batch) != graph.layout:
            raise RuntimeError("a batch has another shape than the first ones")
        if [each.data_ptr() for each in self.state] != graph.addresses:
            raise RuntimeError("the memory of a parameter or buffer has been replaced")
        for kept, new in zip(graph.inputs, tree_leaves(batch), strict=True):
            if isinstance(kept, Tensor):
                kept.copy_(new)
        graph.replay()
        self._set_gradients(graph.gradients)
        return graph.value.clone()  # the next replay writes into it

    def _gradients(self) -> list[Tensor | None]:
        return [each.grad for each in self.parameters]

    def _set_gradients(self, gradients: list[Tensor | None]) -> None:
        for each, gradient in zip(self.parameters, gradients, strict=True):
            each.grad = gradient


def _snapshot(state: list[Tensor]) -> Snapshot:
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return [each.detach().clone() for each in state], [torch.get_rng_state(), *cuda]


@torch.no_grad()
def _restore(state: list[Tensor], snapshot: Snapshot) -> None:
    values, (random, *cuda) = snapshot
    for each, value in zip(state, values, strict=True):
        each.copy_(value)
    torch.set_rng_state(random)
    torch.cuda.set_rng_state_all(cuda)


def _near(ones: Sequence[Tensor | None], others: Sequence[Tensor | None], rounding: float) -> bool:
    """Compare two lists of tensors, each list as one vector; what overflowed counts as 0."""
    distance = size = 0.0
    for one, other in zip(ones, others, strict=True):
        if one is None or other is None:
            if one is not other:
                return False
            continue
        one, other = (each.detach().double().nan_to_num(0, 0, 0) for each in (one, other))
        distance += float((one - other).square().sum())
        size += float(other.square().sum())
    return distance <= rounding**2 * size


def layout(batch: Any) -> Any:
    """Return what must not change from batch to batch: all but the numbers in tensors."""
    leaves, spec = tree_flatten(batch)
    found: list[Any] = []
    for each in leaves:
        if isinstance(each, Tensor):
            found.append((each.shape, each.dtype, each.device))
        else:
            found.append(each if isinstance(each, bool | int | float | str | None) else id(each))
    return spec, found


def available(device: torch.device) -> bool:
    """Return whether there are graphs on this device."""
    return device.type == "cuda"


def capture(function: Callable[[], Tensor]) -> tuple[Callable[[], object], Tensor]:
    """Record `function`, without running it; returns what replays it, and its result's place."""
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
    generator = torch.cuda.default_generators[torch.cuda.current_device()]
    random = generator.clone_state()
    try:
        with torch.cuda.graph(graph):
            value = function()
    except BaseException:
        # PyTorch leaves its own stream the current one, and in older versions also the generator
        # in a state that only a recording can use.
        torch.cuda.set_stream(stream)
        generator.graphsafe_set_state(random)
        raise
    return graph.replay, value


def warmed_up(step: Step, batch: Any, strict: bool = False) -> Tensor:
    """Call `step` on a stream of its own, as a recording has to be prepared.

    Args:
        strict: raise a RuntimeError where the CPU waits for the GPU. A recording would raise one,
            too, but not all of PyTorch recovers from one that fails.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    try:
        with torch.cuda.stream(stream), _no_waiting() if strict else nullcontext():
            return step(batch)
    finally:
        torch.cuda.current_stream().wait_stream(stream)


@contextmanager
def _no_waiting() -> Iterator[None]:
    mode = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this mode is a prototype
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(mode)
