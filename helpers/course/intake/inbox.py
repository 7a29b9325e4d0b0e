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
from pathlib import Path, PurePosixPath

from helpers.course.settings import CourseError

DEPTH = 3  # archives within archives; some hold themselves
FILES = 20_000  # in one archive
IN_ALL = 4 * 2**30  # bytes of one archive, unpacked

# Some browsers and mail programs add an ending.
NOTEBOOK = re.compile(r".*\.ipynb(\.txt|\.json)?", re.IGNORECASE | re.DOTALL)

# Who handed it in, from the name of a folder or of a file, as the platforms write them.
PLATFORMS = (
    # Moodle: "Ada Lovelace_123456_assignsubmission_file_…"
    re.compile(
        r"(?P<student>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)"
    ),
    # Brightspace: "123-456 - Ada Lovelace - Nov 21, 2026 1011 AM"
    re.compile(
        r"(?P<number>\d+)-\d+ - (?P<student>.+?) - (?P<time>\w{3} \d+, \d{4} \d+ [AP]M)(?P<rest>.*)"
    ),
    # Canvas: "lovelaceada_LATE_12345_67890_name-1.ipynb"
    re.compile(r"(?P<student>[^_]+)_(?:LATE_)?(?P<number>\d+)_(?P<time>\d+)_(?P<rest>.+)"),
)


@dataclass(frozen=True)
class Submission:
    """A notebook of one student.

    Args:
        student: a name that nbgrader can use as a folder.
        unit: by the name of its folder or file, or by its cells; empty where none of them says.
        path: the notebook. notes: what was unusual about how it came, in words.
        order: larger for what came later. number: of the student, where the platform has one.
    """

    student: str
    unit: str
    path: Path
    notes: tuple[str, ...] = ()
    order: tuple[float, float] = (0.0, 0.0)
    number: str = ""

    @property
    def empty(self) -> bool:
        """Somebody handed in something, and no notebook."""
        return self.path.is_dir() or not _may_hold_one(self.path)


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
    return list(_newest(_apart(_with_work(found))))


def _without_wrapper(
    notebooks: list[tuple[Path, tuple[str, ...]]], units: list[str]
) -> list[tuple[Path, tuple[str, ...]]]:
    """Drop a folder around all students: every notebook lies in a folder of somebody below it."""
    while notebooks and all(sum(p not in units for p in parts[:-1]) > 1 for _, parts in notebooks):
        wrapper = notebooks[0][1][0]
        if _by_platform(wrapper) or any(parts[0] != wrapper for _, parts in notebooks):
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
                _unzip(at, target, at == place)
            except CourseError:
                if at == place:
                    raise
                yield at, (*before, at.name)  # one learner's broken archive: a row that says so
                continue
            at = target
        paths = [path for path in sorted(at.rglob("*")) if _is_work(path.relative_to(at).parts)]
        further = {up for path in paths if _may_hold_one(path) for up in path.parents}
        for path in paths:
            parts = (*before, *path.relative_to(at).parts)
            if path.is_dir():
                if path not in further:
                    yield path, (*parts, "")  # somebody who handed in nothing
            elif path.suffix.lower() == ".zip" and depth < DEPTH:
                waiting.append((path, parts[:-1], depth + 1))
            elif NOTEBOOK.fullmatch(path.name) or (len(parts) == 1 and _by_platform(parts[0])):
                yield path, parts


def _may_hold_one(path: Path) -> bool:
    """A notebook, an archive, or a folder."""
    return path.is_dir() or bool(NOTEBOOK.fullmatch(path.name)) or path.suffix.lower() == ".zip"


def _by_platform(name: str) -> re.Match[str] | None:
    return next((m for each in PLATFORMS if (m := each.fullmatch(name))), None)


def _is_work(parts: tuple[str, ...]) -> bool:
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return not hidden and not parts[-1].endswith(".html")  # Brightspace's list of files


def _is_wanted(path: PurePosixPath) -> bool:
    of_nbgrader = path.name == "timestamp.txt"
    return bool(NOTEBOOK.fullmatch(path.name)) or path.suffix.lower() == ".zip" or of_nbgrader


def _others(files: list[zipfile.ZipInfo]) -> set[str]:
    """Folders that tell of somebody who handed in something else."""
    paths = [PurePosixPath(each.filename) for each in files if not each.is_dir()]
    alone = {f"{path}/" for path in paths if len(path.parts) == 1 and _by_platform(path.name)}
    folders = {f"{path.parent}/" for path in paths if len(path.parts) > 1}
    return folders | {f for f in alone if not _is_wanted(PurePosixPath(f))}


def _unzip(archive: Path, target: Path, everybodys: bool) -> None:
    """Unpack the notebooks and archives in `archive`; never outside `target`.

    Args:
        everybodys: it is what a platform gave; somebody else in it may have no notebook.

    Raises:
        CourseError: it is no zip, or far too large.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            files = opened.infolist()
            wanted = [each for each in files if _is_wanted(PurePosixPath(each.filename))]
            size = sum(each.file_size for each in wanted)
            if len(files) > FILES or size > IN_ALL:
                raise CourseError(f"{archive} has {len(files)} files of {size >> 20} MB; too many")
            for each in wanted:
                opened.extract(each, target)  # zipfile leaves out ".." and leading slashes
            for name in _others(files) if everybodys else ():
                opened.extract(zipfile.ZipInfo(name), target)
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
    by_platform = _by_platform(said[0])
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
    number = by_platform["number"] if by_platform else ""
    return Submission(names[person], unit, path, tuple(notes), order, number)


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


def _with_work(found: list[Submission]) -> list[Submission]:
    """Without folders and files of no use of those who handed in a notebook as well."""
    works = {(each.student, unit) for each in found if not each.empty for unit in (each.unit, "")}
    return [each for each in found if not each.empty or (each.student, each.unit) not in works]


def _apart(found: list[Submission]) -> list[Submission]:
    """With its number behind a name that two people have."""
    numbers: dict[tuple[str, str], set[str]] = {}
    for each in found:
        numbers.setdefault((each.student, each.unit), set()).add(each.number)
    note = "another has the same name; the number is the platform's"
    return [
        each
        if len(numbers[each.student, each.unit]) == 1 or not each.number
        else replace(each, student=f"{each.student}-{each.number}", notes=(*each.notes, note))
        for each in found
    ]


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
