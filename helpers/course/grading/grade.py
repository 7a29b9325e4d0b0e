"""Grade a folder of submissions; one bad notebook costs nobody else anything."""

from __future__ import annotations

import errno
import hashlib
import secrets
from collections import deque
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy.exc import OperationalError
from tqdm import tqdm

from helpers.course import intake, settings
from helpers.course.authoring import build, nbgrade
from helpers.course.authoring.build import Built
from helpers.course.grading import journal, lateness, roster
from helpers.course.grading.autograde import autograde_all
from helpers.course.grading.execute import Result
from helpers.course.grading.gradebook import ClassGradebook
from helpers.course.grading.journal import Row, writing
from helpers.course.intake import Submission
from helpers.course.sandbox import bubblewrap, pool
from helpers.course.sandbox.process import Limits, StartError
from helpers.course.settings import Course, CourseError, table_text

LIMITS = Limits()
LIBRARY = build.digest(build.HELPERS)  # a mended check or hint is a reason to grade again
AHEAD = 2  # submissions read ahead of each worker, so that memory stays flat


def grade(
    course: Course,
    submissions: Path,
    out: Path,
    *,
    isolated: bool = True,
    workers: int = 0,
    scheduler: str = "",
    limits: Limits = LIMITS,
    learners: Collection[str] = (),
    unit: str = "",
    late: Path | None = None,
    platform: str = "",
    people: Path | None = None,
) -> pd.DataFrame:
    """Grade what `intake` finds in SUBMISSIONS into OUT; return a row per submission.

    OUT gets grades.csv, nbgrader's gradebook.db and feedback/STUDENT/UNIT/UNIT.html.
    What an earlier run into the same folder has graded is kept where notebook and unit are those
    of then.

    Args:
        isolated: False runs learners' code with nothing between it and the machine.
        workers: notebooks executed at a time; two more than there are cores if 0.
        scheduler: address of a Dask cluster whose workers execute instead.
        learners, unit: these alone are graded, again if need be; the other rows stay.
        late: a file with due dates and a policy, which OUT keeps.
        platform: that has given the names of SUBMISSIONS; nbgrader's layout if empty.
        people: a file with the roster of the class, which OUT keeps.

    Raises:
        CourseError: the folder holds no submission, or no sandbox can be made or starts.
    """
    course.refuse_places(submissions, out)
    course.units([unit] if unit else ())  # which names those that there are
    if isolated and not scheduler and (reason := bubblewrap.available()):
        raise CourseError(reason)
    out.mkdir(parents=True, exist_ok=True)
    with writing(out):
        rules = lateness.settle(out, late, course.units())
        known = roster.settle(out, people, course.units())
        again = bool(learners or unit)
        zone = rules.zone if rules else None
        best = rules is not None and rules.counts == "best"
        found = intake.find(course, submissions, out / "unpacked", zone, platform, best)
        found = roster.complete(found, known, platform)
        found = _chosen(found, learners, unit) if again else found
        nbgrade.settle(course, out)
        with (
            closing(ClassGradebook(out)) as book,
            pool.executor(scheduler, workers, isolated) as (executes, capacity),
        ):
            names = sorted({each.unit for each in found} - {""})
            units = {name: build.make(course, name, out) for name in names}
            for name, built in units.items():
                book.add_unit(name, built.instructor, nbgrade.settings(course))
            book.forget_no_unit({each.student for each in found if each.problem != roster.MISSING})
            run = _Run(book, units, secret(out), limits, isolated, again)
            run.all(found, executes, AHEAD * capacity)
        journal.write(out)
        return journal.table(run.rows)


def _chosen(found: list[Submission], learners: Collection[str], unit: str) -> list[Submission]:
    """Return the submissions of these learners, or of all, in a unit, or in all.

    Args:
        learners: as grades.csv names them.

    Raises:
        CourseError: somebody named has handed in nothing of it.
    """
    fit = [
        each
        for each in found
        if (not learners or each.student in learners) and unit in ("", each.unit)
    ]
    missing = sorted(set(learners) - {each.student for each in fit})
    if missing or not fit:
        of_whom = f" of {', '.join(missing)}" * bool(missing)
        raise CourseError(
            f"nothing{of_whom} to grade again{f' in {unit}' * bool(unit)}: "
            "name learners as the column student of grades.csv does"
        )
    return fit


def secret(out: Path) -> bytes:
    """Return what the seeds of OUT's hidden tests are drawn from; made by the first run."""
    path = out / "secret"
    if not path.exists():
        path.with_suffix(".new").touch(mode=0o600)  # which `write` fills: it is nobody else's
        settings.write(path, secrets.token_bytes(32))
    return path.read_bytes()


@dataclass
class _Run:
    """One run over all submissions; `again` grades also what has been graded before."""

    book: ClassGradebook
    units: dict[str, Built]
    secret: bytes
    limits: Limits
    isolated: bool
    again: bool
    rows: list[Row] = field(default_factory=list)

    def all(self, found: list[Submission], executes: Executor, most: int) -> None:
        """Grade everybody, with at most so many notebooks read ahead."""
        waiting = deque(found)
        on_way: dict[Future[list[Result]], Submission] = {}
        with tqdm(total=len(found), desc="grading", unit="notebook") as bar:
            while waiting or on_way:
                while waiting and len(on_way) < most:
                    each = waiting.popleft()
                    if future := self._started(each, executes):
                        on_way[future] = each
                for done in wait(on_way, return_when=FIRST_COMPLETED).done:
                    self._finish(on_way.pop(done), done)
                bar.update(len(self.rows) - bar.n)

    def _started(self, found: Submission, executes: Executor) -> Future[list[Result]] | None:
        """Hand a submission to a worker; return None where its row is known without."""
        try:
            if found.problem:
                raise CourseError(found.problem)
            if not self.again and (row := self.book.again(found, self._key(found))):
                self.rows.append(row)
                return None
            tries = [self._arguments(each) for each in (found, *found.earlier)]
            return executes.submit(autograde_all, tries)
        except Exception as error:  # whatever is in one learner's file
            self._fail(found, error)
            return None

    def _arguments(self, found: Submission) -> tuple[Any, ...]:
        unit = self.units[found.unit]
        checks = {
            name: each.seeded(self.secret, f"{found.digest} {name}")
            for name, each in unit.checks.items()
        }
        beside = {name: path.read_bytes() for name, path in found.files.items()}
        content = found.path.read_bytes()
        return found, unit.released, checks, content, beside, self.limits, self.isolated

    def _key(self, found: Submission) -> str:
        """Return what the journal calls this notebook and all that decides about its marks."""
        of_whom = [found.student, found.unit, found.digest, found.notes]
        parts: list[Any] = [*of_whom, self.units[found.unit].digest, LIBRARY]
        if found.earlier:  # lateness helps to choose
            tries = [(e.digest, e.notes, e.when, e.extension) for e in (found, *found.earlier)]
            parts += [tries, self.book.rules]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _finish(self, found: Submission, done: Future[list[Result]]) -> None:
        try:
            self.rows.append(self.book.enter(found, self._key(found), *done.result()))
        except Exception as error:  # whatever comes of one learner's code stops nobody else
            self._fail(found, error)

    def _fail(self, found: Submission, error: Exception) -> None:
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        # No learner's doing: no row would be right, and no page.
        if full or isinstance(error, OperationalError | StartError):
            raise error
        if type(error).__name__ == "KilledWorker":  # of Dask, which need not be installed
            error = CourseError("the workers that had it died; run again")
        text = str(error) if isinstance(error, CourseError | OSError) else repr(error)
        self.rows.append(self.book.refuse(found, table_text(text)))
