"""Between two kernels of a sandbox: all that a learner can leave there is removed, or told.

What outlives a learner's processes would else meet the next learner's: files and their rights,
shared memory, undelivered data, and what was changed of the sandbox's first process.
"""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from helpers.course.sandbox import memory

SOCKETS = "/run/kernel"  # a kernel's, by which the grader speaks to it
FOLDERS = ("/tmp", "/dev/shm", SOCKETS)  # in memory
TRACES = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg", "/proc/keys")
# Keyrings that come and go with anybody's processes; what is in them has a line of its own.
OF_THE_SYSTEM = re.compile(r" keyring +(\.\w+|_(uid|uid_ses|ses|tid|pid)(\.\d+)?):")
TERMINALS = ("/dev/pts", "/dev/pts/ptmx")
RESOURCES = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


class Room:
    """The sandbox as it was before its first kernel; only its first process can tell."""

    def __init__(self) -> None:
        _remove(_files())
        self.traces, self.sockets = _traces(), memory.sockets(os.getpid())
        self.fixed = set(_files())  # mount points below FOLDERS, and the way to them
        ways = (*FOLDERS, *TERMINALS, *self.fixed)
        self.before = {each: Path(each).stat() for each in ways}

    def emptied(self) -> bool | str:
        """Remove what is left when all processes have ended; True, or what could not be."""
        try:
            for path, before in self.before.items():
                with suppress(FileNotFoundError):  # renamed, which is told below
                    if Path(path).stat().st_mode != before.st_mode:
                        Path(path).chmod(before.st_mode & 0o7777)  # it may have been closed
            _remove(each for each in _files() if each not in self.fixed)
            left = sorted(self.fixed.symmetric_difference(_files()))
        except RecursionError:
            left = ["folders too deep to look into"]
        for path, before in self.before.items():
            with suppress(OSError):  # a mount point is read-only
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        left += [name for name, value in _traces().items() if value != self.traces[name]]
        left += ["sockets"] if _sockets_above(self.sockets) else []
        return f"left over: {', '.join(left[:20])}" if left else True


def _files() -> list[str]:
    """All that a learner can leave, the deepest first. A mount point is in it, and what is mounted
    there is not: that is read-only, and a course that is installed under /tmp is much of it."""
    return [each for folder in FOLDERS for each in _below(folder)]


def _below(folder: str) -> Iterator[str]:
    try:
        device, entries = Path(folder).stat().st_dev, list(os.scandir(folder))
    except OSError:
        return  # it is not there, or closed; if closed, it is itself what cannot be removed
    for each in entries:
        inside = each.is_dir(follow_symlinks=False)
        if inside and each.stat(follow_symlinks=False).st_dev == device:
            yield from _below(each.path)
        yield each.path


def _remove(files: Iterable[str]) -> None:
    for each in files:
        path = Path(each)
        with suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def _sockets_above(number: int) -> bool:
    """Whether more are there than that: what TCP has not delivered outlives its process."""
    for _ in range(20):  # Linux counts some that are closed a moment longer
        if memory.sockets(os.getpid()) <= number:
            return False
        time.sleep(0.02)
    return True


def _traces() -> dict[str, Any]:
    """What outlives a kernel's processes, and what they can change of this one."""
    limits = [resource.getrlimit(each) for each in RESOURCES]
    place = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.sched_getaffinity(0)
    return {each: _read(each) for each in TRACES} | {"limits": limits, "priority": place}


def _read(path: str) -> list[str]:
    """What there is of something that outlives processes; without counts, which come and go."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return []
    told = [line for line in lines if line.strip() and not OF_THE_SYSTEM.search(line)]
    return sorted(line.split(None, 1)[0] for line in told)
