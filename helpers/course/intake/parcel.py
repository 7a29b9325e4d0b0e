"""What one person handed in: opened, unpacked and told apart by unit; nothing of it is executed.

It runs in a process of its own (`reader`). No name that a learner chose becomes the name of a file:
each notebook is copied to a number. Links, pipes, sockets and devices are not opened.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from helpers.course.intake import repair, times
from helpers.course.intake.people import NOTEBOOK, is_work, without_ending
from helpers.course.settings import CourseError

DEPTH = 3  # archives within archives; some hold themselves
FOLDERS = 50  # one in the other, on the disk
CHUNK = 2**20
NAMED = 3  # files that a row names


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


class Found(NamedTuple):
    """A notebook: when and where it came, its unit or "", its copy, and what to say of it."""

    order: tuple[float, float, int]
    parts: tuple[str, ...]
    unit: str
    path: str
    digest: str
    notes: list[str]
    problem: str
    return_as: str


class Parcel:
    """Reads all that one person handed in.

    Args:
        target: folder for the copies, which is there. units: of the course.
        guess: the unit of a notebook from what is in it; empty where it cannot tell.
    """

    def __init__(
        self, target: Path, units: list[str], guess: Callable[[bytes], str], limits: Limits
    ) -> None:
        self.target, self.units, self.guess, self.limits = target, units, guess, limits
        self.files = self.bytes = 0
        self.order, self.return_as = 0.0, ""
        self.found: list[Found] = []
        self.problems: list[str] = []
        self.others: dict[str, list[str]] = {}  # by unit, what is of no use
        self.times: dict[tuple[str, ...], bytes] = {}

    def take(
        self, place: str, parts: list[str], members: list[int] | None, order: float, return_as: str
    ) -> None:
        """Look through one of the things handed in; arguments as of `people.Source`.

        Raises:
            CourseError: it is too much.
        """
        self.order, self.return_as = order, return_as
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
        """The newest notebook of each unit; where there is none, why."""
        tries: dict[str, list[Found]] = {}
        for each in self.found:
            tries.setdefault(each.unit, []).append(each)
        for unit, several in tries.items():
            last = max(several, key=lambda each: each.order)
            path = last.parts
            notes = [*last.notes, *self.problems[:NAMED]]
            if len(several) > 1:
                notes.insert(0, f"the newest of {len(several)} notebooks: {path[-1]}")
            # Where a platform named it, that tells when; in its folder all is the learner's own.
            said = b"" if last.return_as else self.times.get(path[:-1], b"")
            when, odd = times.of_nbgrader(said)
            row = {"unit": unit, "path": last.path, "digest": last.digest, "when": when}
            row |= {"problem": last.problem, "return_as": last.return_as}
            yield row | {"notes": notes + odd}
        for unit in (self.others.keys() - tries - {""}) or ({""} if not tries else ()):
            names = self.others.get(unit)
            nothing = f"no notebook, but {_some(names)}" if names else "no notebook in the folder"
            yield {"unit": unit, "problem": "; ".join(self.problems[:NAMED]) or nothing}

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
        self._unit_of(parts)
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
            self.problems.append(f"{parts[-1]}: archives more than {DEPTH} deep in archives")
            return
        try:
            with zipfile.ZipFile(file) as opened:
                self._members(opened, opened.infolist(), parts[:-1], depth)
        except (CourseError, MemoryError):
            raise
        except Exception as error:  # whatever is wrong with one learner's archive
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise  # not this learner's doing
            self.problems.append(f"{parts[-1]} cannot be unpacked: {error}")

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
            path = re.split(r"[/\\]+", each.filename)
            inside = tuple(part for part in path if part not in ("", ".", ".."))
            if not inside or not all(map(is_work, inside[hidden:])):
                continue
            parts = (*before, *inside)
            mode = each.external_attr >> 16
            if each.is_dir():
                self._unit_of(parts)
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
                    self.times[parts[:-1]] = file.read(times.LONGEST + 1)
        elif NOTEBOOK.search(name):
            self._notebook(parts, changed, size, opened)
        elif name.lower().endswith(".zip"):
            with opened() as file:
                if isinstance(file, zipfile.ZipExtFile):
                    # To go back and forth in it would be to unpack it again and again.
                    with tempfile.TemporaryFile(dir=self.target) as whole:
                        self._copied(file, whole)
                        self._archive(parts, whole, depth + 1)
                else:
                    self._archive(parts, file, depth + 1)
        elif not name.endswith(".html"):  # a platform's own list, or what somebody typed there
            self.others.setdefault(self._unit_of(parts[:-1]), []).append(name)

    def _notebook(
        self, parts: tuple[str, ...], changed: float, size: int, opened: Callable[[], IO[bytes]]
    ) -> None:
        if len(self.found) >= self.limits.notebooks:
            raise CourseError(f"more than {self.limits.notebooks} notebooks")
        path, problem, digest = self.target / f"{len(self.found)}.ipynb", "", ""
        if size > repair.LARGEST:
            allowed = repair.LARGEST >> 20
            problem = f"the file has {size / 2**20:.0f} MB; {allowed} are allowed"
        else:
            with opened() as file, path.open("wb") as copy:
                digest = self._copied(file, copy)
        try:
            unit, notes = self._told(parts, path if digest else None)
            if not unit and not problem:
                problem = f"{parts[-1]}: neither its name nor its cells are those of a unit"
        except CourseError as error:
            unit, notes, problem = "", [], f"{parts[-1]}: {error}"
        order = (self.order, changed, len(self.found))
        told = (order, parts, unit, str(path), digest, notes, problem, self.return_as)
        self.found.append(Found(*told))

    def _told(self, parts: tuple[str, ...], path: Path | None) -> tuple[str, list[str]]:
        """The unit of a notebook, by folder, name or cells; what to say where it has no such name.

        Raises:
            CourseError: only its cells could tell, and it cannot be read.
        """
        stem, notes = without_ending(parts[-1]), [f"handed in as {parts[-1]}"]
        if unit := self._unit_of(parts[:-1]):
            return unit, notes if unit != stem else []
        if unit := next((each for each in self.units if each in stem), ""):
            return unit, []
        unit = self.guess(path.read_bytes()) if path else ""
        return unit, [f"{notes[0]}, told by its cells"] if unit else []

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
        self._unit_of(parts)
        self.problems.append(f"{parts[-1]} {why}, and was not opened")

    def _unit_of(self, parts: tuple[str, ...]) -> str:
        """The unit that a path names; it is noted that there is something of it."""
        unit = next((each for each in reversed(parts) if each in self.units), "")
        if unit:
            self.others.setdefault(unit, [])
        return unit


def _regular(above: int, name: str) -> IO[bytes]:
    """A file, opened unless it has become something else in the meantime."""
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=above)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise CourseError(f"{name} is no file of its own")
    return os.fdopen(file, "rb")


@lru_cache(maxsize=1)
def _platforms(place: str) -> zipfile.ZipFile:
    """The platform's own archive, opened once for all learners."""
    return zipfile.ZipFile(place)


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + f" and {len(names) - NAMED} more" * (len(names) > NAMED)
