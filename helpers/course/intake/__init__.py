"""What learners hand in: found, told apart, and repaired; nothing of it is executed.

All of it is bounded before it is parsed, so that none of it costs more than a row: bytes and files
of a person (`upload`), bytes, cells and characters of a notebook (`notebook_file`), characters of a
cell that is looked into (`lesson`).
"""

from __future__ import annotations

import errno
import re
import shutil
import threading
from dataclasses import replace
from datetime import tzinfo
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from nbformat import NotebookNode

from helpers.course.intake import choose, lesson, notebook_file, repair
from helpers.course.intake.choose import Submission
from helpers.course.intake.identify import people
from helpers.course.settings import Course, CourseError, table_text

__all__ = ["Submission", "find", "repaired"]
GRADED = re.compile(r'^# %%.* (?:solution|essay)="(\w+)"', re.MULTILINE)  # a cell of a source
_reading = threading.Lock()  # one at a time: to read the largest takes more than a gigabyte


def find(
    course: Course,
    submissions: Path,
    unpacked: Path,
    zone: tzinfo | None = None,
    platform: str = "",
    best: bool = False,
) -> list[Submission]:
    """Return what was handed in for any unit, by student; the newest where there are several.

    Args:
        unpacked: folder to copy notebooks into; what was in it is removed.
        zone: of the class; where it is known, more times can be read.
        platform: that has given the names, of `platforms.PLATFORMS`; nbgrader's layout if empty.
        best: those before the newest, among which the best may be, go with it.

    Raises:
        CourseError: there is nothing, it is no archive that can be read, or the names are those
            of another platform.
        OSError: the disk is full.
    """
    shutil.rmtree(unpacked, ignore_errors=True)
    texts = {unit: course.text(unit).read_text(encoding="utf-8-sig") for unit in course.units()}
    names = {unit: set(GRADED.findall(text)) for unit, text in texts.items()}
    everybody = people(submissions, names, platform)
    found: list[Submission] = []
    for number, person in enumerate(everybody):
        (target := (unpacked / str(number)).absolute()).mkdir(parents=True)
        try:
            person.copy(target)
            rows = list(choose.submissions(person, names, zone, best))
        except Exception as error:  # whatever is in one learner's file
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            shutil.rmtree(target, ignore_errors=True)
            problem = str(error) if isinstance(error, CourseError | OSError) else repr(error)
            rows = [Submission(person.student, "", problem=problem)]
        for row in rows:
            notes = (*filter(None, [person.note]), *map(table_text, row.notes))
            found.append(replace(row, notes=notes, platform_id=person.platform_id))
    key = attrgetter("student", "unit")
    tries = groupby(sorted(found, key=key), key)
    return [replace(newest, earlier=tuple(earlier)) for _, (newest, *earlier) in tries]


def repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Return what was handed in, with the release's cells and checks in their places, and repairs.

    Its cells say which are as released.

    Raises:
        CourseError: it cannot be read.
    """
    with _reading:
        cells, of_file = notebook_file.read(content)
    notebook, of_cells = repair.restored(cells, release)
    lesson.mark(notebook, release)
    return notebook, of_file + of_cells
