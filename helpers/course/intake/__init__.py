"""What learners hand in: found, told apart, and repaired; nothing of it is executed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from helpers.course.intake.identify import people
from helpers.course.intake.worker import Worker
from helpers.course.settings import Course, CourseError

__all__ = ["Submission", "find", "repaired"]

WORKER = Worker()


@dataclass(frozen=True)
class Submission:
    """What one person handed in for one unit.

    Args:
        student: a name that nbgrader can use as a folder, and nobody else's.
        unit: by the name of its folder or file, or by its cells; empty where none of them says.
        path: a copy of the notebook. digest: of what is in it.
        notes: what was unusual about how it came, in words. problem: why it cannot be graded.
        when: it was handed in, where nbgrader has written that down.
        platform_id, email: of the student, where the name has them.
        return_as: what the name of a file begins with that the platform takes back for this try.
        said: the name as the platform gives it.
        files: copies of what goes with the notebook, by name relative to it.
        uploaded_as: the `return_as` of the group that handed in for a student.
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
    uploaded_as: str = ""


def find(
    course: Course, submissions: Path, unpacked: Path, zone: str = "", platform: str = ""
) -> list[Submission]:
    """Return what was handed in for any unit, by student; the newest where there are several.

    Args:
        unpacked: folder to copy notebooks into; what was in it is removed.
        zone: of the class, as "Europe/Berlin"; where it is known, more times can be read.
        platform: that has given the names, of `platforms.PLATFORMS`; nbgrader's layout if empty.

    Raises:
        CourseError: there is nothing, it is no archive that can be read, or the names are those
            of another platform.
    """
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir(parents=True)
    WORKER.close()  # it has opened the submissions of an earlier call
    submissions, units = submissions.absolute(), course.units()
    found: list[Submission] = []
    for number, person in enumerate(people(submissions, units, platform)):
        (target := (unpacked / str(number)).absolute()).mkdir()
        try:
            rows = WORKER.ask(
                "look_through",
                place=str(submissions),
                items=person.items,
                target=str(target),
                units=units,
                root=str(course.root),
                zone=zone,
            )
        except CourseError as error:
            shutil.rmtree(target, ignore_errors=True)
            rows = [{"unit": "", "problem": str(error)}]
        for row in rows:
            row["notes"] = (*person.notes, *row.get("notes", ()))
            row["path"] = Path(row.get("path", ""))
            row["files"] = {name: Path(copy) for name, copy in row.get("files", {}).items()}
            row |= {"platform_id": person.platform_id, "email": person.email, "said": person.said}
            found.append(Submission(person.student, **row))
    return sorted(found, key=lambda each: (each.student, each.unit))


def repaired(content: bytes, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Return what was handed in, with the release's cells and checks in their places, and repairs.

    Raises:
        CourseError: it cannot be read.
    """
    notebook, repairs = WORKER.ask("repaired", content=content.decode("latin-1"), release=release)
    return nbformat.from_dict(notebook), repairs
