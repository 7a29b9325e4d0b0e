"""What one person handed in: opened, unpacked and told apart by unit; nothing of it is executed.

It runs in a process of its own (`reader`). No name that a learner chose becomes the name of a file:
each is copied to a number. Links, pipes, sockets and devices are not opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

from helpers.course.intake import times
from helpers.course.intake.archive_names import is_work, path_of, split
from helpers.course.intake.candidates import Came, Candidates
from helpers.course.intake.companions import NEVER, UNREAD, Companions, concerns_all
from helpers.course.intake.notebook_file import LARGEST
from helpers.course.intake.people import NOTEBOOK, own
from helpers.course.settings import CourseError

DEPTH = 3  # archives within archives; some hold themselves
FOLDERS = 50  # one in the other, on the disk
CHUNK = 2**20
# What a platform lists, or somebody typed there.
PAGES = ("index.html", "onlinetext.html", "_text.html")


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


class Parcel:
    """Reads all that one person handed in.

    Args:
        target: folder for the copies, which is there. units: of the course.
        guess: the unit of a notebook from what is in it and how it is named; either may be "".
            And how many of its exercises are answered.
        zone: of the class, or "".
    """

    def __init__(
        self,
        target: Path,
        units: list[str],
        guess: Callable[[bytes, str], tuple[str, int]],
        limits: Limits,
        zone: str = "",
    ) -> None:
        self.target, self.limits = target, limits
        self.files = self.bytes = self.archives = self.archive = 0
        self.order, self.return_as, self.loose = 0.0, "", False
        self.companions = Companions(target)
        self.candidates = Candidates(units, guess, zone)

    def take(
        self,
        place: str,
        parts: list[str],
        members: list[int] | None,
        order: float,
        return_as: str,
        loose: bool,
    ) -> None:
        """Look through one of the things handed in; arguments as of `people.Source`.

        Raises:
            CourseError: it is too much.
        """
        self.order, self.return_as, self.loose = order, return_as, loose
        if members is not None:
            opened = _platforms(place)
            self._members(opened, [opened.infolist()[n] for n in members], (), 0, hidden=1)
            return
        folder, name = os.path.split(place)
        above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._on_disk(above, name, tuple(parts), 0, tuple(parts))
        finally:
            os.close(above)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what counts of each unit; see `Candidates.rows`."""
        return self.candidates.rows(self.companions)

    def _on_disk(
        self, above: int, name: str, parts: tuple[str, ...], deep: int, below: tuple[str, ...]
    ) -> None:
        """A file or folder in the folder that `above` is open on.

        Args:
            parts: path of the file. below: of what is in it, if it is a folder.
        """
        self._count()
        kind = os.stat(name, dir_fd=above, follow_symlinks=False)
        if stat.S_ISDIR(kind.st_mode):
            self._folder(above, name, below, deep)
        elif not stat.S_ISREG(kind.st_mode):
            self._refuse(parts or (name,), "is a link or the like")
        else:
            opened = partial(_regular, above, name)
            self._file(parts or (name,), kind.st_mtime, kind.st_size, opened, 0)

    def _folder(self, above: int, name: str, parts: tuple[str, ...], deep: int) -> None:
        self.candidates.unit_of(parts)
        if deep > FOLDERS:
            raise CourseError(f"folders more than {FOLDERS} deep in folders")
        here = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
        try:
            with os.scandir(here) as entries:
                names = [each.name for each in entries if is_work(each.name)]
            for each in sorted(names):
                inside = (*parts, each)
                self._on_disk(here, each, inside, deep + 1, inside)
        finally:
            os.close(here)

    def _archive(self, parts: tuple[str, ...], file: IO[bytes], depth: int) -> None:
        """An archive of the learner's; what is wrong with it costs only what is in it."""
        if depth > DEPTH:
            self.candidates.problems.append(
                f"{parts[-1]}: archives more than {DEPTH} deep in archives"
            )
            return
        around, self.archives = self.archive, self.archives + 1
        self.archive = self.archives
        try:
            with zipfile.ZipFile(file) as opened:
                self._members(opened, opened.infolist(), parts[:-1], depth)
        except Exception as error:  # whatever is wrong with one learner's archive
            if concerns_all(error):
                raise
            self.candidates.problems.append(f"{parts[-1]} cannot be unpacked: {error}")
        finally:
            self.archive = around

    def _members(
        self,
        opened: zipfile.ZipFile,
        members: list[zipfile.ZipInfo],
        before: tuple[str, ...],
        depth: int,
        hidden: int = 0,
    ) -> None:
        """Members of an archive; the first `hidden` parts of their paths are of the platform."""
        for each in members:
            self._count()
            path = path_of(each)
            inside = split(path)
            if not inside or not all(map(is_work, inside[hidden:])):
                continue
            parts = (*before, *inside)
            mode = each.external_attr >> 16
            if path.endswith(("/", "\\")):
                self.candidates.unit_of(parts)
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                self._refuse(parts, "is a link or the like")
            else:
                changed = times.of_member(each)
                self._file(parts, changed, each.file_size, partial(opened.open, each), depth)

    def _file(
        self,
        parts: tuple[str, ...],
        changed: float,
        size: int,
        opened: Callable[[], IO[bytes]],
        depth: int,
    ) -> None:
        name = parts[-1]
        if name == "timestamp.txt":
            if depth == 0:  # nbgrader's; in an archive of the learner's it could be anybody's
                with opened() as file:
                    self.candidates.times[parts[:-1]] = file.read(times.LONGEST + 1)
        elif NOTEBOOK.search(name):
            self._notebook(parts, changed, size, opened, depth)
        elif name.lower().endswith(".zip"):
            with opened() as file:
                if isinstance(file, zipfile.ZipExtFile):
                    # To go back and forth in it would be to unpack it again and again.
                    with tempfile.TemporaryFile(dir=self.target) as whole:
                        self._copied(file, whole)
                        self._archive(parts, whole, depth + 1)
                else:
                    self._archive(parts, file, depth + 1)
        elif not name.lower().endswith(PAGES):
            self.candidates.others.setdefault(self.candidates.unit_of(parts[:-1]), []).append(name)
            if not NEVER & {*parts} and not name.lower().endswith(UNREAD):
                of_mine = (*parts[:-1], own(name)) if self.loose and not self.archive else parts
                order = self.order, changed
                self.companions.take(of_mine, self.archive, order, size, opened, self._copied)

    def _notebook(
        self,
        parts: tuple[str, ...],
        changed: float,
        size: int,
        opened: Callable[[], IO[bytes]],
        depth: int,
    ) -> None:
        if len(self.candidates.found) >= self.limits.notebooks:
            raise CourseError(f"more than {self.limits.notebooks} notebooks")
        path, problem, digest = self.target / f"{len(self.candidates.found)}.ipynb", "", ""
        if size > LARGEST:
            allowed = LARGEST >> 20
            problem = f"the file has {size / 2**20:.0f} MB; {allowed} are allowed"
        else:
            with opened() as file, path.open("wb") as copy:
                digest = self._copied(file, copy)
        if digest and _holds_notebooks(path):
            with path.open("rb") as file:
                path.unlink()
                self._archive(parts, file, depth + 1)
            return
        came = Came(self.order, changed, self.archive, self.return_as)
        self.candidates.add(parts, path, digest, problem, came)

    def _copied(self, file: IO[bytes], copy: IO[bytes]) -> str:
        """The digest of what was copied; all that is copied counts, and no more is than may be."""
        digest = hashlib.sha256()
        while chunk := file.read(CHUNK):
            self.bytes += len(chunk)
            if self.bytes > self.limits.unpacked:
                raise CourseError(f"more than {self.limits.unpacked >> 20} MB, unpacked")
            digest.update(chunk)
            copy.write(chunk)
        return digest.hexdigest()

    def _count(self) -> None:
        self.files += 1
        if self.files > self.limits.files:
            raise CourseError(f"more than {self.limits.files:,} files")

    def _refuse(self, parts: tuple[str, ...], why: str) -> None:
        self.candidates.unit_of(parts)
        self.candidates.problems.append(f"{parts[-1]} {why}, and was not opened")


def _regular(above: int, name: str) -> IO[bytes]:
    """A file, opened unless it has become something else in the meantime."""
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=above)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise CourseError(f"{name} is no file of its own")
    return os.fdopen(file, "rb")


def _holds_notebooks(path: Path) -> bool:
    """Return whether a file is an archive of notebooks, whatever it is called."""
    with path.open("rb") as file, contextlib.suppress(Exception):  # whatever it is instead
        if file.read(2) == b"PK":
            with zipfile.ZipFile(file) as opened:
                return any(map(NOTEBOOK.search, opened.namelist()))
    return False


@lru_cache(maxsize=1)
def _platforms(place: str) -> zipfile.ZipFile:
    """The platform's own archive, opened once for all learners."""
    return zipfile.ZipFile(place)
