"""Where grading runs as root: a sandbox that belongs to nobody, so that it is not root outside.

Inside a namespace of its own a learner's code would else be the owner of root's files: of
/proc/sys, of the machine's devices. As a program, this file gives up all rights and becomes the
command that it is given:

    drop.py FOLDERS PATHS COMMAND…

Folders that only root may enter are hidden first, in a view of the files that ends with the
command; of what is below, only PATHS are shown. Both are lists in JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

NOBODY = 65534  # Linux' own number for it (/proc/sys/kernel/overflowuid)
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 4096, 16384, 1 << 18


def words(paths: Iterable[str]) -> list[str]:
    """What stands before a command that is to see `paths`; nothing where nobody is root."""
    if os.geteuid() != 0:
        return []
    there = [Path(path) for path in paths if Path(path).exists()]
    named = sorted({*there, *(path.resolve() for path in there)})  # links are followed later
    closed = {str(path): folder for path in named if (folder := _closed(path))}
    places = [json.dumps(sorted(set(each))) for each in (closed.values(), closed)]
    return [sys.executable, "-ISB", __file__, *places]


def _closed(path: Path) -> str:
    """The highest folder on the way to `path` that others may not enter; empty if there is none."""
    return next((str(each) for each in [*path.parents][::-1] if not each.stat().st_mode & 1), "")


def _main(folders: list[str], paths: list[str], command: list[str]) -> None:
    if folders:
        try:
            _show(folders, paths)
        except OSError as error:
            sys.exit(
                f"root cannot show {', '.join(paths)} to an unprivileged user ({error}): grade as "
                "an ordinary user instead, or keep the course where everybody may enter"
            )
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.execvp(command[0], command)


def _show(folders: list[str], paths: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)

    def call(name: str, *arguments: bytes | int | None) -> None:
        if getattr(libc, name)(*arguments) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    call("unshare", CLONE_NEWNS)
    call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)  # nobody outside sees what follows
    held = {path: os.open(path, os.O_PATH) for path in paths}
    for folder in folders:
        call("mount", b"none", os.fsencode(folder), b"tmpfs", 0, b"mode=755")
    for path, file in held.items():
        source = Path(f"/proc/self/fd/{file}")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # it is in a folder that is shown already
            Path(path).mkdir() if source.is_dir() else Path(path).touch(exist_ok=False)
        call("mount", bytes(source), os.fsencode(path), None, MS_BIND | MS_REC, None)


if __name__ == "__main__":
    os.umask(0o022)
    _main(json.loads(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:])
