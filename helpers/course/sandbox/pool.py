"""Who executes notebooks: threads here, or a Dask cluster, each with a sandbox kept warm.

A sandbox serves one notebook after another, as torch takes seconds to load.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress

import torch

from helpers.course.sandbox import bubblewrap
from helpers.course.sandbox.process import Limits, Sandbox
from helpers.course.settings import CourseError

SPARE = 2  # workers beyond one per core: while some wait for their kernels, others compute
_idle: list[Sandbox] = []
_taken: list[Sandbox] = []
_given_up = threading.Event()
# bubblewrap ends its sandbox with the thread that started it, so that thread outlives all others.
_starter = ThreadPoolExecutor(1)


def executor(
    scheduler: str, workers: int, isolated: bool
) -> AbstractContextManager[tuple[Executor, int]]:
    """Return who executes notebooks, and how many at a time; arguments as for `grade.grade`.

    Raises:
        CourseError: `workers` is negative, or nobody at `scheduler` can execute.
    """
    if workers < 0:
        raise CourseError(f"--workers {workers}: one at least, or 0 for two more than the cores")
    return _cluster(scheduler, isolated) if scheduler else _threads(workers)


@contextmanager
def _threads(workers: int) -> Iterator[tuple[Executor, int]]:
    """Yield threads of this process, each with a sandbox of its own."""
    workers = workers or (os.cpu_count() or 1) + SPARE
    threads = ThreadPoolExecutor(workers)
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # the cores have workers of their own
    try:
        yield threads, workers
    except BaseException:  # nobody waits for what is on its way
        give_up()
        raise
    finally:
        threads.shutdown(cancel_futures=True)
        close()
        torch.set_num_threads(before)


@contextmanager
def _cluster(scheduler: str, isolated: bool) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client

        client = Client(scheduler, timeout="10s")
    except (ImportError, OSError, TimeoutError) as error:
        raise CourseError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        capacity = sum(client.nthreads().values())
        if capacity == 0:
            raise CourseError(
                f"no worker has joined {scheduler}: start some, dask worker {scheduler}"
            )
        reasons = client.run(bubblewrap.available).values() if isolated else ()
        if reason := next(filter(None, reasons), ""):
            raise CourseError(f"a worker of {scheduler} cannot execute: {reason}")
        try:
            yield client.get_executor(pure=False, retries=1), capacity
        finally:
            client.run(close)


@contextmanager
def taken(limits: Limits, isolated: bool, fresh: bool = False) -> Iterator[Sandbox]:
    """Yield a sandbox for one notebook, which is kept afterwards unless an error came of it.

    A fresh one has had no kernel before.

    Raises:
        StartError: it does not start.
    """
    sandbox = None if fresh else _idle_one(limits, isolated)
    sandbox = sandbox or _starter.submit(Sandbox, limits, isolated).result()
    _taken.append(sandbox)
    try:
        if _given_up.is_set():
            raise CourseError("stopped")
        sandbox.wait()
        yield sandbox
        _idle.append(sandbox)
    except BaseException:
        sandbox.close()
        raise
    finally:
        _taken.remove(sandbox)


def _idle_one(limits: Limits, isolated: bool) -> Sandbox | None:
    """Return one that is idle; those that have ended, or have other limits, are closed."""
    while _idle:
        with suppress(IndexError):  # another thread was quicker
            each = _idle.pop()
            if (each.limits, each.isolated) == (limits, isolated) and each.process.poll() is None:
                return each
            each.close()
    return None


def give_up() -> None:
    """End all that are in use; until `close`, use no others."""
    _given_up.set()
    for each in list(_taken):
        each.kill()


def close() -> None:
    """End all that are idle."""
    with suppress(IndexError):
        while True:
            _idle.pop().close()
    _given_up.clear()
