"""What learners hand in: found, told apart, and repaired; nothing of it is executed."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

from nbformat import NotebookNode

from helpers.course.intake import reader
from helpers.course.intake.choose import Submission
from helpers.course.intake.identify import people
from helpers.course.intake.reader import Reader
from helpers.course.settings import Course, CourseError

__all__ = ["Submission", "find", "repaired"]
GRADED = re.compile(r'^# %%.* (?:solution|essay)="(\w+)"', re.MULTILINE)  # a cell of a source

READER = Reader()


def find(
    course: Course,
    submissions: Path,
    unpacked: Path,
    zone: tzinfo | None = None,
    platform: str = "",
) -> list[Submission]:
    """Return what was handed in for any unit, by student; the newest where there are several.

    Args:
        unpacked: folder to copy notebooks into; what was in it is removed.
        zone: of the class; where it is known, more times can be read.
        platform: that has given the names, of `platforms.PLATFORMS`; nbgrader's layout if empty.

    Raises:
        CourseError: there is nothing, it is no archive that can be read, or the names are those
            of another platform.
    """
    shutil.rmtree(unpacked, ignore_errors=True)
    READER.close()  # it has opened the submissions of an earlier call
    texts = {unit: course.text(unit).read_text(encoding="utf-8-sig") for unit in course.units()}
    names = {unit: set(GRADED.findall(text)) for unit, text in texts.items()}
    found: list[Submission] = []
    for number, person in enumerate(people(submissions, names, platform)):
        (target := (unpacked / str(number)).absolute()).mkdir(parents=True)
        try:
            rows = READER.call(
                reader.look_through, submissions.absolute(), person, target, names, zone
            )
        except CourseError as error:
            shutil.rmtree(target, ignore_errors=True)
            rows = [Submission(person.student, "", problem=str(error))]
        for row in rows:
            notes = tuple(filter(None, (person.note, *row.notes)))
            found.append(replace(row, notes=notes, platform_id=person.platform_id))
    return sorted(found, key=lambda each: (each.student, each.unit))


def repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Return what was handed in, with the release's cells and checks in their places, and repairs.

    Raises:
        CourseError: it cannot be read.
    """
    notebook, repairs = READER.call(reader.repaired, content, release)
    return notebook, repairs
