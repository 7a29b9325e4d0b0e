"""The gradebook of a class, which is nbgrader's; one process writes it.

All that comes of a batch of submissions comes into it in one transaction, with the journal.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.utils import parse_utc
from traitlets.config import Config

from helpers.course import settings
from helpers.course.authoring import nbgrade
from helpers.course.authoring.nbgrade import COURSE
from helpers.course.grading import grades_csv, journal, lateness
from helpers.course.grading.autograde import Result
from helpers.course.grading.journal import writable
from helpers.course.intake import Submission
from helpers.course.pages import feedback
from helpers.course.pages.feedback import Grade, Mark
from helpers.course.settings import CourseError

FILES = {"submitted": "ipynb", "autograded": "ipynb", "feedback": "html"}
CUT_SHORT = "not graded to the end: run `course grade` again"

Graded = tuple[Submission, str, Result]  # with the key that the journal notes


class ClassGradebook:
    """OUT/gradebook.db, made where there is none, and the files that belong to it.

    Args:
        config: of nbgrader, for its plug-in of late penalties.
    """

    def __init__(self, out: Path, config: Config) -> None:
        self.out, self.config, self.rules = out, config, lateness.rules(out)
        journal.create(out)
        self.book = Gradebook(nbgrade.gradebook(out), COURSE)
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

    def enter(self, batch: Sequence[Graded]) -> list[dict[str, Any]]:
        """Enter what workers made of some submissions: all of them, or none.

        Returns:
            Their rows of grades.csv.
        """
        with self.transaction():  # before any file is another, none of them counts as graded
            for found, *_ in batch:
                if entry := journal.find(self.book, found.student, found.unit):
                    journal.put(self.book, found.student, found.unit, entry | {"key": ""})
        with self.transaction():
            entered = [self._enter(*each) for each in batch]
            # Before it is committed: who is killed in between has a line twice, and loses none.
            grades_csv.add_changes(self.out, [line for _, lines in entered for line in lines])
        return [row for row, _ in entered]

    def again(self, found: Submission, key: str) -> dict[str, Any] | None:
        """Return the row of a notebook graded before; None if it is another, or not graded yet.

        Its page is written anew where it has to say something else.
        """
        with self.transaction():
            entry, submission = self._found(found.student, found.unit)
            if not entry or not submission or entry["key"] != key or not self._has_files(found):
                return None
            if self.rules:
                lateness.enter(submission, found, self.rules)
            row = entry["row"] | self._current(submission, entry)
            return row | {"late": lateness.described(submission, found)}

    def now(self, student: str, unit: str) -> dict[str, Any]:
        """Return the marks, with what a person has given since in the penalty and on the page.

        Raises:
            CourseError: nothing of it has been graded.
        """
        with self.transaction():
            entry, submission = self._found(student, unit)
            if entry and submission and not entry["key"]:
                return grades_csv.marks(feedback.mark_of(submission)) | {"status": CUT_SHORT}
            if entry and submission:
                return self._current(submission, entry)
        raise CourseError(f"{self.out} holds no marks of {student} in {unit}; grade again")

    def _enter(
        self, found: Submission, key: str, result: Result
    ) -> tuple[dict[str, Any], list[list[Any]]]:
        """Enter a submission; return its row, and the lines of what is another than before."""
        book, names = self.book, (found.unit, found.student)
        entry, earlier = self._found(found.student, found.unit)
        before = feedback.mark_of(earlier) if earlier and entry else None
        book.update_or_create_student(found.student)
        submission = book.update_or_create_submission(*names)
        submission.timestamp = parse_utc(found.when) if found.when else None
        another = entry.get("digest", found.digest) != found.digest
        _fill(submission, result, entry.get("answers", {}), another)
        if self.rules:
            lateness.enter(submission, found, self.rules)
        mark, files = self._charged(submission), dict(result.files)
        if mark != result.mark and not result.problem:
            try:
                files["feedback"] = self._page(files["autograded"].decode(), mark)
            except Exception as error:  # the marks are known all the same; an old page has others
                del files["feedback"]
                result.problem = str(error) or repr(error)
        self._write(found, files)
        row = grades_csv.row(found, result, mark) | {"late": lateness.described(submission, found)}
        new = {"key": key, "row": row, "mark": asdict(mark)}
        new |= {"answers": result.answers, "hints": result.hints, "digest": found.digest}
        journal.put(book, found.student, found.unit, new)
        lines = grades_csv.changed(before, mark, entry["hints"], result.hints) if before else []
        return row, lines

    def _found(self, student: str, unit: str) -> tuple[journal.Entry, SubmittedAssignment | None]:
        """Return what the journal and nbgrader have of a submission; nothing where one has none."""
        try:
            submission = self.book.find_submission(unit, student)
        except MissingEntry:  # a person may have removed the learner
            return {}, None
        return journal.find(self.book, student, unit) or {}, submission

    def _current(self, submission: SubmittedAssignment, entry: journal.Entry) -> dict[str, Any]:
        """Return what a row says of the marks now, and keep page and journal in step with them."""
        mark = self._charged(submission)
        page = self._file("feedback", mark.student, mark.unit)
        if asdict(mark) == entry["mark"] and page.exists():
            return grades_csv.marks(mark)
        try:
            autograded = self._file("autograded", mark.student, mark.unit)
            content = self._page(autograded.read_text("utf-8"), mark)
        except Exception as error:  # the marks are known all the same, and an old page has others
            page.unlink(missing_ok=True)
            return grades_csv.marks(mark) | {
                "status": grades_csv.WITHOUT_PAGE + (str(error) or repr(error))
            }
        settings.write(page, content)
        journal.put(self.book, mark.student, mark.unit, entry | {"mark": asdict(mark)})
        return grades_csv.marks(mark)

    def _file(self, kind: str, student: str, unit: str) -> Path:
        """Return where nbgrader's own commands look for a file."""
        return self.out / kind / student / unit / f"{unit}.{FILES[kind]}"

    def _has_files(self, found: Submission) -> bool:
        """Return whether the notebooks are there that belong to an entry."""
        kinds = ("submitted", "autograded")
        return all(self._file(kind, found.student, found.unit).exists() for kind in kinds)

    def _charged(self, submission: SubmittedAssignment) -> Mark:
        """Return the mark of a submission, after its penalty is brought up to date."""
        self.book.db.flush()
        self.book.db.expire_all()
        mark = feedback.mark_of(submission)
        earned = sum(each.score for each in mark.grades.values())
        penalty = lateness.penalty(submission, earned, self.rules, self.config)
        submission.notebooks[0].late_submission_penalty = penalty or None
        return replace(mark, penalty=penalty)

    def _page(self, autograded: str, mark: Mark) -> bytes:
        notebook = nbformat.v4.reads(autograded)
        return feedback.render(notebook, mark).encode("utf-8", "replace")

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
                if found.when:
                    (fresh / "timestamp.txt").write_text(found.when)
                path.chmod(0o444 if kind == "autograded" else 0o644)
            shutil.rmtree(folder, ignore_errors=True)
            if kind in files:
                fresh.rename(folder)


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
