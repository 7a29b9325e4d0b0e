"""A process that reads what learners hand in, so that none of it costs more than a row.

It answers a line of JSON with a line of JSON. The system limits its memory and the time of each
answer; where it dies of a question, that one has a reason for an answer and the next one starts it
again. `concurrent.futures` is no help here: a Dask worker may have no processes of multiprocessing.
"""

from __future__ import annotations

import contextlib
import errno
import json
import re
import signal
import sys
import warnings
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import nbformat

from helpers.course import settings
from helpers.course.intake import choose, lesson, notebook_file, printable, repair, tree
from helpers.course.intake.upload import Limits, Upload
from helpers.course.settings import CourseError

GRADED = re.compile(r'^# %%.* (?:solution|essay)="(\w+)"', re.MULTILINE)  # a cell of a source


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
