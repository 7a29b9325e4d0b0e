"""A process that reads what learners hand in, so that none of it costs more than a row.

It answers a line of JSON with a line of JSON. The system limits its memory and the time of each
answer; where it dies of a question, that one has a reason for an answer and the next one starts it
again. `concurrent.futures` is no help here: a Dask worker may have no processes of multiprocessing.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import nbformat

from helpers.course import settings
from helpers.course.intake import choose, lesson, notebook_file, repair, tree
from helpers.course.intake.upload import Limits, Upload
from helpers.course.settings import CourseError

LIMITS = Limits()
GRADED = re.compile(r'^# %%.* (?:solution|essay)="(\w+)"', re.MULTILINE)  # a cell of a source
END = 2.0  # seconds in which it ends, where it does
TEXT = 300  # characters of a reason or a note
# At the beginning of a cell, also where a table is read whose cells another sign parts.
FORMULA = re.compile(r"""(^|[;,|])(?=[\s"']*[=+@\uff1d\uff0b\uff0d\uff20-])""")


class Worker:
    """The process; it starts with the first question and ends with this one at the latest."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
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
        code = f"from {__name__} import main; main()"
        return subprocess.Popen(
            [sys.executable, "-P", "-c", code, json.dumps(asdict(self.limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )


def look_through(
    limits: Limits,
    place: str,
    items: list[list[Any]],
    target: str,
    units: list[str],
    root: str,
    zone: str,
) -> list[dict[str, Any]]:
    """Return fields of a `Submission` for each unit that one person handed in."""
    upload = Upload(Path(target), limits)
    for key, parts, *more in items:
        item = tree.Item(key, tuple(parts), *more)
        upload.add(
            tree.on_disk(item) if isinstance(key, str) else tree.in_zip(_opened(place), item)
        )
    rows = list(choose.rows(upload, units, partial(_guess, root), zone))
    for row in rows:
        row["notes"] = [printable(note) for note in row.get("notes", ())]
        row["problem"] = printable(row["problem"])
    return rows


def repaired(_limits: Limits, content: str, release: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return a notebook as it can be graded, and the repairs; a character of `content` is a byte.

    Its cells say which of them are as released.
    """
    cells, of_file = notebook_file.read(content.encode("latin-1"))
    released = nbformat.from_dict(release)
    notebook, of_cells = repair.restored(cells, released)
    lesson.mark(notebook, released)
    return notebook, [printable(each) for each in of_file + of_cells]


ANSWERS: dict[str, Callable[..., Any]] = {"look_through": look_through, "repaired": repaired}


def printable(text: str) -> str:
    """Return a text safe for a terminal and, as no formula, for a table."""
    shown = "".join(each if each.isprintable() else "\ufffd" for each in text[:TEXT])
    return FORMULA.sub(r"\1'", shown)


@cache
def _opened(place: str) -> zipfile.ZipFile:
    """Open the archive of a class, once for all learners."""
    return zipfile.ZipFile(place)


def _guess(root: str, content: bytes, named: str) -> tuple[str, int]:
    """Return the unit that most of the cells are of, and how many of its exercises are answered.

    It is `named` where that is as likely, and "" where none of the cells is of a unit.
    """
    cells = notebook_file.read(content)[0]
    mine = {name for cell in cells for name in repair.names(cell)}
    shared = {unit: len(mine & names) for unit, names in _names(root).items()}
    best = max(shared, key=lambda unit: (shared[unit], unit == named))
    answers = [c for c in cells if c.cell_type == "code" and repair.names(c) & _names(root)[best]]
    answered = sum(not repair.is_stub(c) and not _is_check(c) for c in answers)
    return (best, answered) if shared[best] else ("", 0)


def _is_check(cell: nbformat.NotebookNode) -> bool:
    return "check." in cell.source.strip().split("\n")[-1]


@cache
def _names(root: str) -> dict[str, set[str]]:
    """Return for each unit the names of its graded cells."""
    course = settings.find(Path(root))  # to check the sources as well would take a second
    texts = {unit: course.text(unit).read_text(encoding="utf-8-sig") for unit in course.units()}
    return {unit: set(GRADED.findall(text)) for unit, text in texts.items()}


def answer(limits: Limits, question: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a question, or why there is none."""
    try:
        return {"answer": ANSWERS[question](limits, **arguments)}
    except MemoryError:
        return {"problem": f"reading it takes more than {limits.memory >> 20} MB of memory"}
    except Exception as error:  # whatever is in a learner's file
        if getattr(error, "errno", None) == errno.ENOSPC:
            return {"full": True}
        usual = isinstance(error, CourseError | OSError)
        return {"problem": printable(str(error) if usual else repr(error))}


def main() -> None:
    """Answer until there are no more questions."""
    limits = Limits(**json.loads(sys.argv[1]))
    warnings.simplefilter("ignore")  # Python's, about what learners wrote
    with contextlib.suppress(ImportError, ValueError, OSError):  # where there are no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.unpacked, limits.unpacked))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_REAL, limits.seconds)  # its signal ends the process
        text = json.dumps(answer(limits, *json.loads(line)))
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(text, file=answers, flush=True)
