"""What a folder or a zip holds, as one flat list, from either alike; nothing of it is extracted."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from helpers.course.settings import CourseError

# Some browsers and mail programs add an ending.
NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?\Z", re.IGNORECASE)
UTF_8 = 0x800  # flag of a zip's member: that is how its name is written
# How a zip writes names that does not say so, where all words but English ones have such letters.
SCRIPTS = {"cp866": "[\u0400-\u04ff]+", "gb2312": "[\u4e00-\u9fff]+"}
Parts = tuple[str, ...]  # of a path


class Item(NamedTuple):
    """Something in a folder or zip, before it is looked into.

    Args:
        key: its path on the disk, or its number in a zip. parts: of its path, as far as that may
            tell of the unit.
        order: larger for what came later, by the platform. return_as: as of `intake.Submission`.
    """

    key: str | int
    parts: Parts
    is_file: bool = True
    order: float = 0.0
    return_as: str = ""


@dataclass(frozen=True)
class File:
    """A file or folder that a person handed in; what is neither is a link or the like.

    Args:
        order: larger for what came later, by the platform or by itself. size: in bytes.
        archive: number of the person's archive that it is in, or 0; paths count within one.
        copy: None where it is too large to be copied, or not yet. digest: of that.
    """

    parts: Parts
    order: tuple[float, float]
    return_as: str
    is_file: bool
    is_folder: bool
    size: int
    open: Callable[[], IO[bytes]]
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


def listed(place: Path) -> list[Item]:
    """Return everything in a folder or zip but what systems and editors leave there.

    Raises:
        CourseError: it is neither.
    """
    if place.is_dir():
        return sorted(_in_folder(place), key=lambda each: each.parts)
    if not place.exists():
        raise CourseError(f"{place} is neither a folder nor a zip")
    try:
        with zipfile.ZipFile(place) as opened:
            paths = [path_of(each) for each in opened.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise CourseError(f"{place} cannot be unpacked: {error}") from error
    # A sign that a learner may have in a name parts it only if it parts all of them, as some
    # programs of Windows write them.
    windows = not any("/" in each or (holds_work(each) and "\\" not in each) for each in paths)
    found = [split(each, "/\\" if windows else "/") for each in paths]
    return [
        Item(number, parts, not paths[number].endswith("\\" if windows else "/"))
        for number, parts in enumerate(found)
        if is_work(parts)
    ]


def _in_folder(place: Path) -> list[Item]:
    found = []
    waiting: list[Parts] = [()]
    while waiting:
        here = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(place.joinpath(*here)) as entries:
            for entry in entries:
                if is_work((entry.name,)):
                    parts = (*here, entry.name)
                    is_file = entry.is_file(follow_symlinks=False)
                    found.append(Item(entry.path, parts, is_file))
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(parts)
    return found


def on_disk(item: Item) -> File:
    """Return how to read a file or folder; its link would not be followed."""
    kind = os.lstat(str(item.key))
    is_file, is_folder = stat.S_ISREG(kind.st_mode), stat.S_ISDIR(kind.st_mode)
    order, opened = (item.order, kind.st_mtime), partial(_no_link, str(item.key))
    return File(item.parts, order, item.return_as, is_file, is_folder, kind.st_size, opened)


def _no_link(path: str) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def in_zip(archive: zipfile.ZipFile, item: Item) -> File:
    """Return how to read a member of an archive."""
    member, time = archive.infolist()[int(item.key)], 0.0
    kind = stat.S_IFMT(member.external_attr >> 16)
    is_folder = member.filename.endswith(("/", "\\"))
    is_file = not is_folder and kind in (0, stat.S_IFREG)
    with contextlib.suppress(ValueError, OverflowError):
        time = datetime(*member.date_time).timestamp()
    order, opened = (item.order, time), partial(archive.open, member)
    return File(item.parts, order, item.return_as, is_file, is_folder, member.file_size, opened)


def holds_work(name: str) -> bool:
    """Return whether a file of this name is a notebook or an archive of them."""
    return bool(NOTEBOOK.search(name)) or name.lower().endswith(".zip")


def is_work(parts: Parts) -> bool:
    """Return whether it is more than what an operating system or an editor leaves."""
    return bool(parts) and not any(e.startswith(".") or e == "__MACOSX" for e in parts)


def split(path: str, separators: str = "/\\") -> Parts:
    """Return the path in an archive in parts; what would lead out of it is left out."""
    parts = re.split(f"[{re.escape(separators)}]", path)
    return tuple(part for part in parts if part not in ("", ".", ".."))


def path_of(member: zipfile.ZipInfo) -> str:
    """Return the path of a zip's member, read by its bytes where the zip does not say how."""
    if member.flag_bits & UTF_8:
        return member.filename
    try:
        written = member.filename.encode("cp437")  # as which zipfile has read it
    except UnicodeEncodeError:  # from Python 3.12 on it reads a field with the name in Unicode
        return member.filename
    with contextlib.suppress(UnicodeDecodeError):
        return written.decode()
    for encoding, letters in SCRIPTS.items():
        path = written.decode(encoding, "replace")
        words = [each for each in re.findall(r"[^\W\d_]+", path) if not each.isascii()]
        if words and all(re.fullmatch(letters, each) for each in words):
            return path
    return member.filename
