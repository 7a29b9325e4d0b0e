"""Which of the notebooks that one person handed in counts for which unit, and what goes with it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helpers.course.intake import times
from helpers.course.intake.notebook_file import LARGEST
from helpers.course.intake.tree import NOTEBOOK, File, Parts
from helpers.course.intake.upload import BESIDE, Upload
from helpers.course.settings import CourseError

NAMED = 3  # files that a row names
TIMESTAMP = "timestamp.txt"  # which nbgrader writes beside a notebook
PAGES = ("index.html", "onlinetext.html", "_text.html")  # a platform's list, or typed there
COMPANIONS = 50  # files that go with one notebook
NEVER = {"helpers", "helpers.py", "__pycache__"}  # the course's own, and what Python leaves
UNREAD = (".html", ".htm", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")  # by any code
# The unit of a notebook from its content and the unit that its name tells (either may be empty),
# and how many of its exercises are answered.
Guess = Callable[[bytes, str], tuple[str, int]]


@dataclass
class Try:
    """A notebook, the unit that its name tells, the unit that it is of, and what to say of it."""

    file: File
    named: str
    unit: str
    answered: int = 0
    notes: list[str] = field(default_factory=list)
    problem: str = ""

    @property
    def order(self) -> tuple[bool, bool, tuple[float, float]]:
        """Larger for what counts: answered, called like its unit, newer."""
        return self.answered > 0, self.named in ("", self.unit), self.file.order


def rows(upload: Upload, units: list[str], guess: Guess, zone: str) -> Iterator[dict[str, Any]]:
    """Yield fields of a `Submission` for each unit: the newest notebook that somebody worked in.

    For a unit that has a folder and no notebook, a row says so. Copies not needed are removed.
    """
    tries: dict[str, list[Try]] = {}
    others: defaultdict[str, list[str]] = defaultdict(list)  # by unit, what is of no use
    for folder in upload.folders:
        others[_unit_of(folder, units)] += []
    for file in upload.files:
        if file.is_notebook:
            found = _tried(file, units, guess)
            tries.setdefault(found.unit, []).append(found)
            if found.named and found.named != found.unit:
                others[found.named].append(f"{file.name} with the cells of {found.unit}")
        elif file.name != TIMESTAMP and not file.name.lower().endswith(PAGES):
            others[_unit_of(file.parts[:-1], units)].append(file.name)
    used: set[Path | None] = set()
    for unit, several in tries.items():
        last = max(several, key=lambda each: each.order)
        files, left = _beside(upload.files, last.file)
        used |= {last.file.copy, *(each.copy for each in files.values())}
        many = [f"of {len(several)} notebooks, this counts: {last.file.name}"] * (len(several) > 1)
        when, odd = _when(upload.files, last.file, zone)
        yield {
            "unit": unit,
            "path": str(last.file.copy or ""),
            "digest": _digest(last.file, files),
            "when": when,
            "problem": last.problem,
            "return_as": last.file.return_as,
            "notes": [*many, *last.notes, *upload.problems[:NAMED], *odd, *left],
            "files": {name: str(each.copy) for name, each in files.items()},
        }
    for unit in (others.keys() - tries - {""}) or ({""} if not tries else ()):
        names = others[unit]
        nothing = f"no notebook, but {_some(names)}" if names else "no notebook in the folder"
        yield {"unit": unit, "problem": "; ".join(upload.problems[:NAMED]) or nothing}
    for file in upload.files:
        if file.copy and file.copy not in used:
            file.copy.unlink()


def _tried(file: File, units: list[str], guess: Guess) -> Try:
    """Tell the unit of a notebook from its cells, else from its name."""
    stem = NOTEBOOK.sub("", file.name)
    folder = _unit_of(file.parts[:-1], units)
    named = folder or next((each for each in units if each in stem), "")
    found = Try(file, named, named)
    if not file.copy:
        found.problem = f"the file has {file.size / 2**20:.0f} MB; {LARGEST >> 20} are allowed"
        return found
    try:
        unit, found.answered = guess(file.copy.read_bytes(), named)
    except CourseError as error:
        if not named:  # else what grades it says what is wrong with it
            found.problem = f"{file.name}: {error}"
        return found
    found.unit = unit or named
    if not found.unit:
        found.problem = f"{file.name}: neither its name nor its cells are those of a unit"
    elif not named:
        found.notes.append(f"handed in as {file.name}, told by its cells")
    elif found.unit != named:
        found.notes.append(f"named {named}, holds the cells of {unit}: graded as that")
    elif folder not in ("", stem):
        found.notes.append(f"handed in as {file.name}")
    return found


def _unit_of(parts: Parts, units: list[str]) -> str:
    return next((each for each in reversed(parts) if each in units), "")


def _when(files: list[File], notebook: File, zone: str) -> tuple[str, list[str]]:
    """Read the time that nbgrader wrote beside a notebook; a learner's archive may hold any."""
    place = (*notebook.parts[:-1], TIMESTAMP)
    for file in [] if notebook.archive or notebook.return_as else files:
        if file.parts == place and not file.archive:
            return times.of_nbgrader(file.copy.read_bytes() if file.copy else b"?", zone)
    return "", []


def _beside(files: list[File], notebook: File) -> tuple[dict[str, File], list[str]]:
    """Return what goes with a notebook, by name, and in words what is left out of it."""
    above = notebook.parts[:-1]
    mine = {
        "/".join(each.parts[len(above) :]): each
        for each in sorted(files, key=lambda each: each.order)
        if each.archive == notebook.archive and each.parts[: len(above)] == above
        if not each.is_notebook and not NEVER & {*each.parts} and each.name != TIMESTAMP
        if not each.name.lower().endswith((*PAGES, *UNREAD))
    }
    chosen: dict[str, File] = {}
    left, size = [], 0
    for name, each in sorted(mine.items(), key=lambda item: (item[0][-3:] != ".py", item[0])):
        clash = any(f"{name}/".startswith(f"{n}/") or f"{n}/".startswith(name) for n in chosen)
        usual = name.isprintable() and len(name.encode()) < 255 and not clash
        if each.copy and usual and len(chosen) < COMPANIONS and size + each.size <= BESIDE:
            chosen[name], size = each, size + each.size
        else:
            left.append(name)
    what = f"at most {COMPANIONS} files, {BESIDE >> 20} MB, with usual names"
    return chosen, [f"left out of what goes with it ({what}): {_some(left)}"] * bool(left)


def _digest(notebook: File, files: dict[str, File]) -> str:
    """Return the digest of a notebook with what goes with it."""
    if not files:
        return notebook.digest
    of_files = sorted((name, each.digest) for name, each in files.items())
    return hashlib.sha256(repr((notebook.digest, of_files)).encode()).hexdigest()


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + f" and {len(names) - NAMED} more" * (len(names) > NAMED)
