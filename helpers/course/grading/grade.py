"""Autograde a folder of submissions with nbgrader; one bad notebook costs nobody else anything."""

from __future__ import annotations

import errno
import hashlib
import secrets
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

import helpers
from helpers.course import intake
from helpers.course.authoring import build
from helpers.course.authoring.nbgrade import Grader, uninterrupted
from helpers.course.grading import lateness, marking, regrade, work
from helpers.course.grading.journal import Journal, alone
from helpers.course.grading.judge import Assertions, Check, drawn, tests
from helpers.course.grading.marking import Graded
from helpers.course.grading.regrade import Choice
from helpers.course.grading.work import Kit, Task
from helpers.course.grading.workers import executor
from helpers.course.intake import Submission
from helpers.course.intake import groups as of_groups
from helpers.course.sandbox import bubblewrap
from helpers.course.sandbox.process import Limits
from helpers.course.settings import Course, CourseError

COLUMNS = [
    "student", "unit", "score", "pending", "max_score", "late", "penalty", "status", "flags",
    "repairs", "hints", "seconds", "platform_id", "email", "return_as", "limits",
]  # fmt: skip
LIMITS = Limits()
LIBRARY = hashlib.sha256(  # a mended check or reference is a reason to grade again
    b"".join(path.read_bytes() for path in sorted(Path(helpers.__file__).parent.rglob("*.py")))
).hexdigest()
EVERYTHING = Choice()
AHEAD = 2  # submissions read ahead of each worker, so that memory stays flat
PATIENCE = 0.2  # seconds between two looks at whether Ctrl-C was pressed


@dataclass(frozen=True)
class Unit:
    """What grading has to know of a unit."""

    tests: dict[str, Check | Assertions]
    kit: bytes  # for the workers
    digest: str  # of all that decides about marks


def grade(
    course: Course,
    submissions: Path,
    out: Path,
    *,
    isolated: bool = True,
    workers: int = 0,
    scheduler: str = "",
    limits: Limits = LIMITS,
    choice: Choice = EVERYTHING,
    late: Path | None = None,
    groups: Path | None = None,
) -> pd.DataFrame:
    """Grade what `intake` finds in SUBMISSIONS into OUT; a row per submission.

    OUT gets grades.csv, nbgrader's gradebook.db and feedback/STUDENT/UNIT/UNIT.html.
    What an earlier run into the same folder has graded is kept where notebook and unit are those
    of then; what changed of it is in changes.csv.

    Args:
        isolated: False runs learners' code with nothing between it and the machine.
        workers: notebooks executed at a time; two more than there are cores if 0.
        scheduler: address of a Dask cluster whose workers execute instead.
        choice: these are graded again, and the rows of the others stay.
        late: a file with due dates and a policy, which OUT keeps.
        groups: a CSV file with the columns group and student; each member gets the group's marks.

    Raises:
        CourseError: the folder holds no submission, or there is no way to make a sandbox.
    """
    submissions, out = submissions.absolute(), out.absolute()  # nbgrader goes into other folders
    course.refuse_places(submissions, out)
    if isolated and not scheduler and (reason := bubblewrap.available()):
        raise CourseError(reason)
    out.mkdir(parents=True, exist_ok=True)
    with alone(out):
        lateness.settle(out, late, course.units())
        others = choice.others(out) if choice else None
        rules = lateness.rules(out)
        zone = str(rules.zone) if rules and rules.zone else ""
        found = intake.find(course, submissions, out / "unpacked", zone)
        found = choice.of(of_groups.spread(found, groups) if groups else found)
        with executor(scheduler, workers, isolated) as (workplace, capacity):
            run = _Run(course, out, found, limits, isolated, choice)
            run.all(workplace, capacity)
        return run.table(others)


@dataclass
class _Started:
    """A submission on its way, and what the journal calls it."""

    found: Submission
    key: str
    task: Task


class _Run:
    """One run over all submissions; `rows` by student and unit."""

    def __init__(
        self,
        course: Course,
        out: Path,
        found: list[Submission],
        limits: Limits,
        isolated: bool,
        choice: Choice,
    ) -> None:
        self.out, self.found, self.choice = out, found, choice
        self.limits, self.isolated = limits, isolated
        self.journal = Journal(out)  # before there is a gradebook: with an old one it begins anew
        self.grader = Grader(course, out)
        self.grader.settle()
        self.secret = _secret(out)
        self.units = {
            unit: _prepare(course, unit, out) for unit in sorted({e.unit for e in found} - {""})
        }
        if choice.exercise and f"{choice.exercise}-test" not in self.units[choice.unit].tests:
            names = [name.removesuffix("-test") for name in self.units[choice.unit].tests]
            raise CourseError(f"{choice.unit} checks no {choice.exercise}, but {', '.join(names)}")
        if self.units:
            marking.indexed(out)
        self.rows: list[dict[str, Any]] = []

    def all(self, executor: Executor, capacity: int) -> None:
        """Grade everyone who is not in the journal; a few are on their way at a time."""
        waiting, most = iter(self.found), AHEAD * capacity
        on_way: dict[Future[Graded], _Started] = {}
        with (
            uninterrupted() as pressed,
            tqdm(total=len(self.found), desc="grading", unit="notebook") as bar,
        ):
            while not pressed:
                while not pressed and len(on_way) < most and (each := next(waiting, None)):
                    if started := self._start(each):
                        on_way[executor.submit(work.work, started.task)] = started
                    else:
                        bar.update()
                if not on_way:
                    break
                done = wait(on_way, PATIENCE, FIRST_COMPLETED).done
                self._finish([(on_way.pop(future), future) for future in done])
                bar.update(len(done))

    def table(self, others: pd.DataFrame | None) -> pd.DataFrame:
        """The rows so far, written to grades.csv beside those of `others`."""
        table = pd.DataFrame(self.rows, columns=COLUMNS).sort_values(["student", "unit"])
        whole = table
        if others is not None:
            whole = pd.concat([table.astype(object), others]).sort_values(["student", "unit"])
        fresh = self.out / "grades.csv.new"
        whole.to_csv(fresh, index=False)
        fresh.replace(self.out / "grades.csv")
        return table.reset_index(drop=True)

    def _task(self, found: Submission) -> Task:
        unit = self.units[found.unit]
        tests = drawn(unit.tests, self.secret, found.digest)
        exercise = self.choice.exercise
        kept = regrade.shown(self.out, found, exercise) if exercise else None
        content = found.path.read_bytes()
        files = {name: path.read_bytes() for name, path in found.files.items()}
        return Task(
            found.student, content, unit.kit, tests, self.limits, self.isolated, kept, files
        )

    def _start(self, found: Submission) -> _Started | None:
        """What is to be graded; None where the row is known without."""
        try:
            if found.problem:
                raise CourseError(found.problem)
            key = self._key(found)
            if not self.choice and (row := self.journal.rows.get(key)) is not None:
                self._add(row | marking.again(self.grader, self.out, found), found)
                return None
            return _Started(found, key, self._task(found))
        except Exception as error:  # whatever is in one learner's file
            status = f"not graded: {_short(error)}"
            self._add({"status": status, "repairs": "; ".join(found.notes)}, found)
            return None

    def _key(self, found: Submission) -> str:
        of_whom = [found.student, found.unit, found.digest, found.when]
        parts = [*of_whom, self.units[found.unit].digest, LIBRARY]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _finish(self, done: Iterable[tuple[_Started, Future[Graded]]]) -> None:
        """Enter what has come of some submissions, together."""
        graded: list[tuple[_Started, Graded]] = []
        for started, future in done:
            try:
                graded.append((started, _graded(future)))
            except Exception as error:  # whatever comes of one learner's code stops nobody else
                self._failed(started.found, error)
        if graded:
            self._enter(graded)

    def _enter(self, graded: Sequence[tuple[_Started, Graded]]) -> None:
        for started, _ in graded:
            self.journal.withdraw(started.found.student, started.found.unit)
        try:
            batch = [(started.found, each) for started, each in graded]
            before = {
                key: regrade.standing(self.out, *key)
                for key in ((found.student, found.unit) for found, _ in batch)
            }
            rows = marking.enter(self.grader, self.out, batch)
        except Exception as error:
            if len(graded) > 1:  # nobody else's marks are lost for one that is refused
                for one in graded:
                    self._enter([one])
            else:
                self._failed(graded[0][0].found, error)
            return
        for (started, each), said in zip(graded, rows, strict=True):
            found = started.found
            row = {"student": found.student, "unit": found.unit, "seconds": round(each.total, 1)}
            row |= {"repairs": "; ".join([*found.notes, *each.repairs]), "limits": each.limited}
            row |= said
            # Where outputs of other checks were kept, the next run looks at these exercises too.
            self.journal.add("" if each.kept else started.key, row, each.seconds)
            self._add(row, found)
            regrade.note(self.out, found.student, found.unit, before[found.student, found.unit])

    def _failed(self, found: Submission, error: Exception) -> None:
        if getattr(error, "errno", None) == errno.ENOSPC:
            raise error  # not this learner's doing, and no row of the table would be right
        self._add({"status": _short(error), "repairs": "; ".join(found.notes)}, found)

    def _add(self, row: dict[str, Any], found: Submission) -> None:
        nothing: dict[str, Any] = dict.fromkeys(("score", "pending", "max_score", "penalty"), 0.0)
        nothing |= dict.fromkeys(("late", "flags", "repairs", "limits"), "") | {"hints": []}
        of_whom = {"student": found.student, "unit": found.unit, "seconds": 0.0}
        by_platform = {"platform_id": found.platform_id, "email": found.email}
        by_platform["return_as"] = found.return_as
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


def _graded(future: Future[Graded]) -> Graded:
    """What a worker made of it.

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
        if not str(error).startswith("nbgrader "):
            raise
        hint = (
            f"Was {out} graded with an older source of {unit}? Then name a new folder with --out."
        )
        raise CourseError(f"{error}\n{hint}") from error
    asked = tests(unit, built.instructor)
    digest = hashlib.sha256(repr((built.released.cells, asked)).encode()).hexdigest()
    return Unit(asked, Kit.of(course, unit, built.released, out).packed(), digest)
