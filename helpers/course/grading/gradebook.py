"""The gradebook of a class, which is nbgrader's; one process writes it.

All that comes of a submission comes into it in one transaction, with the journal.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from traitlets.config import Config

from helpers.course import settings
from helpers.course.authoring import nbgrade
from helpers.course.grading import grades_csv, journal, lateness
from helpers.course.grading.autograde import Result
from helpers.course.grading.journal import exclusive_lock, writable
from helpers.course.intake import Submission
from helpers.course.pages import feedback
from helpers.course.pages.feedback import Grade
from helpers.course.settings import CourseError

FILES = {"submitted": "ipynb", "autograded": "ipynb", "feedback": "html"}
CUT_SHORT = "not graded to the end: run `course grade` again"
GONE = "not graded: the gradebook holds no marks; run `course grade` again"
NO_UNIT = "no-unit"  # folder of the page on what is none


class ClassGradebook:
    """OUT/gradebook.db, made where there is none, and the files that belong to it.

    Args:
        config: of nbgrader.
    """

    def __init__(self, out: Path, config: Config) -> None:
        self.out, self.config, self.rules = out, config, lateness.rules(out)
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

        Raises:
            CourseError: another program is writing into it.
        """
        with writable(self.out), self.book.engine.begin() as connection:
            self.book.db.remove()
            self.book.db.configure(bind=connection)
            try:
                yield
                self.book.db.flush()
            finally:
                self.book.db.remove()
                self.book.db.configure(bind=self.book.engine)

    def add_unit(self, unit: str, instructor: NotebookNode) -> None:
        """Enter a unit and its cells, as nbgrader's generate_assignment does.

        Raises:
            CourseError: notebooks with other cells have been graded into it.
        """
        with writable(self.out):
            self.book.update_or_create_assignment(unit)
            self.book.db.remove()
            nbgrade.save_cells(instructor, unit, self.config, nbgrade.gradebook(self.out))

    def enter(self, found: Submission, key: str, result: Result) -> dict[str, Any]:
        """Enter what a worker made of a submission, all or nothing; return its row of grades.csv.

        Args:
            key: what the journal notes of it.
        """
        self._unsettle(found)  # before any file is another
        with self.transaction():
            return self._enter(found, key, result)

    def refuse(self, found: Submission, reason: str) -> None:
        """Write the page of what cannot be graded; marks of an earlier one count no longer."""
        self._unsettle(found)
        page = self._file("feedback", found.student, found.unit or NO_UNIT)
        text = feedback.refusal(found.unit, found.student, reason, found.notes)
        settings.write(page, text.encode("utf-8", "replace"))
        self._keep_for_exchange(found, page)

    def _unsettle(self, found: Submission) -> None:
        """Have the journal say that nothing of a learner's unit counts as graded."""
        with self.transaction():
            if entry := journal.find(self.book, found.student, found.unit):
                journal.put(self.book, found.student, found.unit, entry | {"key": ""})

    def again(self, found: Submission, key: str) -> dict[str, Any] | None:
        """Return the row of a notebook graded before; None if it is another, or not graded yet.

        Its page is written anew where it has to say something else.
        """
        with self.transaction():
            entry, submission = self._found(found.student, found.unit)
            kinds = ("submitted", "autograded")
            files = [self._file(each, found.student, found.unit) for each in kinds]
            if not submission or entry.get("key") != key or not all(e.exists() for e in files):
                return None
            return self._row(found, submission, entry)

    def now(self, student: str, unit: str) -> dict[str, Any]:
        """Return the marks, with what a person has given since in the penalty and on the page."""
        with self.transaction():
            entry, submission = self._found(student, unit)
            if entry and submission and not entry["key"]:
                return grades_csv.marks(feedback.mark_of(submission)) | {"status": CUT_SHORT}
            if entry and submission:
                return self._current(submission, entry)
        return {"status": GONE}

    def _enter(self, found: Submission, key: str, result: Result) -> dict[str, Any]:
        entry, _ = self._found(found.student, found.unit)
        self.book.update_or_create_student(found.student)
        submission = self.book.update_or_create_submission(found.unit, found.student)
        another = entry.get("digest", found.digest) != found.digest
        _fill(submission, result, entry.get("answers", {}), another)
        self._write(found, result.files)
        new = {"key": key, "row": grades_csv.row(found, result), "mark": asdict(result.mark)}
        new |= {"answers": result.answers, "hints": result.hints, "digest": found.digest}
        journal.put(self.book, found.student, found.unit, new)
        return self._row(found, submission, new)

    def _row(
        self, found: Submission, submission: SubmittedAssignment, entry: journal.Entry
    ) -> dict[str, Any]:
        """Return a row of grades.csv, with the marks that the gradebook has now."""
        for kind in ("autograded", "feedback"):  # where nbgrader's own feedback looks for it
            self._keep_for_exchange(found, self._file(kind, found.student, found.unit))
        shutil.rmtree(self.out / "feedback" / found.student / NO_UNIT, ignore_errors=True)
        lateness.enter(submission, found, self.rules)
        late = {"late": lateness.described(submission, found)}
        return entry["row"] | self._current(submission, entry) | late

    def _found(self, student: str, unit: str) -> tuple[journal.Entry, SubmittedAssignment | None]:
        """Return what the journal and nbgrader have of a submission; nothing where one has none."""
        try:
            submission = self.book.find_submission(unit, student)
        except MissingEntry:  # a person may have removed the learner
            return {}, None
        return journal.find(self.book, student, unit) or {}, submission

    def _current(self, submission: SubmittedAssignment, entry: journal.Entry) -> dict[str, Any]:
        """Return what a row says of the marks now; bring penalty, page and journal up to date."""
        self.book.db.flush()
        self.book.db.expire_all()
        mark = feedback.mark_of(submission)
        earned = sum(each.score for each in mark.grades.values())
        penalty = lateness.penalty(submission, earned, self.rules)
        submission.notebooks[0].late_submission_penalty = penalty or None
        mark = replace(mark, penalty=penalty)
        page = self._file("feedback", mark.student, mark.unit)
        if asdict(mark) == entry["mark"] and page.exists():
            return grades_csv.marks(mark)
        try:
            autograded = self._file("autograded", mark.student, mark.unit)
            text = feedback.render(nbformat.v4.reads(autograded.read_text("utf-8")), mark)
        except Exception as error:  # the marks are known all the same, and an old page has others
            page.unlink(missing_ok=True)
            status = f"graded, without a feedback page: {str(error) or repr(error)}"
            return grades_csv.marks(mark) | {"status": status}
        settings.write(page, text.encode("utf-8", "replace"))
        journal.put(self.book, mark.student, mark.unit, entry | {"mark": asdict(mark)})
        return grades_csv.marks(mark)

    def _keep_for_exchange(self, found: Submission, beside: Path) -> None:
        """Copy what nbgrader submit wrote, which release_feedback reads beside a page."""
        for name, path in found.exchange.items():
            settings.write(beside.with_name(name), path.read_bytes())

    def _file(self, kind: str, student: str, unit: str) -> Path:
        """Return where nbgrader's own commands look for a file."""
        return self.out / kind / student / unit / f"{unit}.{FILES[kind]}"

    def _write(self, found: Submission, files: dict[str, bytes]) -> None:
        """Put the files where nbgrader's own commands look for them, and remove earlier ones.

        Whenever this is stopped, what is new is whole.
        """
        for kind in FILES:
            place = self._file(kind, found.student, found.unit)
            folder, fresh = place.parent, place.parent.with_name(f".{found.unit}.new")
            shutil.rmtree(fresh, ignore_errors=True)
            if kind in files:
                fresh.mkdir(parents=True)
                path = fresh / place.name
                path.write_bytes(files[kind])
                path.chmod(0o444 if kind == "autograded" else 0o644)
            shutil.rmtree(folder, ignore_errors=True)
            if kind in files:
                fresh.rename(folder)


def refresh(out: Path) -> pd.DataFrame:
    """Bring grades.csv and the pages up to date with the gradebook; return the rows of the former.

    Raises:
        CourseError: nothing has been graded into OUT, or somebody is grading into it.
    """
    grades_csv.read(out)
    if not (out / "gradebook.db").exists():
        raise CourseError(f"{out} holds no gradebook.db; `course grade` writes it")
    with exclusive_lock(out), closing(ClassGradebook(out, Config())) as book:
        rows = grades_csv.read(out).astype(object)
        graded = rows[rows.status.str.startswith("graded")]
        now = {row.Index: book.now(row.student, row.unit) for row in graded.itertuples()}
        rows.update(pd.DataFrame.from_dict(now, orient="index"))
        settings.write(out / grades_csv.NAME, rows.to_csv(index=False))
    return rows


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
    grades = result.mark.grades
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
