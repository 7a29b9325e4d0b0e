"""How much memory processes take, in whatever way they take it, and what else nobody counts."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import psutil

KCMP, KCMP_FILES = {"x86_64": 312, "aarch64": 272}, 2  # whether two threads have the same files


def use_more(processes: Sequence[psutil.Process], limit: int) -> bool:
    """Whether `processes` together use more than `limit` bytes.

    What several of them share counts once. To find out what is shared takes the system 8 ms a
    process, so it is asked only where they might be beyond the limit.
    """
    beside = sum(sum(_nameless(each.pid)) + _tables(each.pid) for each in processes)
    if sum(map(_whole, processes)) + beside <= limit:
        return False
    return sum(map(_in_part, processes)) + beside > limit


def watches(processes: Iterable[psutil.Process], limit: int) -> int:
    """How often processes have asked Linux to watch a file, as far as a little beyond `limit`.

    Of these Linux counts all of a user, and a file counts anew under each number that it has had.
    """
    found = 0
    for process in processes:
        for task in _with_files(process.pid):
            for file, name in _files(task):
                if name == "anon_inode:[eventpoll]" and found <= limit:
                    with contextlib.suppress(OSError), (task / "fdinfo" / file).open() as told:
                        found += sum(1 for _ in islice(told, limit + 10)) - 3  # lines about itself
    return found


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


def hide(processes: Iterable[psutil.Process]) -> bool:
    """Whether one of them lets nobody see what it has open; one that has ended does so, too."""
    return any(_closed(task) for process in processes for task in _with_files(process.pid))


def _closed(task: Path) -> bool:
    with contextlib.suppress(OSError):
        try:
            os.listdir(task / "fd")  # noqa: PTH208 (names alone)
        except PermissionError:
            return (task / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def _nameless(pid: int) -> Iterator[int]:
    """Bytes of open files that no folder holds, in memory or not, and no limit of one bounds."""
    for task in _with_files(pid):
        for file, name in _files(task):
            if name.startswith("/memfd:") or name.endswith(" (deleted)"):
                with contextlib.suppress(OSError):
                    yield (task / "fd" / file).stat().st_blocks * 512


def _files(task: Path) -> Iterator[tuple[str, str]]:
    """The open files of a thread, by number, and what Linux calls each."""
    with contextlib.suppress(OSError):  # it has ended since
        for file in os.listdir(task / "fd"):  # noqa: PTH208 (names alone)
            with contextlib.suppress(OSError):
                yield file, os.readlink(task / "fd" / file)  # noqa: PTH115 (a link to no path)


def _with_files(pid: int) -> Iterator[Path]:
    """The first thread of a process, and those that do not have the same open files as it."""
    tasks = Path(f"/proc/{pid}/task")
    with contextlib.suppress(OSError):
        for thread in map(int, os.listdir(tasks)):  # noqa: PTH208 (names alone)
            if thread == pid or not _same_files(pid, thread):
                yield tasks / str(thread)


def _same_files(one: int, other: int) -> bool:
    number = KCMP.get(platform.machine(), 0)
    return bool(number) and ctypes.CDLL(None).syscall(number, one, other, KCMP_FILES, 0, 0) == 0


def _tables(pid: int) -> int:
    """Bytes that Linux needs to know where the process's memory is: much, if it touches little."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.split("VmPTE:", 1)[1].split(None, 1)[0]) * 1024
    return 0
