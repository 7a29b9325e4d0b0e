"""A process that reads what learners hand in, so that none of it costs more than a row.

It is started by `Reader`, and reads a question from each line of its input: what to look through or
to repair. Its memory and the time of each answer are limited by the system; a question that it dies
of has no answer but a reason, and the next one starts it again. It is never root (`drop`).
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
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

import helpers
from helpers.course import drop
from helpers.course.intake import lesson, notebook_file, repair
from helpers.course.intake.parcel import Limits, Parcel
from helpers.course.settings import CourseError

LIMITS = Limits()
START = [sys.executable, "-P", "-c", f"from {__name__} import main; main()"]
READY = "ready\n"
GRADED = re.compile(r'^# %%.* (?:solution|essay)="(\w+)"', re.MULTILINE)  # a cell of a source
TEXT = 300  # characters of a reason or a note
# At the beginning of a cell, also where a table is read whose cells another sign parts.
FORMULA = re.compile(r"""(^|[;,|])(?=[\s"']*[=+@\uff1d\uff0b\uff0d\uff20-])""")


class Reader:
    """The process; it starts with the first question and ends with this one at the latest."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self.shown: list[str] = []
        self.process: subprocess.Popen[str] | None = None
        self.turn = threading.Lock()  # one question at a time
        atexit.register(self.close)

    def ask(self, what: str, **arguments: Any) -> Any:
        """The answer of one of the functions in `ANSWERS`.

        Raises:
            CourseError: what was handed in cannot be read, or not within the limits.
            OSError: the disk is full, or the process does not start.
        """
        asked = json.dumps([what, arguments])
        with self.turn:
            told = self._told(asked)
            if told is None:
                raise CourseError(self._end())
        if told.get("full"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if "reason" in told:
            raise CourseError(told["reason"])
        return told["answer"]

    def show(self, *files: Path) -> None:
        """Let it read these; what it writes to is given to it by `drop.give`."""
        self.close()
        self.shown = [str(each.absolute()) for each in files]

    def close(self) -> None:
        """End it."""
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def _told(self, asked: str) -> Any:
        if self.process and self.process.poll() is not None:
            self.close()  # something else has ended it, which is nobody's fault who comes now
        if self.process is None:
            self.process = self._begun()
        assert self.process.stdin and self.process.stdout
        try:
            print(asked, file=self.process.stdin, flush=True)
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            return None

    def _begun(self) -> subprocess.Popen[str]:
        python = [sys.prefix, sys.base_prefix, str(Path(helpers.__file__).parent)]
        # Not from the folder that one happens to be in, and Ctrl-C is for the parent.
        process = subprocess.Popen(
            [*drop.words(python + self.shown, reads=True), *START, json.dumps(asdict(self.limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        if process.stdout and process.stdout.readline() != READY:
            process.communicate()
            raise OSError("what was handed in cannot be read; the reason stands above")
        return process

    def _end(self) -> str:
        """Why it did not answer."""
        assert self.process
        code = self.process.wait()
        self.close()
        if code == -signal.SIGALRM:
            return f"reading it takes more than {self.limits.seconds:g} s"
        return f"reading it ended the process that did ({code})"


def printable(text: str) -> str:
    """Safe for a terminal and, as no formula, for a table, whatever a file is called."""
    shown = "".join(each if each.isprintable() else "\ufffd" for each in text[:TEXT])
    return FORMULA.sub(r"\1'", shown)


def look_through(
    limits: Limits,
    sources: list[dict[str, Any]],
    target: str,
    units: list[str],
    root: str,
    zone: str = "",
) -> list[dict[str, Any]]:
    """What one person handed in, by unit; see `parcel.Parcel`."""

    def guess(content: bytes, named: str) -> tuple[str, int]:
        return _guess(content, named, Path(root))

    found = Parcel(Path(target), units, guess, limits, zone)
    for each in sources:
        found.take(**each)
    rows = list(found.rows())
    for row in rows:
        row["notes"] = [printable(note) for note in row.get("notes", ())]
        row["problem"] = printable(row["problem"])
    return rows


def repaired(_limits: Limits, content: str, release: dict[str, Any]) -> tuple[Any, list[str]]:
    """A notebook as it can be graded, and the repairs; a character of `content` is a byte.

    Its cells say which of them are as released.
    """
    cells, of_file = notebook_file.read(content.encode("latin-1"))
    told = nbformat.from_dict(release)
    notebook, of_cells = repair.restored(cells, told)
    lesson.mark(notebook, told)
    return notebook, [printable(each) for each in of_file + of_cells]


ANSWERS: dict[str, Callable[..., Any]] = {"look_through": look_through, "repaired": repaired}


def _guess(content: bytes, named: str, root: Path) -> tuple[str, int]:
    """Return the unit that most of the cells are of, and how many of its exercises are answered.

    It is `named` where that is as likely, and "" where none of the cells is of a unit.
    """
    cells = notebook_file.read(content)[0]
    told = {name for cell in cells for name in repair.names(cell)}
    shared = {unit: len(told & names) for unit, names in _names(root).items()}
    best = max(shared, key=lambda unit: (shared[unit], unit == named))
    answers = [c for c in cells if c.cell_type == "code" and repair.names(c) & _names(root)[best]]
    answered = sum(not _is_stub(c) and not _is_check(c) for c in answers)
    return (best, answered) if shared[best] else ("", 0)


def _is_stub(cell: nbformat.NotebookNode) -> bool:
    lines = (line.strip() for line in cell.source.split("\n"))
    return any(notebook_file.STUB in line and not line.startswith("#") for line in lines)


def _is_check(cell: nbformat.NotebookNode) -> bool:
    return "check." in cell.source.strip().split("\n")[-1]


@cache
def _names(root: Path) -> dict[str, set[str]]:
    """Return for each unit the names of its graded cells."""
    from helpers.course import settings

    course = settings.find(root)  # to check the sources as well would take a second
    texts = {unit: course.text(unit).read_text(encoding="utf-8-sig") for unit in course.units()}
    return {unit: set(GRADED.findall(text)) for unit, text in texts.items()}


def _answer(limits: Limits, what: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer to one question, or why there is none."""
    try:
        return {"answer": ANSWERS[what](limits, **arguments)}
    except MemoryError:
        return {"reason": f"reading it takes more than {limits.memory >> 20} MB of memory"}
    except OSError as error:
        if error.errno == errno.ENOSPC:
            return {"full": True}
        if error.errno == errno.EACCES and os.geteuid() == drop.NOBODY:
            told = f"{error.filename} is closed to others than root: grade as an ordinary user"
            return {"reason": printable(told)}
        return {"reason": printable(str(error))}
    except CourseError as error:
        return {"reason": printable(str(error))}
    except Exception as error:  # whatever is in a learner's file
        return {"reason": printable(repr(error))}


def main() -> None:
    """Answer until there are no more questions."""
    limits = Limits(**json.loads(sys.argv[1]))
    warnings.simplefilter("ignore")  # Python's, about what learners wrote
    with contextlib.suppress(ImportError, ValueError, OSError):  # where there are no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.unpacked, limits.unpacked))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(end=READY, flush=True)
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_REAL, limits.seconds)  # its signal ends the process
        told = json.dumps(_answer(limits, *json.loads(line)))
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(told, flush=True)
