"""How much memory processes take, in whatever way they take it, and what else nobody counts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import psutil


def use_more(processes: Sequence[psutil.Process], limit: int) -> bool:
    """Whether `processes` together use more than `limit` bytes.

    What several of them share counts once. To find out what is shared takes the system 8 ms a
    process, so it is asked only where they might be beyond the limit.
    """
    nameless = sum(sum(_nameless(each.pid)) for each in processes)
    if sum(map(_whole, processes)) + nameless <= limit:
        return False
    return sum(map(_in_part, processes)) + nameless > limit


def sockets(pid: int) -> int:
    """Sockets in the network of a process, with those that wait somewhere and no process has."""
    try:
        first = Path(f"/proc/{pid}/net/sockstat").read_text().splitlines()[0]
    except OSError:  # it has ended since
        return 0
    return int(first.removeprefix("sockets: used "))


def names(pid: int, folders: Iterable[str]) -> int:
    """Files and folders in the file systems that `folders` are to a process."""
    found = 0
    for folder in folders:
        with contextlib.suppress(OSError):  # it has ended since
            told = os.statvfs(f"/proc/{pid}/root{folder}")
            found += told.f_files - told.f_ffree
    return found


def _whole(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:  # it has ended since
        return 0


def _in_part(process: psutil.Process) -> int:
    """Bytes of memory; what several processes share counts for each of them in part."""
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:  # it hides; then all of it counts
        return _whole(process)
    except psutil.NoSuchProcess:
        return 0


def _nameless(pid: int) -> Iterator[int]:
    """Bytes of open files that no folder holds, in memory or not, and no limit of one bounds."""
    with contextlib.suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                name = os.readlink(file)  # noqa: PTH115 (a link to no path)
                if name.startswith("/memfd:") or name.endswith(" (deleted)"):
                    yield file.stat().st_blocks * 512
