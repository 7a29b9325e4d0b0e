"""Which of the notebooks that one person handed in counts for which unit, and what goes with it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from helpers.course.intake import notebook_file, platforms, repair
from helpers.course.intake.notebook_file import LARGEST
from helpers.course.intake.upload import BESIDE, NOTEBOOK, File, Parts, Upload
from helpers.course.settings import CourseError

NAMED = 3  # files that a row names
TIMESTAMP = "timestamp.txt"
EXCHANGE = {TIMESTAMP, "submission_secret.txt"}  # what nbgrader submit writes beside a notebook
NO_TIME = "timestamp.txt says “{}”, which is no time in a known zone; put zone into late.toml"
PAGES = ("index.html", "onlinetext.html", "_text.html")  # a platform's list, or typed there
TRIES = 10  # of one person, among which the best may count
COMPANIONS = 50  # files that go with one notebook
NEVER = {"helpers", "helpers.py", "__pycache__"}  # the course's own, and what Python leaves
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz")
Names = dict[str, set[str]]  # of the exercises of each unit


@dataclass(frozen=True)
class Submission:
    """What one person handed in for one unit.

    Args:
        student: a name that nbgrader can use as a folder, and nobody else's.
        unit: by the name of its folder or file, or by its cells; empty where none of them says.
        path: a copy of the notebook. digest: of what is in it.
        notes: what was unusual about how it came, in words, safe for a table.
        problem: why it cannot be graded, as it is.
        when: it was handed in, in UTC, where nbgrader or the platform has written that down.
        extension: by which the due date is later for this person, where a roster says so.
        platform_id: of the student, where the name has it.
        return_as: what the name of a file begins with that the platform takes back for this try.
        files: copies of what goes with the notebook, by name relative to it.
        exchange: copies of what nbgrader wrote beside it, by name; release_feedback reads both.
        earlier: tries before it, the newest first, where the best counts.
    """

    student: str
    unit: str
    path: Path = Path()
    digest: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""
    when: datetime | None = None
    extension: timedelta | None = None
    platform_id: str = ""
    return_as: str = ""
    files: dict[str, Path] = field(default_factory=dict, hash=False)
    exchange: dict[str, Path] = field(default_factory=dict, hash=False)
    earlier: tuple[Submission, ...] = ()

    def but(self, *notes: str, **changes: Any) -> Submission:
        """Return it, and the tries before it, with more notes and with changes."""
        earlier = tuple(each.but(*notes, **changes) for each in self.earlier)
        return replace(self, notes=(*self.notes, *notes), earlier=earlier, **changes)


@dataclass
class Try:
    """A notebook, the unit that its name tells and the one that it is of, and what to say of it.

    Args:
        answered: how many exercises are.
    """

    file: File
    named: str
    unit: str
    answered: int = 0
    note: str = ""
    problem: str = ""

    @property
    def order(self) -> tuple[bool, bool, tuple[float, float]]:
        """Larger for what counts: answered, called like its unit, newer."""
        return self.answered > 0, self.named in ("", self.unit), self.file.order


def submissions(
    upload: Upload, names: Names, zone: tzinfo | None, best: bool
) -> Iterator[Submission]:
    """Yield what somebody handed in for each unit: the newest notebook that is answered.

    For a unit that has a folder and no notebook, a row says so. Copies not needed are removed.

    Args:
        best: after it, those before it that are answered, as one of them may be worth more.
    """
    tries: defaultdict[str, list[Try]] = defaultdict(list)
    others: defaultdict[str, list[str]] = defaultdict(list)  # by unit, what is of no use
    for folder in upload.folders:
        others[_unit_of(folder, names)] += []
    for file in upload.files:
        if file.is_notebook:
            found = _tried(file, names)
            tries[found.unit].append(found)
            if found.named and found.named != found.unit:
                others[found.named].append(f"{file.name} with the cells of {found.unit}")
        elif file.name not in EXCHANGE and not file.name.lower().endswith(PAGES):
            others[_unit_of(file.parts[:-1], names)].append(file.name)
    shut = [each.name for each in upload.files if each.name.lower().endswith(ARCHIVES)]
    problems = [*upload.problems[:NAMED], *[f"not opened: {_some(shut)}"] * bool(shut)]
    used: set[Path | None] = set()
    chosen = [(unit, len(e), one) for unit, e in tries.items() for one in _chosen(e, best)]
    for unit, number, last in chosen:
        files, left = _beside(upload.files, last.file)
        exchange = _exchange(upload.files, last.file.parts[:-1])
        used |= {last.file.copy, *(each.copy for each in files.values()), *exchange.values()}
        of_files = sorted((name, each.digest) for name, each in files.items())
        digest = last.file.digest
        if files:
            digest = hashlib.sha256(repr((digest, of_files)).encode()).hexdigest()
        when, odd = _when(exchange, last.file, zone)
        time = f", handed in {when:%Y-%m-%d %H:%M} UTC" if when else ""
        which = f"of {number} notebooks, this counts: {last.file.name}{time}"
        many = [which] * (number > 1)
        yield Submission(
            upload.student,
            unit,
            path=last.file.copy or Path(),
            digest=digest,
            notes=(*many, *filter(None, [last.note]), *problems, *odd, *left),
            problem=last.problem,
            when=when,
            return_as=last.file.return_as,
            files={name: each.copy for name, each in files.items() if each.copy},
            exchange=exchange,
        )
    for unit in (others.keys() - tries - {""}) or ({""} if not tries else ()):
        some = others[unit]
        nothing = f"no notebook, but {_some(some)}" if some else "no notebook in the folder"
        problem = "; ".join(upload.problems[:NAMED]) or nothing
        folders = {each.parts[:-1] for each in upload.files}
        exchange = _exchange(upload.files, *(e for e in folders if _unit_of(e, names) == unit))
        used |= {*exchange.values()}
        return_as = next((each.return_as for each in upload.files), "")
        yield Submission(
            upload.student, unit, problem=problem, return_as=return_as, exchange=exchange
        )
    for file in upload.files:
        if file.copy and file.copy not in used:
            file.copy.unlink()


def _chosen(several: list[Try], best: bool) -> list[Try]:
    """Return the newest answered of several notebooks for a unit, or all that are, newest first."""
    ranked = sorted(several, key=lambda each: each.order, reverse=True)
    return [each for each in ranked if each.answered][: TRIES if best else 1] or ranked[:1]


def _tried(file: File, names: Names) -> Try:
    """Tell the unit of a notebook from its cells, else from its name."""
    stem = NOTEBOOK.sub("", file.name)
    folder = _unit_of(file.parts[:-1], names)
    named = folder or next((each for each in names if each in stem), "")
    if not file.copy:
        large = f"the file has {file.size / 2**20:.0f} MB; {LARGEST >> 20} are allowed"
        return Try(file, named, named, problem=large)
    try:
        cells, _ = notebook_file.read(file.copy.read_bytes())
    except CourseError as error:  # where it is of a unit, what grades it says the same
        return Try(file, named, named, problem="" if named else f"{file.name}: {error}")
    unit, answered = _unit_of_cells(cells, named, names)
    found = Try(file, named, unit or named, answered)
    if not found.unit:
        found.problem = f"{file.name}: neither its name nor its cells are those of a unit"
    elif named not in ("", found.unit):
        found.note = f"named {named}, holds the cells of {unit}: graded as that"
    elif found.unit not in stem:
        found.note = f"handed in as {file.name}"
    return found


def _unit_of(parts: Parts, names: Names) -> str:
    return next((each for each in reversed(parts) if each in names), "")


def _unit_of_cells(cells: list[NotebookNode], named: str, names: Names) -> tuple[str, int]:
    """Return the unit that most of the cells are of, and how many of its exercises are answered.

    It is `named` where that is as likely, and "" where none of the cells is of a unit.
    """
    mine = [repair.names(cell) for cell in cells]
    shared = {unit: len(set().union(*mine) & of_unit) for unit, of_unit in names.items()}
    best = max(shared, key=lambda unit: (shared[unit], unit == named))
    answered = sum(
        bool(of_cell & names[best]) and repair.is_answered(cell)
        for cell, of_cell in zip(cells, mine, strict=True)
    )
    return (best, answered) if shared[best] else ("", 0)


def _exchange(files: list[File], *folders: Parts) -> dict[str, Path]:
    """Return copies of what nbgrader wrote into some folders, by name; the newest of each.

    What is in a learner's own archive, or in what a platform named, may say anything.
    """
    return {
        each.name: each.copy
        for each in sorted(files, key=lambda each: each.order)
        if each.name in EXCHANGE and each.parts[:-1] in folders and each.copy
        if not (each.archive or each.return_as or each.order[0])
    }


def _when(
    exchange: dict[str, Path], notebook: File, zone: tzinfo | None
) -> tuple[datetime | None, list[str]]:
    """Read when a notebook came: as nbgrader wrote beside it, or by the platform's name for it."""
    if path := exchange.get(TIMESTAMP):
        content = path.read_bytes()
        when = platforms.of_nbgrader(content, zone)
        said = content[: platforms.TIMESTAMP].decode("ascii", "replace").strip()
        return when, [] if when else [NO_TIME.format(said)]
    clock = platforms.clock(notebook.return_as.rstrip("/").rpartition(" - ")[2])
    return (platforms.in_utc(clock.replace(tzinfo=zone)) if clock and zone else None), []


def _beside(files: list[File], notebook: File) -> tuple[dict[str, File], list[str]]:
    """Return what goes with a notebook, by name, and in words what is left out of it."""
    above = notebook.parts[:-1]
    mine = {
        "/".join(each.parts[len(above) :]): each
        for each in sorted(files, key=lambda each: each.order)
        if each.archive == notebook.archive and each.parts[: len(above)] == above
        if not each.is_notebook and not NEVER & {*each.parts} and each.name not in EXCHANGE
        if not each.name.lower().endswith((".html", ".htm", *ARCHIVES))
    }
    chosen: dict[str, File] = {}
    left, size = [], 0
    for name, each in sorted(mine.items(), key=lambda item: (item[0][-3:] != ".py", item[0])):
        if each.copy and len(chosen) < COMPANIONS and size + each.size <= BESIDE:
            chosen[name], size = each, size + each.size
        else:
            left.append(name)
    what = f"at most {COMPANIONS} files and {BESIDE >> 20} MB"
    return chosen, [f"left out of what goes with it ({what}): {_some(left)}"] * bool(left)


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + f" and {len(names) - NAMED} more" * (len(names) > NAMED)
