"""What goes with a notebook: a learner's own modules and small data files beside it."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

from helpers.course.intake.people import BYTES as NAME
from helpers.course.settings import CourseError

FILES, BYTES = 50, 2 * 2**20  # that go with one notebook
COPIED = 32 * 2**20  # bytes of a person's, of which these are chosen
NEVER = {"helpers", "helpers.py", "__pycache__"}  # the course's own, and what Python leaves
UNREAD = (".html", ".htm", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")  # by any code


class Companion(NamedTuple):
    """A file that may go with a notebook: when and where it came, and its copy, if one was made.

    Args:
        order: the largest of one name counts. archive: number of the one that it is in, or 0.
        digest: empty where there is no copy.
    """

    order: tuple[float, float]
    archive: int
    parts: tuple[str, ...]
    path: Path
    digest: str
    size: int


class Companions:
    """All such files of one person; copied to numbers in `target`."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.found: list[Companion] = []
        self.room = COPIED
        self.used: set[Path] = set()

    def take(
        self,
        parts: tuple[str, ...],
        archive: int,
        order: tuple[float, float],
        size: int,
        opened: Callable[[], IO[bytes]],
        copied: Callable[[IO[bytes], IO[bytes]], str],
    ) -> None:
        """Copy a file, if it is not too much; `copied` does so and returns the digest."""
        path, digest = self.target / f"{len(self.found)}.file", ""
        if size <= min(BYTES, self.room):
            self.room -= size
            try:
                with opened() as file, path.open("wb") as copy:
                    digest = copied(file, copy)
            except Exception as error:  # whatever is wrong with it, a notebook may do without
                if concerns_all(error):
                    raise
        self.found.append(Companion(order, archive, parts, path, digest, size))

    def of(self, above: tuple[str, ...], archive: int) -> tuple[dict[str, Companion], str]:
        """Return what goes with a notebook, by name, and in words what is left out.

        Args:
            above: the folders that the notebook is in.
        """
        mine: dict[str, Companion] = {}
        for each in sorted(self.found, key=lambda each: each.order):
            if each.archive == archive and each.parts[: len(above)] == above:
                mine["/".join(each.parts[len(above) :])] = each
        files: dict[str, Companion] = {}
        left, size = [], 0
        for name, each in sorted(mine.items(), key=lambda item: (item[0][-3:] != ".py", item[0])):
            fits = len(files) < FILES and size + each.size <= BYTES and bool(each.digest)
            if fits and _is_usual(name) and not any(_in_the_way(name, other) for other in files):
                files[name], size = each, size + each.size
            else:
                left.append(name)
        self.used |= {each.path for each in files.values()}
        what = f"at most {FILES} files, {BYTES >> 20} MB, with usual names"
        named = ", ".join(left[:3]) + f" and {len(left) - 3} more" * (len(left) > 3)
        return files, f"left out of what goes with it ({what}): {named}" if left else ""

    def remove_unused(self) -> None:
        """Remove the copies that go with no notebook."""
        for path in {each.path for each in self.found} - self.used:
            path.unlink(missing_ok=True)

    @staticmethod
    def digest(notebook: str, files: dict[str, Companion]) -> str:
        """Return the digest of a notebook with what goes with it."""
        if not files:
            return notebook
        of_files = sorted((name, each.digest) for name, each in files.items())
        return hashlib.sha256(repr((notebook, of_files)).encode()).hexdigest()


def _is_usual(name: str) -> bool:
    """Return whether the name can be written on any disk."""
    return name.isprintable() and len(name.encode()) <= NAME


def _in_the_way(name: str, other: str) -> bool:
    """Return whether one of the names would be a file's and a folder's."""
    return f"{name}/".startswith(f"{other}/") or f"{other}/".startswith(f"{name}/")


def concerns_all(error: Exception) -> bool:
    """Return whether it is more than something wrong with one file: a limit, or a full disk."""
    limit = isinstance(error, CourseError | MemoryError)
    return limit or getattr(error, "errno", None) == errno.ENOSPC
