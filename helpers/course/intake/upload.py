"""All that one person handed in, as one flat list of copies; archives in it are opened too.

No name that a learner chose becomes the name of a file: each is copied to a number.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from helpers.course.intake import tree
from helpers.course.intake.notebook_file import LARGEST
from helpers.course.intake.tree import NOTEBOOK, File, Item, Parts
from helpers.course.settings import CourseError

DEPTH = 3  # archives within archives; some hold themselves
CHUNK = 2**20
BESIDE = 2 * 2**20  # bytes of a file that goes with a notebook


@dataclass(frozen=True)
class Limits:
    """For everything together that one person handed in, archives within archives included.

    Args:
        seconds: to look through it, and to repair a notebook of it. memory: bytes for that.
        unpacked: bytes. files: in folders and archives. notebooks: among them.
    """

    seconds: float = 60
    memory: int = 2 * 2**30
    unpacked: int = 512 * 2**20
    files: int = 20_000
    notebooks: int = 200


class Upload:
    """Copies of all that one person handed in.

    Args:
        target: folder for them, which is there.

    Attributes:
        files: all of them. folders: their paths. problems: what is wrong with some, in words.
    """

    def __init__(self, target: Path, limits: Limits) -> None:
        self.target, self.limits = target, limits
        self.files: list[File] = []
        self.folders: list[Parts] = []
        self.problems: list[str] = []
        self._entries = self._bytes = self._archives = 0

    def add(self, file: File, depth: int = 0) -> None:
        """Copy a file, or all that is in an archive.

        Raises:
            CourseError: it is too much.
        """
        self._entries += 1
        if self._entries > self.limits.files:
            raise CourseError(f"more than {self.limits.files:,} files")
        if file.is_folder:
            self.folders.append(file.parts)
        elif not file.is_file:
            self.folders.append(file.parts[:-1])
            self.problems.append(f"{file.name} is a link or the like, and was not opened")
        else:
            try:
                self._add(file, depth)
            except Exception as error:  # whatever is wrong with one of a learner's files
                limit = isinstance(error, CourseError | MemoryError)
                if limit or getattr(error, "errno", None) == errno.ENOSPC:
                    raise
                self.problems.append(f"{file.name} cannot be read: {error}")

    def _add(self, file: File, depth: int) -> None:
        is_zip = file.name.lower().endswith(".zip")
        if is_zip or file.size <= (LARGEST if file.is_notebook else BESIDE):
            file = self._copied(file)
        if file.copy and (is_zip or (file.is_notebook and _holds_notebooks(file.copy))):
            with file.copy.open("rb") as copy:
                file.copy.unlink()
                self._unpack(copy, file, depth + 1)
            return
        self.files.append(file)
        if file.is_notebook and sum(e.is_notebook for e in self.files) > self.limits.notebooks:
            raise CourseError(f"more than {self.limits.notebooks} notebooks")

    def _unpack(self, copy: IO[bytes], file: File, depth: int) -> None:
        if depth > DEPTH:
            raise ValueError(f"archives more than {DEPTH} deep in archives")
        self._archives += 1
        number = self._archives
        with zipfile.ZipFile(copy) as opened:
            for key, member in enumerate(opened.infolist()):
                if tree.is_work(parts := tree.split(tree.path_of(member))):
                    parts = (*file.parts[:-1], *parts)
                    item = Item(key, parts, True, file.order[0], file.return_as)
                    self.add(replace(tree.in_zip(opened, item), archive=number), depth)

    def _copied(self, file: File) -> File:
        """Copy a file; all that is copied counts, and no more is than may be."""
        digest = hashlib.sha256()
        path = self.target / f"{self._entries}"
        try:
            with file.open() as opened, path.open("wb") as copy:
                while chunk := opened.read(CHUNK):
                    self._bytes += len(chunk)
                    if self._bytes > self.limits.unpacked:
                        raise CourseError(f"more than {self.limits.unpacked >> 20} MB, unpacked")
                    digest.update(chunk)
                    copy.write(chunk)
        except Exception:
            path.unlink(missing_ok=True)
            raise
        return replace(file, copy=path, digest=digest.hexdigest())


def _holds_notebooks(path: Path) -> bool:
    """Return whether a file is an archive of notebooks, whatever it is called."""
    with contextlib.suppress(Exception):  # whatever it is instead
        if path.open("rb").read(2) == b"PK":
            with zipfile.ZipFile(path) as opened:
                return any(map(NOTEBOOK.search, opened.namelist()))
    return False
