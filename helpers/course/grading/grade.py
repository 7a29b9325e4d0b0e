"""Autograde a folder of submissions with nbgrader; one bad notebook costs nobody else anything."""

from __future__ import annotations

import errno
import hashlib
import secrets
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from nbformat import NotebookNode
from tqdm import tqdm

import helpers
from helpers.course import intake
from helpers.course.authoring import build
from helpers.course.authoring.nbgrade import Grader
from helpers.course.grading import execute, marking
from helpers.course.grading.execute import Job, Outcome
from helpers.course.grading.journal import Journal, alone
from helpers.course.grading.judge import Assertions, Check, drawn, tests
from helpers.course.grading.workers import executor
from helpers.course.intake import Submission
from helpers.course.sandbox import bubblewrap
from helpers.course.sandbox.process import Limits
from helpers.course.settings import Course, CourseError, printable

COLUMNS = [
    "student", "unit", "score", "pending", "max_score", "status", "flags", "repairs", "hints",
    "seconds", "platform_id", "email",
]  # fmt: skip
LIMITS = Limits()
LIBRARY = hashlib.sha256(  # a mended check or reference is a reason to grade again
    b"".join(path.read_bytes() for path in sorted(Path(helpers.__file__).parent.rglob("*.py")))
).hexdigest()
AHEAD = 2  # submissions read ahead of each worker, so that memory stays flat


@dataclass(frozen=True)
class Unit:
    """What grading has to know of a unit."""

    release: NotebookNode
    tests: dict[str, Check | Assertions]

    @property
    def digest(self) -> str:
        """Of all that decides about marks."""
        return hashlib.sha256(repr((self.release.cells, self.tests)).encode()).hexdigest()


def grade(
    course: Course,
    submissions: Path,
    out: Path,
    *,
    isolated: bool = True,
    workers: int = 0,
    scheduler: str = "",
    limits: Limits = LIMITS,
) -> pd.DataFrame:
    """Grade what `intake` finds in SUBMISSIONS into OUT; a row per submission.

    OUT gets grades.csv, nbgrader's gradebook.db and feedback/STUDENT/UNIT/UNIT.html.
    What an earlier run into the same folder has graded is kept where notebook and unit are those
    of then.

    Args:
        isolated: False runs learners' code with nothing between it and the machine.
        workers: notebooks executed at a time; one per core if 0.
        scheduler: address of a Dask cluster whose workers execute instead.

    Raises:
        CourseError: the folder holds no submission, or there is no way to make a sandbox.
    """
    _refuse_places(course, submissions, out)
    if not submissions.exists():
        raise CourseError(f"{submissions} is neither a folder nor a zip")
    if isolated and not scheduler and (reason := bubblewrap.available()):
        raise CourseError(reason)
    out.mkdir(parents=True, exist_ok=True)
    with alone(out):
        found = intake.find(course, submissions, out / "unpacked")
        with executor(scheduler, workers, isolated) as (workplace, capacity):
            run = _Run(course, out, found, limits, isolated)
            run.all(workplace, capacity)
        return run.table()


def _refuse_places(course: Course, submissions: Path, out: Path) -> None:
    places = [out.resolve(), submissions.resolve()]
    if course.root in places or places[0] in [places[1], *places[1].parents, course.source]:
        raise CourseError(f"--out {out} holds the course or the submissions; name another folder")
    if places[1] in places[0].parents:
        raise CourseError(f"--out {out} is inside {submissions}; name a folder beside it")


@dataclass
class _Started:
    """A submission on its way: what it is, as it will be graded."""

    found: Submission
    key: str
    notebook: NotebookNode
    repairs: list[str]


class _Run:
    """One run over all submissions; `rows` by student and unit."""

    def __init__(
        self, course: Course, out: Path, found: list[Submission], limits: Limits, isolated: bool
    ) -> None:
        self.out, self.found = out, found
        self.limits, self.isolated = limits, isolated
        self.journal = Journal(out)  # before there is a gradebook: with an old one it begins anew
        self.grader = Grader(course, out)
        self.grader.settle()
        self.secret = _secret(out)
        self.units = {
            unit: _prepare(course, unit, out) for unit in sorted({e.unit for e in found} - {""})
        }
        self.rows: list[dict[str, Any]] = []

    def all(self, executor: Executor, capacity: int) -> None:
        """Grade everyone who is not in the journal; a few are on their way at a time."""
        waiting = iter(self.found)
        on_way: dict[Future[Outcome], _Started] = {}
        with tqdm(total=len(self.found), desc="grading", unit="notebook") as bar:
            while True:
                while len(on_way) < AHEAD * capacity and (each := next(waiting, None)):
                    if started := self._start(each):
                        on_way[executor.submit(execute.execute, self._job(started))] = started
                    else:
                        bar.update()
                if not on_way:
                    break
                for future in wait(on_way, return_when=FIRST_COMPLETED).done:
                    self._finish(on_way.pop(future), future)
                    bar.update()

    def table(self) -> pd.DataFrame:
        """The rows so far, written to grades.csv."""
        table = pd.DataFrame(self.rows, columns=COLUMNS).sort_values(["student", "unit"])
        fresh = self.out / "grades.csv.new"
        table.to_csv(fresh, index=False)
        fresh.replace(self.out / "grades.csv")
        return table.reset_index(drop=True)

    def _job(self, started: _Started) -> Job:
        tests = drawn(self.units[started.found.unit].tests, self.secret, started.found.digest)
        return Job(started.notebook, tests, self.limits, self.isolated)

    def _start(self, found: Submission) -> _Started | None:
        """What is to be executed; None where the row is known without."""
        repairs = list(found.notes)
        try:
            if found.problem:
                raise CourseError(found.problem)
            key = self._key(found)
            if (row := self.journal.rows.get(key)) is not None:
                self._add(row | marking.again(self.grader, self.out, found), found)
                return None
            notebook, more = intake.repaired(found, self.units[found.unit].release)
            return _Started(found, key, notebook, repairs + more)
        except Exception as error:  # whatever is in one learner's file
            status = f"not graded: {_short(error)}"
            self._add({"status": status, "repairs": "; ".join(repairs)}, found)
            return None

    def _key(self, found: Submission) -> str:
        of_whom = [found.student, found.unit, found.digest, found.when]
        parts = [*of_whom, self.units[found.unit].digest, LIBRARY]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _finish(self, started: _Started, future: Future[Outcome]) -> None:
        found = started.found
        row: dict[str, Any] = {"student": found.student, "unit": found.unit}
        row["repairs"] = "; ".join(started.repairs)
        try:
            outcome = _outcome(future)
            row |= {"flags": "; ".join(outcome.flags), "seconds": round(outcome.total, 1)}
            self.journal.withdraw(found.student, found.unit)
            row |= marking.enter(self.grader, self.out, found, started.notebook, outcome)
            self.journal.add(started.key, row, outcome.seconds)
        except Exception as error:  # whatever comes of one learner's code stops nobody else's row
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise  # not this learner's doing, and no row of the table would be right
            row["status"] = _short(error)
        self._add(row, found)

    def _add(self, row: dict[str, Any], found: Submission) -> None:
        nothing = {
            "score": 0.0,
            "pending": 0.0,
            "max_score": 0.0,
            "flags": "",
            "repairs": "",
            "hints": [],
        }
        of_whom = {"student": found.student, "unit": found.unit, "seconds": 0.0}
        by_platform = {"platform_id": found.platform_id, "email": found.email}
        self.rows.append(nothing | of_whom | row | by_platform)


def _secret(out: Path) -> bytes:
    """What the seeds of OUT's hidden tests are drawn from; made by the first run."""
    path = out / "secret"
    if not path.exists():
        fresh = path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(32))
        fresh.replace(path)
    return path.read_bytes()


def _short(error: Exception) -> str:
    """What a table says of it."""
    told = str(error) if isinstance(error, CourseError | OSError) else repr(error)
    return told.encode(errors="replace").decode()[:300]


def _outcome(future: Future[Outcome]) -> Outcome:
    """What a worker found out.

    Raises:
        CourseError: workers died of this notebook.
    """
    try:
        return future.result()
    except CourseError:
        raise
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise CourseError("not graded: the workers that had it died; run again") from error
        raise


def _prepare(course: Course, unit: str, out: Path) -> Unit:
    """The unit's release and tests; its source and its row in the gradebook are made in OUT."""
    try:
        built = build.make(course, unit, out)
    except CourseError as error:
        hint = (
            f"Was {out} graded with an older source of {unit}? Then name a new folder with --out."
        )
        raise CourseError(f"{error}\n{hint}") from error
    return Unit(built.released, tests(unit, built.instructor))


def as_text(table: pd.DataFrame) -> str:
    """Marks as a table, then the hints that each learner was given."""
    words = table[["student", "unit", "status"]].map(printable)
    marks = table[["student", "unit", "score", "pending", "max_score", "status"]].assign(**words)
    hints = [
        f"\n{printable(student)}, {unit}:\n" + "\n".join(f"  - {printable(hint)}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    return marks.to_string(index=False) + ("\n\nHints given\n" + "".join(hints) if hints else "")
