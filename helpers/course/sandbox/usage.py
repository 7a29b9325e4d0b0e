"""What the processes of a sandbox use together, where no limit of one process holds it.

Where systemd makes a scope for the sandbox, which is a cgroup, Linux itself holds the limits at
every moment, files in memory included. Elsewhere `Usage.excess` is asked from time to time, which
is approximate.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

PROCESSES = 40  # at once
SOCKETS = 100  # at once: what waits in one, up to 10 MB, counts as no process's memory
PATIENCE = 0.25  # seconds; then the other limits are checked again
CROWD = 24  # threads at once that may run on all cores
TOO_MUCH = "it used more than {:.1f} GiB of memory"
VARIABLES = ("PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")  # that systemd is found by


@cache
def makes_scopes() -> bool:
    """Return whether systemd makes scopes here."""
    trial = [*scope(1 << 30, 100), "true"]
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(trial, capture_output=True, timeout=10, check=False).returncode == 0
    return False


def scope(memory: int, processes: int) -> list[str]:
    """Return what stands before a command that is to run in a scope of its own.

    Args:
        memory: bytes in all, files in memory included. processes: threads count.
    """
    limits = {"MemoryMax": memory, "MemorySwapMax": 0, "TasksMax": processes, "OOMPolicy": "kill"}
    words = ["systemd-run", "--scope", "--quiet", "--collect"]
    words += [] if os.geteuid() == 0 else ["--user"]
    return words + [f"--property={name}={value}" for name, value in limits.items()]


class Usage:
    """What the processes of one sandbox use.

    Args:
        sandbox: the number of its first process.
    """

    def __init__(self, sandbox: int) -> None:
        self.sandbox = sandbox
        # Shared memory is measured beside the checks: Linux makes who asks wait for a process that
        # forks, and of a fork bomb that is a minute in which it would grow unseen.
        self._meter = ThreadPoolExecutor(1)
        self._measured: Future[int] | None = None

    def excess(self, memory: int, threads: int) -> str:
        """Return which limit is passed, in words; empty if none is.

        Args:
            memory: bytes.
            threads: of all processes, as Linux holds no such limit for root.
        """
        running = started = resident = 0
        processes: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):
            processes = psutil.Process(self.sandbox).children(recursive=True)[1:]  # no fork server
        for process in processes:
            with suppress(psutil.NoSuchProcess), process.oneshot():
                running += process.status() != psutil.STATUS_ZOMBIE  # nobody asks how orphans did
                started += process.num_threads()
                resident += process.memory_info().rss
            if running > PROCESSES:
                return f"it started more than {PROCESSES} processes"
        if started > threads:
            return f"it started {started} threads"
        if processes and (sockets := _sockets(processes[0])) > SOCKETS:
            return f"it opened {sockets} sockets"
        if started > CROWD:
            _confine(processes)
        # What is shared has counted for each.
        if resident > memory and self._together(processes) > memory:
            return TOO_MUCH.format(memory / 2**30)
        return ""

    def _together(self, processes: Sequence[psutil.Process]) -> int:
        """Return bytes of memory that processes use together; 0 where it takes long to know."""
        self._measured = self._measured or self._meter.submit(_in_parts, processes)
        try:
            found = self._measured.result(PATIENCE)
        except TimeoutError:
            return 0
        self._measured = None
        return found

    def close(self) -> None:
        """Measure no more."""
        self._meter.shutdown(wait=False)


def _in_parts(processes: Sequence[psutil.Process]) -> int:
    """Return bytes of memory; what several processes share counts for each of them in part."""
    found = 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            try:
                found += process.memory_full_info().pss
            except psutil.AccessDenied:  # it hides; then all of it counts
                found += process.memory_info().rss
    return found


def _sockets(process: psutil.Process) -> int:
    """Return the sockets in a process's network, with those that no process has yet."""
    with suppress(OSError):
        first = Path(f"/proc/{process.pid}/net/sockstat").read_text().splitlines()[0]
        return int(first.removeprefix("sockets: used "))
    return 0


def _confine(processes: Sequence[psutil.Process]) -> None:
    """Keep a crowd on one core, the same for all crowds, so that the others stay the neighbours'.

    What it starts from now on is there too. A container may forbid it.
    """
    core = max(os.sched_getaffinity(0))
    for process in processes:
        with suppress(OSError, psutil.Error):
            for thread in process.threads():
                os.sched_setaffinity(thread.id, {core})
