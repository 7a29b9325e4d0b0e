"""Where grading runs as root: what meets learners' work belongs to nobody, not to root.

Inside a namespace of its own a learner's code would else be the owner of root's files: of
/proc/sys, of the machine's devices. As a program, this file gives up all rights and becomes the
command that it is given:

    drop.py VIEW COMMAND…

VIEW is JSON. Folders that only root may enter (`folders`) are hidden first, in a view of the files
that ends with the command; of what is below, only `paths` are shown. With `reads`, the command may
read any file, as root may, where the system lets that right be passed on; it may change none.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

NOBODY = 65534  # Linux' own number for it (/proc/sys/kernel/overflowuid)
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 4096, 16384, 1 << 18
PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 8, 47, 2
CAP_DAC_READ_SEARCH, CAPABILITIES = 2, 0x20080522  # the version of their numbers


def words(paths: Iterable[str], reads: bool = False) -> list[str]:
    """What stands before a command that is to see `paths`; nothing where nobody is root.

    Args:
        reads: it may read any file besides, where the system passes that right on.
    """
    if os.geteuid() != 0:
        return []
    there = [Path(path) for path in paths if Path(path).exists()]
    named = sorted({*there, *(path.resolve() for path in there)})  # links are followed later
    closed = {str(path): folder for path in named if (folder := _closed(path))}
    view = {"folders": sorted({*closed.values()}), "paths": sorted(closed), "reads": reads}
    return [sys.executable, "-ISB", __file__, json.dumps(view)]


def give(folder: Path | str) -> None:
    """Let such a command write in a folder of root's."""
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)


def _closed(path: Path) -> str:
    """The highest folder on the way to `path` that nobody may enter; empty if there is none."""
    return next((str(each) for each in [*path.parents][::-1] if not _open(each.stat())), "")


def _open(folder: os.stat_result) -> bool:
    return bool(folder.st_mode & (0o100 if folder.st_uid == NOBODY else 1))


def _main(view: dict[str, Any], command: list[str]) -> None:
    reads = view["reads"] and may_read()
    if view["folders"] and not reads:
        try:
            _show(view["folders"], view["paths"])
        except OSError as error:
            sys.exit(
                f"root cannot show {', '.join(view['paths'])} to an unprivileged user ({error}): "
                "grade as an ordinary user instead, or keep the course where everybody may enter"
            )
    if reads:
        _call("prctl", PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    if reads:
        _keep(CAP_DAC_READ_SEARCH)
    os.execvp(command[0], command)


def may_read() -> bool:
    """Whether the right to read any file can be passed on; a container's root often lacks it."""
    held = re.search(r"CapPrm:\s*(\w+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    return bool(held and int(held[1], 16) >> CAP_DAC_READ_SEARCH & 1)


def _keep(right: int) -> None:
    """Of root's rights no more than this one, for the command as well."""
    header = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    rights = (ctypes.c_uint32 * 6)(*[1 << right] * 3)  # effective, permitted, inheritable
    _call("capset", header, rights)
    _call("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, right, 0, 0)


def _call(name: str, *arguments: object) -> None:
    """A function of the C library, or the error that it says."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _show(folders: list[str], paths: list[str]) -> None:
    _call("unshare", CLONE_NEWNS)
    _call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)  # nobody outside sees what follows
    held = {path: os.open(path, os.O_PATH) for path in paths}
    for folder in folders:
        _call("mount", b"none", os.fsencode(folder), b"tmpfs", 0, b"mode=755")
    for path, file in held.items():
        source = Path(f"/proc/self/fd/{file}")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # it is in a folder that is shown already
            Path(path).mkdir() if source.is_dir() else Path(path).touch(exist_ok=False)
        _call("mount", bytes(source), os.fsencode(path), None, MS_BIND | MS_REC, None)


if __name__ == "__main__":
    os.umask(0o022)
    _main(json.loads(sys.argv[1]), sys.argv[2:])
