"""Which of the notebooks that one person handed in counts for which unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from helpers.course.intake import times
from helpers.course.intake.companions import Companions
from helpers.course.intake.people import without_ending
from helpers.course.settings import CourseError

NAMED = 3  # files that a row names


class Came(NamedTuple):
    """How a notebook came.

    Args:
        order: larger for what came later, by the platform. changed: the same by the file.
        archive: number of the learner's archive that it is in, or 0.
        return_as: as of `intake.Submission`.
    """

    order: float
    changed: float
    archive: int
    return_as: str


class Candidate(NamedTuple):
    """A notebook: its unit or "", its copy, and what to say of it; the largest `order` counts."""

    order: tuple[bool, bool, float, float, int]
    came: Came
    parts: tuple[str, ...]
    unit: str
    path: str
    digest: str
    notes: list[str]
    problem: str


class Candidates:
    """All notebooks of one person.

    Args:
        units: of the course. zone: of the class, or "".
        guess: the unit of a notebook from what is in it and how it is named, either of which may be
            ""; and how many of its exercises are answered.
    """

    def __init__(
        self, units: list[str], guess: Callable[[bytes, str], tuple[str, int]], zone: str
    ) -> None:
        self.units, self.guess, self.zone = units, guess, zone
        self.found: list[Candidate] = []
        self.problems: list[str] = []
        self.others: dict[str, list[str]] = {}  # by unit, what is of no use
        self.times: dict[tuple[str, ...], bytes] = {}  # by folder, what timestamp.txt holds

    def add(
        self, parts: tuple[str, ...], path: Path, digest: str, problem: str, came: Came
    ) -> None:
        """Add a notebook; without a digest there is no copy of it."""
        in_name = (each for each in self.units if each in without_ending(parts[-1]))
        named = self.unit_of(parts[:-1]) or next(in_name, "")
        unit, answered, notes = named, 0, list[str]()
        try:
            if digest:
                unit, answered = self._guessed(path, named)
            if not unit and not problem:
                problem = f"{parts[-1]}: neither its name nor its cells are those of a unit"
            notes = self._notes(parts, named, unit)
        except CourseError as error:
            problem = f"{parts[-1]}: {error}"
        order = (answered > 0, named in ("", unit), came.order, came.changed, len(self.found))
        self.found.append(Candidate(order, came, parts, unit, str(path), digest, notes, problem))

    def _guessed(self, path: Path, named: str) -> tuple[str, int]:
        """Return the unit, and how many exercises are answered.

        Raises:
            CourseError: only its cells could tell, and it cannot be read.
        """
        try:
            unit, answered = self.guess(path.read_bytes(), named)
        except (CourseError, MemoryError, PermissionError):  # the last where root runs it
            if not named:
                raise
            return named, 0  # what grades it says what is wrong with it
        return unit or named, answered

    def _notes(self, parts: tuple[str, ...], named: str, unit: str) -> list[str]:
        """Return what to say of a notebook that is not named like its unit."""
        if named and unit != named:
            self.others.setdefault(named, []).append(f"{parts[-1]} with the cells of {unit}")
            return [f"named {named}, holds the cells of {unit}: graded as that"]
        if not named:
            return [f"handed in as {parts[-1]}, told by its cells"] if unit else []
        usual = self.unit_of(parts[:-1]) in ("", without_ending(parts[-1]))
        return [] if usual else [f"handed in as {parts[-1]}"]

    def unit_of(self, parts: tuple[str, ...]) -> str:
        """Return the unit that a path names; it is noted that there is something of it."""
        unit = next((each for each in reversed(parts) if each in self.units), "")
        if unit:
            self.others.setdefault(unit, [])
        return unit

    def rows(self, companions: Companions) -> Iterator[dict[str, Any]]:
        """Yield for each unit the newest notebook that somebody worked in; or why there is none."""
        tries: dict[str, list[Candidate]] = {}
        for each in self.found:
            tries.setdefault(each.unit, []).append(each)
        for unit, several in tries.items():
            yield self._row(unit, several, companions)
        companions.remove_unused()
        for unit in (self.others.keys() - tries - {""}) or ({""} if not tries else ()):
            names = self.others.get(unit)
            nothing = f"no notebook, but {_some(names)}" if names else "no notebook in the folder"
            yield {"unit": unit, "problem": "; ".join(self.problems[:NAMED]) or nothing}

    def _row(self, unit: str, several: list[Candidate], companions: Companions) -> dict[str, Any]:
        last = max(several, key=lambda each: each.order)
        notes = [*last.notes, *self.problems[:NAMED]]
        if len(several) > 1:
            notes.insert(0, f"of {len(several)} notebooks, this counts: {last.parts[-1]}")
        # Where a platform named it, that tells when; in its folder all is the learner's own.
        said = b"" if last.came.return_as else self.times.get(last.parts[:-1], b"")
        when, odd = times.of_nbgrader(said, self.zone)
        files, left = companions.of(last.parts[:-1], last.came.archive)
        return {
            "unit": unit,
            "path": last.path,
            "digest": companions.digest(last.digest, files),
            "when": when,
            "problem": last.problem,
            "return_as": last.came.return_as,
            "notes": [*notes, *odd, *[left] * bool(left)],
            "files": {name: str(each.path) for name, each in files.items()},
        }


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + f" and {len(names) - NAMED} more" * (len(names) > NAMED)
