"""Find what was handed in, in whatever form it comes; nothing is executed.

A folder may be nbgrader's STUDENT/UNIT/UNIT.ipynb, or hold notebooks as a person or a learning
platform named them; a zip may be what Moodle, Canvas or Brightspace give.
"""

from __future__ import annotations

import contextlib
import errno
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from helpers.course.settings import CourseError

DEPTH = 3  # archives within archives; some hold themselves
FILES = 20_000  # in one archive
IN_ALL = 4 * 2**30  # bytes of one archive, unpacked

# Who handed it in, from the name of a folder or of a file, as the platforms write them.
PLATFORMS = (
    # Moodle: "Ada Lovelace_123456_assignsubmission_file_…"
    re.compile(r"(?P<student>.+)_(?P<time>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)"),
    # Brightspace: "123-456 - Ada Lovelace - Nov 21, 2026 1011 AM"
    re.compile(r"\d+-\d+ - (?P<student>.+?) - (?P<time>\w{3} \d+, \d{4} \d+ [AP]M)(?P<rest>.*)"),
    # Canvas: "lovelaceada_LATE_12345_67890_name-1.ipynb"
    re.compile(r"(?P<student>[^_]+)_(?:LATE_)?\d+_(?P<time>\d+)_(?P<rest>.+)"),
)


@dataclass(frozen=True)
class Submission:
    """A notebook of one student.

    Args:
        student: a name that nbgrader can use as a folder.
        unit: by the name of its folder or file, or by its cells; empty where none of them says.
        path: the notebook. notes: what was unusual about how it came, in words.
        order: larger for what came later.
    """

    student: str
    unit: str
    path: Path
    notes: tuple[str, ...] = ()
    order: tuple[float, float] = (0.0, 0.0)


def find(
    submissions: Path, units: list[str], unpacked: Path, guess: Callable[[Path], str]
) -> list[Submission]:
    """All notebooks in a folder or zip, by student and unit; the newest where there are several.

    Args:
        unpacked: folder to unpack archives into; what was in it is removed.
        guess: the unit of a notebook from what is in it; empty where it cannot tell.

    Raises:
        CourseError: there is none, or an archive cannot be read.
    """
    if not submissions.exists():
        raise CourseError(f"{submissions} is neither a folder nor a zip")
    shutil.rmtree(unpacked, ignore_errors=True)
    names = _Names()
    notebooks = _without_wrapper(list(_notebooks(submissions, unpacked)), units)
    found = [_submission(path, parts, units, guess, names) for path, parts in notebooks]
    if not found:
        raise CourseError(
            f"no notebook in {submissions}: it should hold STUDENT/UNIT/UNIT.ipynb, "
            "for example submissions/ada/02-sinusoidal/02-sinusoidal.ipynb"
        )
    return list(_newest(found))


def _without_wrapper(
    notebooks: list[tuple[Path, tuple[str, ...]]], units: list[str]
) -> list[tuple[Path, tuple[str, ...]]]:
    """Drop a folder around all students: every notebook lies in a folder of somebody below it."""
    while notebooks and all(sum(p not in units for p in parts[:-1]) > 1 for _, parts in notebooks):
        wrapper = notebooks[0][1][0]
        by_platform = any(each.fullmatch(wrapper) for each in PLATFORMS)
        if by_platform or any(parts[0] != wrapper for _, parts in notebooks):
            break
        notebooks = [(path, parts[1:]) for path, parts in notebooks]
    return notebooks


def _notebooks(place: Path, unpacked: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Every notebook with its path in parts; an archive inside counts as a folder."""
    waiting: list[tuple[Path, tuple[str, ...], int]] = [(place, (), 0)]
    archives = 0
    while waiting:
        at, before, depth = waiting.pop()
        if at.is_file():
            target = unpacked / str(archives)
            archives += 1
            try:
                _unzip(at, target)
            except CourseError:
                if at == place:
                    raise
                yield at, (*before, at.name)  # one learner's broken archive: a row that says so
                continue
            at = target
        paths = [path for path in sorted(at.rglob("*")) if _is_work(path.relative_to(at).parts)]
        for path in paths:
            parts = (*before, *path.relative_to(at).parts)
            if path.suffix == ".ipynb":
                yield path, parts
            elif path.suffix == ".zip" and depth < DEPTH:
                waiting.append((path, parts[:-1], depth + 1))
            elif path.is_dir() and not any(path in other.parents for other in paths):
                yield path, (*parts, "")  # somebody who handed in nothing


def _is_work(parts: tuple[str, ...]) -> bool:
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return not hidden and not parts[-1].endswith(".html")  # Brightspace's list of files


def _unzip(archive: Path, target: Path) -> None:
    """Unpack the notebooks and archives in `archive`; never outside `target`.

    Raises:
        CourseError: it is no zip, or far too large.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            wanted = [
                each for each in opened.infolist() if each.filename.endswith((".ipynb", ".zip"))
            ]
            size = sum(each.file_size for each in wanted)
            if len(wanted) > FILES or size > IN_ALL:
                raise CourseError(f"{archive} has {len(wanted)} files of {size >> 20} MB; too many")
            for each in wanted:
                opened.extract(each, target)  # zipfile leaves out ".." and leading slashes
    except CourseError:
        raise
    except Exception as error:  # whatever is wrong with one learner's archive
        if getattr(error, "errno", None) == errno.ENOSPC:
            raise  # not this learner's doing
        raise CourseError(f"{archive} cannot be unpacked: {error}") from error


class _Names:
    """Names that can be folders, one for each person."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}

    def __getitem__(self, person: str) -> str:
        """`person` without what a folder's name may not have; the same each time."""
        if person not in self.given:
            plain = re.sub(r"[^\w.@+-]+", "-", person).strip("-.") or "unnamed"
            taken = set(self.given.values())
            numbers = (f"{plain}-{n}" for n in range(2, len(taken) + 3))
            self.given[person] = next(n for n in (plain, *numbers) if n not in taken)
        return self.given[person]


def _submission(
    path: Path,
    parts: tuple[str, ...],
    units: list[str],
    guess: Callable[[Path], str],
    names: _Names,
) -> Submission:
    *folders, file = parts
    stem = Path(file).stem
    unit = next((each for each in reversed(folders) if each in units), "")
    said = [each for each in folders if each not in units] or [stem]
    by_platform = next((m for each in PLATFORMS if (m := each.fullmatch(said[0]))), None)
    notes = []
    if not unit:
        unit = next((each for each in units if each in stem), "") or guess(path)
        if unit and unit not in stem:
            notes.append(f"handed in as {file}, told by its cells")
    elif unit != stem:
        notes.append(f"handed in as {file}")
    person = by_platform["student"] if by_platform else said[0]
    if not by_platform and said == [stem] and unit:
        person = stem.replace(unit, "").strip(" _-") or stem
    order = _order(by_platform, path)
    return Submission(names[person], unit, path, tuple(notes), order)


def _order(by_platform: re.Match[str] | None, path: Path) -> tuple[float, float]:
    """When it was handed in, as far as its name or the file says; the newest is the largest."""
    said = by_platform.groupdict().get("time") if by_platform else None
    if said and said.isdecimal():
        return float(said), path.stat().st_mtime
    if said:
        with contextlib.suppress(ValueError):  # no date after all
            moment = datetime.strptime(said, "%b %d, %Y %I%M %p").replace(tzinfo=UTC)
            return moment.timestamp(), path.stat().st_mtime
    return 0.0, path.stat().st_mtime


def _newest(found: Iterable[Submission]) -> Iterator[Submission]:
    """One for each student and unit."""
    groups: dict[tuple[str, str], list[Submission]] = {}
    for each in found:
        # What no unit can be told of is no second try of anything.
        key = (each.student, each.unit or str(each.path))
        groups.setdefault(key, []).append(each)
    for _, tries in sorted(groups.items()):
        last = max(tries, key=lambda each: each.order)
        if len(tries) > 1:
            note = f"the newest of {len(tries)} notebooks: {last.path.name}"
            last = replace(last, notes=(*last.notes, note))
        yield last
