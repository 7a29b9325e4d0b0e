"""`course grade` without kernels: a check shows what its answer's text says."""

import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook
from nbgrader.utils import determine_grade, is_grade

from helpers.checks.engine.report import Finding, Report
from helpers.course.authoring import build
from helpers.course.authoring.check_call import Check
from helpers.course.authoring.nbgrade import COURSE, gradebook
from helpers.course.grading import execute, grade
from helpers.course.grading.execute import Result
from helpers.course.settings import Course
from tests.common import LESSON, tiny_course

UNIT = "01-tiny"
HINT = "That is not it."
SECOND = LESSON[LESSON.index("# %% [markdown] exercise") :].replace("double", "triple")
TWO = LESSON + "\n" + SECOND.replace("Twice", "Thrice").replace("2 * x", "3 * x")


@cache
def _solution() -> str:
    """The right answers; made once, as all desks have the same unit."""
    with tempfile.TemporaryDirectory() as folder:
        course = tiny_course(Path(folder) / "course")
        course.text(UNIT).write_text(TWO)
        return str(nbformat.writes(build.make(course, UNIT, Path(folder) / "made").solution))


def scores(notebook: Path) -> dict[str, float]:
    """Points by exercise of a graded notebook, as nbgrader reads them from its outputs.

    What is graded by hand is left out.
    """
    cells = nbformat.read(notebook, as_version=4).cells
    graded = {
        cell.metadata.nbgrader.grade_id.removesuffix("-test"): determine_grade(cell)[0]
        for cell in cells
        if "nbgrader" in cell.metadata and is_grade(cell)
    }
    return {name: score for name, score in graded.items() if score is not None}


def hand_in(folder: Path, unit: str = UNIT, when: str = "", /, **work: str | NotebookNode) -> Path:
    """Write what learners hand in for a unit below FOLDER, as nbgrader does; return FOLDER."""
    for student, notebook in work.items():
        path = folder / student / unit / f"{unit}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook if isinstance(notebook, str) else nbformat.writes(notebook))
        if when:
            path.with_name("timestamp.txt").write_text(when)
    return folder


@contextmanager
def book(out: Path) -> Iterator[Gradebook]:
    """nbgrader's gradebook of a graded class; what is changed in it is kept."""
    with Gradebook(gradebook(out), COURSE) as found:
        yield found
        found.db.commit()


def marks(out: Path, unit: str = UNIT) -> dict[str, float]:
    """Points by student, as the gradebook has them."""
    with book(out) as found:
        return {each.student.id: each.score for each in found.assignment_submissions(unit)}


def give(out: Path, student: str, name: str = "", **given: float | bool | None) -> None:
    """Change the grade of a cell, or of all, as a person does in formgrader."""
    with book(out) as found:
        for each in found.find_submission(UNIT, student).notebooks[0].grades:
            if name in ("", each.name):
                for key, value in ({"needs_manual_grade": False} | given).items():
                    setattr(each, key, value)


class Desk:
    """The tiny unit with two exercises of 2 points, graded into `out`.

    `accepted` are the lines that its checks know as right.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.course: Course = tiny_course(root / "course")
        self.course.text(UNIT).write_text(TWO)
        self.root, self.out = root, root / "out"
        self.accepted = {"double": {"return 2 * x"}, "triple": {"return 3 * x"}}
        self.executed: list[str] = []
        self.lock = threading.Lock()
        monkeypatch.setattr(execute, "execute", self._execute)

    def work(self, **answers: str) -> str:
        """A notebook with these lines for answers, right where none is named."""
        notebook: NotebookNode = nbformat.reads(_solution(), as_version=4)
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in answers:
                head = cell.source.split('"""')[0]
                cell.source = f'{head}"""Mine."""\n    {answers[name]}'
        return nbformat.writes(notebook)

    def hand_in(self, when: str = "", /, **work: str | NotebookNode) -> Path:
        return hand_in(self.root / "in", UNIT, when, **work)

    def archive(self, **files: str) -> Path:
        """A platform's zip; `/` and `.ipynb` as they are in the names."""
        place = self.root / "all.zip"
        with zipfile.ZipFile(place, "w") as opened:
            for name, content in files.items():
                opened.writestr(name, content)
        return place

    def grade(self, submissions: Path | None = None, **options: object) -> pd.DataFrame:
        place = submissions or self.root / "in"
        grade.grade(self.course, place, self.out, isolated=False, **options)  # type: ignore[arg-type]
        return pd.read_csv(self.out / "grades.csv", dtype=str, keep_default_na=False)

    def leave_to_a_person(self, student: str) -> None:
        """Have a learner's points wait, as those of an essay do."""
        give(self.out, student, auto_score=None, needs_manual_grade=True)

    def page(self, student: str, unit: str = UNIT) -> str:
        return (self.out / "feedback" / student / unit / f"{unit}.html").read_text()

    def _execute(self, notebook: NotebookNode, tests: dict[str, Check], *_: object) -> Result:
        text = "\n".join(cell.source for cell in notebook.cells)
        for cell in [each for each in notebook.cells if each.id in tests]:
            exercise = cell.id.removesuffix("-test")
            [answer] = [c.source for c in notebook.cells if f"def {exercise}(" in c.source]
            right = any(line in answer for line in self.accepted[exercise])
            found = Finding("all", 2, 2) if right else Finding("all", 2, 0, "differs", HINT)
            data = Report(exercise, [found])._repr_mimebundle_()
            cell.outputs = [v4.new_output("execute_result", data=data, execution_count=1)]
        with self.lock:
            self.executed.append(text)
        return Result()
