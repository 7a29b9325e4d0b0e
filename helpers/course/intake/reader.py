"""A process that reads what learners hand in, so that none of it costs more than a row.

The system limits its memory and the time of each call; where a call ends it, that one raises an
error, and the next one starts it again. Both sides pickle, as neither executes what learners wrote.
multiprocessing is no help here: a worker of Dask may start no processes of it.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from helpers.course.intake import choose, lesson, notebook_file, repair
from helpers.course.intake.choose import Names, Submission
from helpers.course.intake.identify import Person
from helpers.course.intake.upload import Limits, Upload
from helpers.course.settings import CourseError, table_text


class Reader:
    """The process, from this one; it starts with the first call and ends with this one at last."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()  # one call at a time
        atexit.register(self.close)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of a module returns there; it is given the limits first.

        Raises:
            CourseError: what was handed in cannot be read, or not within the limits.
            OSError: the disk is full.
        """
        with self.lock:
            if self.process and self.process.poll() is not None:
                self.close()  # something else has ended it, which is nobody's fault who comes now
            process = self.process = self.process or _started(self.limits)
            assert process.stdin and process.stdout
            try:
                pickle.dump((function, arguments), process.stdin)
                process.stdin.flush()
                found = pickle.load(process.stdout)
            except (BrokenPipeError, EOFError, pickle.UnpicklingError):
                self.close()
                late = f"reading it takes more than {self.limits.seconds:g} s"
                raise CourseError(f"{late}, or ends the process that reads") from None
            except BaseException:  # as Ctrl-C: what this call returns is not for the next one
                self.close()
                raise
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """End it."""
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None


def _started(limits: Limits) -> subprocess.Popen[bytes]:
    """Start the process; not from the folder that one happens to be in. Ctrl-C is for this one."""
    made = subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert made.stdin
    pickle.dump(limits, made.stdin)
    return made


def main() -> None:
    """Answer calls until there are no more."""
    limits = pickle.load(sys.stdin.buffer)
    warnings.simplefilter("ignore")  # Python's, about what learners wrote
    with contextlib.suppress(ImportError, ValueError, OSError):  # where there are no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.unpacked, limits.unpacked))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    calls, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no answer
    with contextlib.suppress(EOFError):
        while True:
            found = _called(limits, *pickle.load(calls))
            signal.setitimer(signal.ITIMER_REAL, 0)
            pickle.dump(found, answers)
            answers.flush()


def _called(limits: Limits, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return what a function returns, or the error that it raises."""
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)  # its signal ends the process
    try:
        return function(limits, *arguments)
    except MemoryError:
        return CourseError(f"reading it takes more than {limits.memory >> 20} MB of memory")
    except Exception as error:  # whatever is in a learner's file
        if getattr(error, "errno", None) == errno.ENOSPC:
            return error
        return CourseError(str(error) if isinstance(error, CourseError | OSError) else repr(error))


def look_through(
    limits: Limits, place: Path, person: Person, target: Path, names: Names, zone: tzinfo | None
) -> list[Submission]:
    """Return what one person handed in for each unit, copied into a folder."""
    upload = Upload(place, target, limits)
    for file in person.files:
        upload.add(file)
    found = choose.submissions(person.student, upload, names, zone)
    return [replace(each, notes=tuple(map(table_text, each.notes))) for each in found]


def repaired(
    _limits: Limits, content: bytes, release: NotebookNode
) -> tuple[NotebookNode, list[str]]:
    """Return a notebook as it can be graded, and the repairs; its cells say which are unchanged."""
    cells, of_file = notebook_file.read(content)
    notebook, of_cells = repair.restored(cells, release)
    lesson.mark(notebook, release)
    return notebook, of_file + of_cells
