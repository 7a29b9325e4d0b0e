"""What learners hand in: found, told apart, and repaired; nothing of it is executed."""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course.intake.identify import people
from helpers.course.intake.upload import Limits
from helpers.course.settings import Course, CourseError

__all__ = ["Submission", "Worker", "find", "printable", "repaired"]
END = 2.0  # seconds in which a worker ends, where it does
TEXT = 300  # characters of a reason or a note
# At the beginning of a cell, also where a table is read whose cells another sign parts.
FORMULA = re.compile(r"""(^|[;,|])(?=[\s"']*[=+@\uff1d\uff0b\uff0d\uff20-])""")


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


class Worker:
    """A process that reads what learners hand in (`worker`): none of it costs more than a row.

    It starts with the first question and ends with this one at the latest.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()  # one question at a time
        atexit.register(self.close)

    def ask(self, question: str, **arguments: Any) -> Any:
        """Return the answer of one of the functions in `ANSWERS`.

        Raises:
            CourseError: what was handed in cannot be read, or not within the limits.
            OSError: the disk is full.
        """
        with self.lock:
            if self.process and self.process.poll() is not None:
                self.close()  # something else has ended it, which is nobody's fault who comes now
            process = self.process = self.process or self._started()
            assert process.stdin and process.stdout
            try:
                print(json.dumps([question, arguments]), file=process.stdin, flush=True)
                answer = json.loads(process.stdout.readline())
            except (BrokenPipeError, ValueError):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END)  # what is no answer may come while it goes on
                self.close()
                code = process.returncode
                late = f"reading it takes more than {self.limits.seconds:g} s"
                died = f"reading it ended the process that did ({code})"
                raise CourseError(late if code == -signal.SIGALRM else died) from None
            except BaseException:  # as Ctrl-C: the answer is not to be the next question's
                self.close()
                raise
        if answer.get("full"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if "problem" in answer:
            raise CourseError(answer["problem"])
        return answer["answer"]

    def close(self) -> None:
        """End it."""
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def _started(self) -> subprocess.Popen[str]:
        # Not from the folder that one happens to be in, and Ctrl-C is for the parent.
        code = f"from {__name__}.worker import main; main()"
        return subprocess.Popen(
            [sys.executable, "-P", "-c", code, json.dumps(asdict(self.limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )


WORKER = Worker()


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


def printable(text: str) -> str:
    """Return a text safe for a terminal and, as no formula, for a table."""
    shown = "".join(each if each.isprintable() else "\ufffd" for each in text[:TEXT])
    return FORMULA.sub(r"\1'", shown)
