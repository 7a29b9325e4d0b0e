"""Steps timed in turn, each in a process of its own where one would change another's memory."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from multiprocessing.connection import Connection

import torch

Step = Callable[[], None]
Timer = Callable[[], float]


def seconds(step: Step) -> float:
    """How long a step takes behind one of its own kind, as in training.

    On a GPU it is the mean of ten, which begins when all work before is done: a step that is
    launched at once returns long before its work is.
    """
    cuda = torch.cuda.is_available()
    repeats = 10 if cuda else 1
    step()
    if cuda:
        torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        step()
    if cuda:
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / repeats


def in_turn(timers: Mapping[str, Timer], least: float) -> dict[str, float]:
    """Median of what each timer says; all in turn, so that noise falls on each alike.

    Args:
        least: seconds to go on for; there are five turns at least.
    """
    found: dict[str, list[float]] = {name: [] for name in timers}
    begun, turns = time.perf_counter(), 0
    while turns < 5 or time.perf_counter() - begun < least:
        for name, timer in timers.items():
            found[name].append(timer())
        turns += 1
    return {name: statistics.median(each) for name, each in found.items()}


def apart(makers: Mapping[str, Callable[[], Step]], least: float) -> dict[str, float]:
    """`in_turn`, with each step made and run in a process of its own.

    The makers are functions of modules, or `functools.partial` of such: the processes import them.
    """
    with ExitStack() as stack:
        timers = {name: stack.enter_context(_Process(make)) for name, make in makers.items()}
        return in_turn({name: each.seconds for name, each in timers.items()}, least)


class _Process:
    """A step in a process of its own."""

    def __init__(self, make: Callable[[], Step]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(make, other), daemon=True)
        self.process.start()
        other.close()  # so that its death ends a wait for it: EOFError
        self.pipe.recv()

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()

    def seconds(self) -> float:
        self.pipe.send("again")
        return float(self.pipe.recv())


def _serve(make: Callable[[], Step], pipe: Connection) -> None:
    step = make()
    step()  # a first step has much to set up
    pipe.send("ready")
    while True:  # until it is terminated
        pipe.recv()
        pipe.send(seconds(step))
