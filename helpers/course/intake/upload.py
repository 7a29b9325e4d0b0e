"""What a folder or a zip holds, and copies of all that one person handed in.

No name that a learner chose becomes the name of a file: each is copied to a number.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, NoReturn

from helpers.course.intake.notebook_file import LARGEST
from helpers.course.settings import CourseError

# Some browsers and mail programs add an ending.
NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?\Z", re.IGNORECASE)
CHUNK = 2**20
# For everything together that one person handed in; an archive's list of files is read as a whole.
ARCHIVE, UNPACKED = 64 * 2**20, 512 * 2**20  # bytes of one, and of all files
FILES, NOTEBOOKS = 20_000, 100  # in folders and archives
BESIDE = 2 * 2**20  # bytes of a file that goes with a notebook
ENTRY = b"PK\1\2"  # each in the list of a zip's files begins with it
UTF_8 = 0x800  # flag of a zip's member: that is how its name is written
# Of these zipfile unpacks a chunk at a time; of the others all that the chunk holds, gigabytes.
COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
Parts = tuple[str, ...]  # of a path


@dataclass(frozen=True)
class File:
    """A file or folder in a folder or zip; what is neither is a link or the like.

    Args:
        parts: of its path, from its owner's folder on.
        open: opens a file; None where it is none, and once it has been copied or left out.
        order: larger for what came later, by the platform, then by the file itself.
        size: in bytes. return_as: as of `Submission`.
        archive: number of the person's archive that it is in, or 0; paths count within one.
        copy: None where it is too large to be copied, or not yet. digest: of that.
    """

    parts: Parts
    open: Callable[[], IO[bytes]] | None
    is_folder: bool
    size: int
    order: tuple[float, float]
    return_as: str = ""
    archive: int = 0
    copy: Path | None = None
    digest: str = ""

    @property
    def name(self) -> str:
        """Its own name; a person's whole folder may be a link and has none here."""
        return self.parts[-1] if self.parts else "it"

    @property
    def is_notebook(self) -> bool:
        """Whether it is called one."""
        return bool(NOTEBOOK.search(self.name))


def listed(place: Path) -> list[File]:
    """Return everything in a folder or zip but what systems and editors leave there.

    Raises:
        CourseError: it is neither.
    """
    if place.is_dir():
        return sorted(_in_folder(place), key=lambda each: each.parts)
    if not place.exists():
        raise CourseError(f"{place} is neither a folder nor a zip")
    try:
        return _in_zip(zipfile.ZipFile(place))  # which is open while one of its files is known
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise CourseError(f"{place} cannot be unpacked: {error}") from error


def _in_folder(place: Path) -> list[File]:
    found = []
    waiting: list[Parts] = [()]
    while waiting:
        here = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(place.joinpath(*here)) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # it may be gone, or one may not ask
                    parts, kind = (*here, entry.name), entry.stat(follow_symlinks=False)
                    is_folder, order = stat.S_ISDIR(kind.st_mode), (0.0, kind.st_mtime)
                    opens = partial(_open, entry.path) if stat.S_ISREG(kind.st_mode) else None
                    if _is_work(parts):
                        found.append(File(parts, opens, is_folder, kind.st_size, order))
                        waiting += [parts] * is_folder
    return found


def _open(path: str) -> IO[bytes]:
    """Open a file of the disk, which may have become a link meanwhile."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _in_zip(archive: zipfile.ZipFile, of_class: bool = True) -> list[File]:
    found = []
    for member in archive.infolist():
        # What would lead out of the archive is left out.
        path = _path(member)
        parts = tuple(e for e in path.split("/") if e not in ("", ".", ".."))
        kind, time = stat.S_IFMT(member.external_attr >> 16), 0.0
        with contextlib.suppress(ValueError, OverflowError):
            time = datetime(*member.date_time).timestamp()
        is_folder = path.endswith("/")
        is_file = not is_folder and kind in (0, stat.S_IFREG)
        known = of_class or member.compress_type in COMPRESSIONS
        opens = partial(archive.open, member) if known else _refuse
        if _is_work(parts):
            size = member.file_size
            found.append(File(parts, opens if is_file else None, is_folder, size, (0.0, time)))
    return found


def _refuse() -> NoReturn:
    raise ValueError("it is compressed as few programs do: make the zip with another one")


def _is_work(parts: Parts) -> bool:
    """Return whether it is more than what an operating system or an editor leaves."""
    return bool(parts) and not any(e.startswith(".") or e == "__MACOSX" for e in parts)


def _path(member: zipfile.ZipInfo) -> str:
    """Return the path of a zip's member; macOS writes UTF-8 and does not say so."""
    path = member.filename
    if not member.flag_bits & UTF_8:
        with contextlib.suppress(UnicodeError):
            path = path.encode("cp437").decode()  # as which zipfile has read it
    return path.replace("\\", "/")  # PowerShell 5 writes the former


@dataclass
class Upload:
    """All that one person handed in.

    Args:
        student: a name that nbgrader can use as a folder, and nobody else's.
        said: the name as it was given. note: what is unusual about it.
        platform_id: the number by which the platform knows the person, where it has one.
        listed: what there is, which grows as it is found.
        files: copies of all of it. folders: paths. problems: what is wrong with some, in words.
    """

    student: str
    said: str
    platform_id: str = ""
    note: str = ""
    listed: list[File] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    folders: list[Parts] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def copy(self, target: Path) -> None:
        """Copy all that is listed, and what is in archives, to a folder that is there.

        Raises:
            CourseError: it is too much.
        """
        self.target = target
        self._entries = self._bytes = self._notebooks = 0
        for file in self.listed:
            self._add(file)

    def _add(self, file: File) -> None:
        """Copy a file, or all that is in an archive; one in that is not opened."""
        self._entries += 1
        if self._entries > FILES:
            raise CourseError(f"more than {FILES:,} files")
        self._notebooks += file.is_notebook
        if self._notebooks > NOTEBOOKS:
            raise CourseError(f"more than {NOTEBOOKS:,} notebooks")
        if file.is_folder:
            self.folders.append(file.parts)
        elif not file.open:
            self.folders.append(file.parts[:-1])
            self.problems.append(f"{file.name} is a link or the like, and was not opened")
        else:
            try:
                if file.name.lower().endswith(".zip") and not file.archive:
                    self._unpack(file)
                elif file.size <= (LARGEST if file.is_notebook else BESIDE):
                    self.files.append(self._copied(file))
                else:
                    self.files.append(replace(file, open=None))  # which would keep its archive
            except Exception as error:  # whatever is wrong with one of a learner's files
                if isinstance(error, CourseError) or getattr(error, "errno", None) == errno.ENOSPC:
                    raise
                self.problems.append(f"{file.name} cannot be read: {error}")

    def _unpack(self, file: File) -> None:
        if file.size > ARCHIVE:
            raise CourseError(f"{file.name} has more than {ARCHIVE >> 20} MB")
        copy = self._copied(file).copy
        assert copy
        number = self._entries
        try:
            if copy.read_bytes().count(ENTRY) > FILES:  # to list them takes long
                raise CourseError(f"more than {FILES:,} files")
            with zipfile.ZipFile(copy) as opened:
                for each in _in_zip(opened, of_class=False):
                    parts, order = (*file.parts[:-1], *each.parts), (file.order[0], each.order[1])
                    inside = replace(each, parts=parts, order=order, archive=number)
                    self._add(replace(inside, return_as=file.return_as))
        finally:
            copy.unlink()

    def _copied(self, file: File) -> File:
        """Copy a file; all that is copied counts, and no more is than may be."""
        assert file.open
        digest = hashlib.sha256()
        path = self.target / f"{self._entries}"
        try:
            with file.open() as opened, path.open("wb") as copy:
                while chunk := opened.read(CHUNK):
                    self._bytes += len(chunk)
                    if self._bytes > UNPACKED:
                        raise CourseError(f"more than {UNPACKED >> 20} MB, unpacked")
                    digest.update(chunk)
                    copy.write(chunk)
        except Exception:
            path.unlink(missing_ok=True)
            raise
        return replace(file, open=None, copy=path, digest=digest.hexdigest())
