"""What the processes of a sandbox use together, where no limit of one process holds it.

Where systemd makes a scope for the sandbox, which is a cgroup, Linux itself holds the limits at
every moment, files in memory included. Elsewhere `excess` is asked from time to time.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

PROCESSES = 40  # at once
SOCKETS = 100  # at once: what waits in one, up to 10 MB, counts as no process's memory
CROWD = 24  # threads at once that may run on all cores
TOO_MUCH = "it used more than {:.1f} GiB of memory"
VARIABLES = ("PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")  # that systemd is found by


@cache
def no_scope() -> str:
    """Return why systemd makes no scope; empty where it does."""
    try:
        trial = [*scope(1 << 30, 100), "true"]
        subprocess.run(trial, capture_output=True, text=True, timeout=10, check=True)
    except subprocess.CalledProcessError as error:
        return f"systemd makes no scope: {error.stderr.strip()}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"systemd makes no scope: {error}"
    return ""


def scope(memory: int, processes: int) -> list[str]:
    """Return what stands before a command that is to run in a scope of its own.

    Args:
        memory: bytes in all, files in memory included. processes: threads count.
    """
    limits = {"MemoryMax": memory, "MemorySwapMax": 0, "TasksMax": processes, "OOMPolicy": "kill"}
    words = ["systemd-run", "--scope", "--quiet", "--collect"]
    words += [] if os.geteuid() == 0 else ["--user"]
    return words + [f"--property={name}={value}" for name, value in limits.items()]


def excess(sandbox: int, memory: int, threads: int, isolated: bool) -> str:
    """Return which limit is passed, in words; empty if none is.

    Args:
        sandbox: the number of its first process. memory: bytes.
        threads: of all processes, as Linux holds no such limit for root.
    """
    try:
        processes = psutil.Process(sandbox).children(recursive=True)
    except psutil.NoSuchProcess:
        return ""
    if (running := _total(processes, _is_running)) > PROCESSES:
        return f"it started {running} processes"
    if (started := _total(processes, psutil.Process.num_threads)) > threads:
        return f"it started {started} threads"
    theirs = processes[1:] if isolated else []  # without the fork server
    if theirs and (sockets := _sockets(theirs[0])) > SOCKETS:
        return f"it opened {sockets} sockets"
    if _total(theirs, psutil.Process.num_threads) > CROWD:
        _confine(theirs)
    for size in (_resident, _in_part):  # the second takes the system 8 ms a process
        if _total(processes, size) <= memory:
            return ""
    return TOO_MUCH.format(memory / 2**30)


def _total(processes: Sequence[psutil.Process], number: Callable[[psutil.Process], int]) -> int:
    """Return the sum over those that have not ended since."""
    total = 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            total += number(process)
    return total


def _is_running(process: psutil.Process) -> bool:
    """Return whether it has not ended; a kernel does not ask how its orphans did."""
    return bool(process.status() != psutil.STATUS_ZOMBIE)


def _resident(process: psutil.Process) -> int:
    """Return bytes of memory; what several processes share counts for each of them."""
    return int(process.memory_info().rss)


def _in_part(process: psutil.Process) -> int:
    """Return bytes of memory; what several processes share counts for each of them in part."""
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:  # it hides; then all of it counts
        return _resident(process)


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
