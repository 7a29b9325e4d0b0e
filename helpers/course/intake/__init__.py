"""What learners hand in: found, told apart, and repaired; nothing of it is executed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course import drop
from helpers.course.intake.people import Person, people
from helpers.course.intake.reader import Reader
from helpers.course.settings import Course, CourseError

__all__ = ["Submission", "find", "repaired"]

READER = Reader()


@dataclass(frozen=True)
class Submission:
    """What one person handed in for one unit.

    Args:
        student: a name that nbgrader can use as a folder, and nobody else's.
        unit: by the name of its folder or file, or by its cells; empty where none of them says.
        path: a copy of the notebook. digest: of what is in it.
        notes: what was unusual about how it came, in words. problem: why it cannot be graded.
        when: it was handed in, where nbgrader has written that down.
        platform_id, email: of the student, where the platform gives them.
        return_as: what the name of a file begins with that the platform takes back for this try.
        said: the name as the platform gives it.
        files: copies of what goes with the notebook, by name relative to it.
    """

    student: str
    unit: str
    path: Path = Path()
    digest: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""
    when: str = ""
    platform_id: str = ""
    email: str = ""
    return_as: str = ""
    said: str = ""
    files: dict[str, Path] = field(default_factory=dict, hash=False)


def find(course: Course, submissions: Path, unpacked: Path, zone: str = "") -> list[Submission]:
    """What was handed in for any unit, by student; the newest where there are several.

    Args:
        unpacked: folder to copy notebooks into; what was in it is removed.
        zone: of the class, as "Europe/Berlin"; where it is known, more times can be read.

    Raises:
        CourseError: there is nothing, or it is no archive that can be read.
    """
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir(parents=True)
    READER.show(submissions, unpacked, course.root)
    units, root = course.units(), str(course.root)
    found: list[Submission] = []
    for number, person in enumerate(people(submissions, units)):
        sources = [vars(each) | {"place": str(each.place)} for each in person.sources]
        target = (unpacked / str(number)).absolute()
        target.mkdir()
        drop.give(target)
        try:
            rows = READER.ask(
                "look_through",
                sources=sources,
                target=str(target),
                units=units,
                root=root,
                zone=zone,
            )
        except CourseError as error:
            shutil.rmtree(target, ignore_errors=True)
            rows = [{"unit": "", "problem": str(error)}]
        found += [_submission(person, row) for row in rows]
    return sorted(found, key=lambda each: (each.student, each.unit))


def _submission(person: Person, row: dict[str, Any]) -> Submission:
    of_person = {"platform_id": person.platform_id, "email": person.email, "said": person.said}
    notes = (*person.notes, *row.get("notes", ()))
    path = Path(row.get("path", ""))
    files = {name: Path(copy) for name, copy in row.get("files", {}).items()}
    told = row | of_person | {"notes": notes, "path": path, "files": files}
    return Submission(person.student, **told)


def repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """What was handed in, with the release's cells and checks in their places, and the repairs.

    Raises:
        CourseError: it cannot be read.
    """
    notebook, repairs = READER.ask("repaired", content=content.decode("latin-1"), release=release)
    return nbformat.from_dict(notebook), repairs
