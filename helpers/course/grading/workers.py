"""Who executes notebooks: threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

import torch

from helpers.course.sandbox import bubblewrap, pool
from helpers.course.settings import CourseError

SPARE = 2  # workers beyond one per core: while some wait for their kernels, others compute


@contextmanager
def executor(scheduler: str, workers: int, isolated: bool) -> Iterator[tuple[Executor, int]]:
    """Yield who executes notebooks, and how many at a time; arguments as for `grade.grade`.

    Raises:
        CourseError: `workers` is negative, or nobody at `scheduler` can execute.
    """
    if workers < 0:
        raise CourseError(f"--workers {workers}: one at least, or 0 for two more than the cores")
    if not scheduler:
        workers = workers or (os.cpu_count() or 1) + SPARE
        threads = ThreadPoolExecutor(workers)
        before = torch.get_num_threads()
        torch.set_num_threads(1)  # the cores have workers of their own
        try:
            yield threads, workers
        except BaseException:  # nobody waits for what is on its way
            pool.give_up()
            raise
        finally:
            try:
                threads.shutdown(cancel_futures=True)
            finally:
                pool.close()
                torch.set_num_threads(before)
        return
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
            client.run(pool.close)
