"""How much memory a process takes, in whatever way it takes it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import psutil


def used_by(process: psutil.Process) -> int:
    """Bytes of memory; what several processes share counts for each of them in part."""
    try:
        mapped = int(process.memory_full_info().pss)
    except psutil.AccessDenied:  # it hides; then all of it counts
        mapped = int(process.memory_info().rss)
    return mapped + sum(_nameless(process.pid))


def _nameless(pid: int) -> Iterator[int]:
    """Bytes of files in memory that no folder holds, and no limit of a folder bounds."""
    with contextlib.suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(file).startswith("/memfd:"):  # noqa: PTH115 (a link to no path)
                    yield file.stat().st_blocks * 512
