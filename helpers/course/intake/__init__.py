"""What learners hand in: found, told apart, and repaired; nothing of it is executed."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from helpers.course.authoring import source
from helpers.course.intake import inbox, repair
from helpers.course.intake.inbox import Submission
from helpers.course.settings import Course, CourseError

__all__ = ["Submission", "find"]


def find(course: Course, submissions: Path, unpacked: Path) -> list[Submission]:
    """What was handed in for any unit of the course; archives are unpacked into UNPACKED.

    Raises:
        CourseError: there is nothing, or an archive cannot be read.
    """
    names = cache(partial(_names, course))  # only where somebody's files do not say what they are
    return inbox.find(submissions, course.units(), unpacked, lambda path: _guess(path, names()))


def _names(course: Course) -> dict[str, set[str]]:
    """For each unit the names of its graded cells."""
    texts = {unit: source.read(course.text(unit)) for unit in course.units()}
    return {unit: {cell.name for cell in cells if cell.name} for unit, cells in texts.items()}


def _guess(path: Path, names: dict[str, set[str]]) -> str:
    """The unit that most of the cells are of; empty if none is, or the file cannot be read."""
    try:
        told = {
            name for cell in repair.read(repair.content(path))[0] for name in repair.names(cell)
        }
    except (CourseError, OSError):
        return ""
    shared = {unit: len(told & of_unit) for unit, of_unit in names.items()}
    best = max(shared, key=lambda unit: shared[unit])
    return best if shared[best] else ""
