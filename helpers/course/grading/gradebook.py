"""The gradebook of a class, which is nbgrader's; one process writes it.

All that comes of a submission comes into it in one transaction, with the journal.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import nbformat
import pandas as pd
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from sqlalchemy import text
from traitlets.config import Config

from helpers.course import settings
from helpers.course.authoring import nbgrade
from helpers.course.grading import journal, lateness
from helpers.course.grading.execute import Result
from helpers.course.grading.journal import Row, writing
from helpers.course.grading.roster import MISSING
from helpers.course.intake import Submission
from helpers.course.pages import feedback
from helpers.course.pages.feedback import Grade, Mark
from helpers.course.pages.page import page
from helpers.course.settings import CourseError

FILES = {"submitted": "ipynb", "autograded": "ipynb", "feedback": "html"}
CUT_SHORT = "not graded to the end: run `course grade` again"
GONE = "not graded: the gradebook holds no marks; run `course grade` again"
NO_UNIT = "no-unit"  # folder of the page on what is none


class ClassGradebook:
    """OUT/gradebook.db, made where there is none, and the files that belong to it."""

    def __init__(self, out: Path) -> None:
        self.out, self.rules = out, lateness.rules(out)
        journal.create(out)
        self.book = Gradebook(nbgrade.gradebook(out), nbgrade.COURSE)
        self.book.db.remove()
        self.book.db.configure(autoflush=False, expire_on_commit=False)

    def close(self) -> None:
        """Close the connection."""
        self.book.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Have all that nbgrader commits meanwhile come into the gradebook together, or not at all.

        That is SQLAlchemy's recipe of a session that joins an outer transaction.
        """
        with self.book.engine.begin() as connection:
            self.book.db.remove()
            self.book.db.configure(bind=connection)
            try:
                yield
                self.book.db.flush()
            finally:
                self.book.db.remove()
                self.book.db.configure(bind=self.book.engine)

    def add_unit(self, unit: str, instructor: NotebookNode, config: Config) -> None:
        """Enter a unit and its cells, as nbgrader's generate_assignment does.

        Raises:
            CourseError: notebooks with other cells have been graded into it.
        """
        self.book.update_or_create_assignment(unit)
        self.book.db.remove()
        names = {"notebook": unit, "assignment": unit, "student": "."}
        try:
            nbgrade.release(instructor, config, names | {"db_url": nbgrade.gradebook(self.out)})
        except RuntimeError as error:
            raise CourseError(
                f"{error}\nWas this graded with an older source of {unit}? "
                "Then name a new folder with --out."
            ) from error

    def enter(self, found: Submission, key: str, *results: Result) -> Row:
        """Enter what a worker made of a submission, all or nothing; return its row of grades.csv.

        Args:
            key: what the journal notes of it.
            results: of it and of earlier tries; what counts is the one worth most.
        """
        with self.transaction():  # before any file is another
            if entry := journal.find(self.book, found.student, found.unit):
                unsettled = {"key": "", "row": entry["row"] | {"status": CUT_SHORT}}
                journal.put(self.book, found.student, found.unit, entry | unsettled)
        with self.transaction():
            self.book.update_or_create_student(found.student)
            submission = self.book.update_or_create_submission(found.unit, found.student)
            tries = [*zip((found, *found.earlier), results, strict=True)]
            best = max(range(len(tries)), key=lambda each: self._worth(submission, *tries[each]))
            found, result = tries[best]
            another = entry.get("digest", found.digest) != found.digest
            _fill(submission, result, entry.get("answers", {}), another)
            self._write(found, result.files)
            made: journal.Entry = {"key": key, "earlier": best, "digest": found.digest}
            mark = Mark(found.unit, found.student, result.grades)
            made |= {"row": journal.told(result), "mark": asdict(mark)}
            made |= {"answers": result.answers, "hints": result.hints}
            return self._settle(found, submission, made)

    def refuse(self, found: Submission, reason: str) -> Row:
        """Enter what cannot be graded, for which marks of an earlier one count no longer."""
        row = journal.row(found, status=f"not graded: {reason}", repairs="; ".join(found.notes))
        with self.transaction():
            self.book.update_or_create_student(found.student)
            entry = journal.find(self.book, found.student, found.unit)
            if found.problem == MISSING and entry:
                return entry["row"]  # handed in for an earlier run
            journal.put(self.book, found.student, found.unit, entry | {"key": "", "row": row})
        if found.problem != MISSING:
            place = self._file("feedback", found.student, found.unit or NO_UNIT)
            settings.write(place, page("refused.html.j2", found=found, reason=reason))
            self._keep_for_exchange(found, place)
        return row

    def forget_no_unit(self, students: set[str]) -> None:
        """Remove rows of notebooks that were none of a unit, as these learners hand in again."""
        with self.transaction():
            for student in students:
                self.book.db.execute(text(journal.FORGET), {"student": student})

    def again(self, found: Submission, key: str) -> Row | None:
        """Return the row of a notebook graded before; None if it is another, or not graded yet.

        Its page is written anew where it has to say something else.
        """
        with self.transaction():
            entry = journal.find(self.book, found.student, found.unit)
            submission = self._submission(found.student, found.unit)
            kinds = ("submitted", "autograded")
            files = [self._file(each, found.student, found.unit) for each in kinds]
            if not submission or entry.get("key") != key or not all(e.exists() for e in files):
                return None
            return self._settle((found, *found.earlier)[entry["earlier"]], submission, entry)

    def refresh(self) -> None:
        """Bring penalties, pages and journal up to date with what a person has given since."""
        for row in [entry["row"] for entry in journal.graded(self.out)]:
            with self.transaction():
                entry = now = journal.find(self.book, row["student"], row["unit"])
                if submission := self._submission(row["student"], row["unit"]):
                    now = self._current(submission, entry)
                else:
                    none = journal.marks(Mark(row["unit"], row["student"], {}))
                    now = entry | {"row": row | none | {"status": GONE}}
                if now != entry:
                    journal.put(self.book, row["student"], row["unit"], now)

    def _settle(
        self, found: Submission, submission: SubmittedAssignment, entry: journal.Entry
    ) -> Row:
        """Put an entry with the marks of now into the journal; return its row of grades.csv."""
        for kind in ("autograded", "feedback"):  # where nbgrader's own feedback looks for it
            self._keep_for_exchange(found, self._file(kind, found.student, found.unit))
        shutil.rmtree(self.out / "feedback" / found.student / NO_UNIT, ignore_errors=True)
        lateness.enter(submission, found, self.rules)
        late = lateness.described(submission, found)
        row = journal.row(found, **entry["row"] | {"late": late})
        entry = self._current(submission, entry | {"row": row})
        journal.put(self.book, found.student, found.unit, entry)
        return entry["row"]

    def _worth(self, submission: SubmittedAssignment, found: Submission, result: Result) -> float:
        """Return the points of a try that its checks give and lateness leaves."""
        lateness.enter(submission, found, self.rules)
        earned = sum(each.score for each in result.grades.values())
        return earned - lateness.penalty(submission, earned, self.rules)

    def _submission(self, student: str, unit: str) -> SubmittedAssignment | None:
        """Return what nbgrader has; None where a person has removed it."""
        try:
            return self.book.find_submission(unit, student)
        except MissingEntry:
            return None

    def _current(self, submission: SubmittedAssignment, entry: journal.Entry) -> journal.Entry:
        """Return an entry with the marks of now; bring penalty and page up to date."""
        self.book.db.flush()
        self.book.db.expire_all()
        mark = feedback.mark_of(submission)
        earned = sum(each.score for each in mark.grades.values())
        penalty = lateness.penalty(submission, earned, self.rules)
        submission.notebooks[0].late_submission_penalty = penalty or None
        mark = replace(mark, penalty=penalty)
        row = entry["row"] | journal.marks(mark)
        place = self._file("feedback", mark.student, mark.unit)
        if asdict(mark) != entry["mark"] or not place.exists():
            try:
                autograded = self._file("autograded", mark.student, mark.unit)
                notebook = nbformat.v4.reads(autograded.read_text("utf-8"))
                settings.write(place, feedback.render(notebook, mark))
            except Exception as error:  # the marks are known all the same; an old page has others
                place.unlink(missing_ok=True)
                row["status"] = f"graded, without a feedback page: {str(error) or repr(error)}"
        return entry | {"row": row, "mark": asdict(mark)}

    def _keep_for_exchange(self, found: Submission, beside: Path) -> None:
        """Copy what nbgrader submit wrote, which release_feedback reads beside a page."""
        for name, path in found.exchange.items():
            settings.write(beside.with_name(name), path.read_bytes())

    def _file(self, kind: str, student: str, unit: str) -> Path:
        """Return where nbgrader's own commands look for a file."""
        return self.out / kind / student / unit / f"{unit}.{FILES[kind]}"

    def _write(self, found: Submission, files: dict[str, bytes]) -> None:
        """Put the files where nbgrader's own commands look for them, and remove earlier ones."""
        for kind in FILES:
            place = self._file(kind, found.student, found.unit)
            shutil.rmtree(place.parent, ignore_errors=True)
            if kind in files:
                settings.write(place, files[kind])
        self._file("autograded", found.student, found.unit).chmod(0o444)  # as nbgrader does


def refresh(out: Path) -> pd.DataFrame:
    """Bring grades.csv and the pages up to date with the gradebook; return the rows of the former.

    Raises:
        CourseError: nothing has been graded into OUT, or somebody is grading into it.
    """
    if not (out / "gradebook.db").exists():
        raise CourseError(f"{out} holds no gradebook.db; `course grade` writes it")
    with writing(out), closing(ClassGradebook(out)) as book:
        book.refresh()
        return journal.write(out)


def _fill(
    submission: SubmittedAssignment, result: Result, answers: dict[str, str], another: bool
) -> None:
    """Enter grades and comments as nbgrader's autograder does.

    Points that a person gave stand, and wait for a person again where the answer is another than
    the one of `answers` which they were given for; also where the notebook is `another` and the
    tests find something else, since an answer may call what stands in other cells.
    """
    [notebook] = submission.notebooks
    same = {name for name, digest in result.answers.items() if answers.get(name) == digest}
    grades = result.grades
    for grade in notebook.grades:
        auto = grades[grade.name]
        known, grade.auto_score = grade.auto_score, None if auto.needs_manual else auto.score
        by_hand = grade.manual_score is not None or grade.extra_credit is not None
        review = grade.needs_manual_grade or grade.name.removesuffix("-test") not in same
        review = review or (another and grade.auto_score != known)
        undecided = auto.needs_manual and grade.manual_score is None
        grade.needs_manual_grade = undecided or (by_hand and review)
    for comment in notebook.comments:
        comment.auto_comment = grades.get(comment.name, Grade()).comment or None
