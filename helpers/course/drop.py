"""Where root runs a program that meets learners' work, it belongs to nobody, not to root.

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
    """What stands before a command that is to see `paths`; nothing where no right is to be lost.

    Args:
        reads: it may read any file besides, where the system passes that right on.
    """
    if os.geteuid() != 0 and (reads or not _holds("CapAmb")):
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
    if os.geteuid() == 0:
        _leave_root(view)
    else:
        _keep()
    os.execvp(command[0], command)


def _leave_root(view: dict[str, Any]) -> None:
    reads = view["reads"] and may_read()
    if view["folders"]:
        folder = Path.cwd()
        try:
            _show(view["folders"], view["paths"])
        except OSError as error:
            if not reads:
                sys.exit(
                    f"root cannot show {', '.join(view['paths'])} to an unprivileged user "
                    f"({error}): grade as an ordinary user instead, or keep the course where "
                    "everybody may enter"
                )
        with suppress(OSError):  # into what is shown there now
            os.chdir(folder)
    if reads:
        _call("prctl", PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    if reads:
        _keep(CAP_DAC_READ_SEARCH)


def may_read() -> bool:
    """Whether the right to read any file can be passed on; a container's root often lacks it."""
    return _holds("CapPrm")


def _holds(kind: str) -> bool:
    """Whether this process may read any file; `kind` is a set of rights, as /proc calls it."""
    with suppress(FileNotFoundError):  # a system without Linux' rights
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        held = re.search(rf"{kind}:\s*(\w+)", status)
        return bool(held and int(held[1], 16) >> CAP_DAC_READ_SEARCH & 1)
    return False


def _keep(*kept: int) -> None:
    """Of all rights no more than these, for the command as well."""
    header = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    bits = sum(1 << each for each in kept)
    rights = (ctypes.c_uint32 * 6)(*[bits] * 3)  # effective, permitted, inheritable
    _call("capset", header, rights)
    for each in kept:
        _call("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, each, 0, 0)


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
