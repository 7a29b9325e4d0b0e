"""Where root runs a command on a graded class, nobody goes on with it."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from helpers.course import drop
from helpers.course.grading.journal import LOCK
from helpers.course.sandbox import bubblewrap, cgroup
from helpers.course.settings import CourseError

HOME = ".home"  # in OUT: what Jupyter and matplotlib keep


def restart(out: Path, seen: Iterable[Path], reads: bool) -> None:
    """Begin this program again as nobody, who owns OUT from now on.

    Args:
        out: a folder of `course grade`, or an empty one.
        seen: what it is to see besides, where only root may go.
        reads: it may read any file, as root may.

    Raises:
        CourseError: OUT holds what grading has not written, so it is not given away.
    """
    if any(out.iterdir()) and not (out / LOCK).exists():
        raise CourseError(
            f"{out} holds files that `course grade` has not written, and root would give all of "
            "them to nobody, who goes on from here: name a new folder, or grade as a user"
        )
    _give(out)
    cgroup.give(drop.NOBODY)
    for name in [each for each in os.environ if each.startswith("XDG_")]:
        del os.environ[name]
    os.environ |= {"HOME": str(out.absolute() / HOME), "USER": "nobody", "LOGNAME": "nobody"}
    here = (str(each.absolute()) for each in (out, *seen, bubblewrap.LIBRARY))
    words = drop.words([*bubblewrap.shown(), *here], reads)
    os.execv(words[0], [*words, sys.executable, *sys.orig_argv[1:]])


def _give(out: Path) -> None:
    """Nobody becomes the owner of what is root's in OUT, and of a home in it."""
    if out.stat().st_uid != drop.NOBODY:
        print(f"started by root, so nobody goes on, who owns {out} from now on", file=sys.stderr)
    if not os.path.lexists(out / HOME):
        fonts = out / HOME / ".cache" / "matplotlib"
        fonts.mkdir(parents=True)
        for each in bubblewrap.fonts():
            shutil.copy(each, fonts)
    for _, folders, files, at in os.fwalk(out):  # it follows no links
        for name in (*folders, *files):
            told = os.stat(name, dir_fd=at, follow_symlinks=False)
            if told.st_uid == 0 and (stat.S_ISDIR(told.st_mode) or told.st_nlink == 1):
                os.chown(name, drop.NOBODY, drop.NOBODY, dir_fd=at, follow_symlinks=False)
    drop.give(out)
