"""How much memory processes take, in whatever way they take it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil


def use_more(processes: Sequence[psutil.Process], limit: int) -> bool:
    """Whether `processes` together use more than `limit` bytes.

    What several of them share counts once. To find out what is shared takes the system 8 ms a
    process, so it is asked only where they might be beyond the limit.
    """
    nameless = sum(sum(_nameless(each.pid)) for each in processes)
    if sum(each.memory_info().rss for each in processes) + nameless <= limit:
        return False
    return sum(map(_in_part, processes)) + nameless > limit


def _in_part(process: psutil.Process) -> int:
    """Bytes of memory; what several processes share counts for each of them in part."""
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:  # it hides; then all of it counts
        return int(process.memory_info().rss)


def _nameless(pid: int) -> Iterator[int]:
    """Bytes of files in memory that no folder holds, and no limit of a folder bounds."""
    with contextlib.suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(file).startswith("/memfd:"):  # noqa: PTH115 (a link to no path)
                    yield file.stat().st_blocks * 512
