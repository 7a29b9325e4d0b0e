"""A graded class without a kernel: what cells showed is written down, and then marked."""

from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.checks.engine.report import Finding, Report
from helpers.course.authoring import build, nbgrade
from helpers.course.authoring.build import Built
from helpers.course.grading import autograde
from helpers.course.grading.execute import Result
from helpers.course.grading.gradebook import ClassGradebook
from helpers.course.intake import Submission
from helpers.course.pages.feedback import Mark
from helpers.course.settings import Course
from tests.common import LESSON

UNIT = "01-tiny"
HINT = "Twice is not the square."
WHY = """
# %% [markdown] exercise="why" title="Why <twice>?" difficulty=1 minutes=5
# Say why.

# %% [markdown] essay="why" points=4
# Because.
"""
WRONG = Report(
    "double",
    [
        Finding("even numbers", 1, 1),
        Finding("odd numbers", 0.5, 0, "double(3): found 9, expected 6.", HINT),
        Finding("negative numbers", 0.5, 0, "double(-1): found 1, expected -2.", HINT),
    ],
)
RIGHT = Report("double", [Finding("even numbers", 1, 1), Finding("odd numbers", 1, 1)])


class Classroom:
    """A tiny unit with an essay, and a folder that submissions are graded into."""

    def __init__(self, course: Course, out: Path, unit: str = UNIT) -> None:
        self.course, self.out, self.unit = course, out, unit
        course.text(unit).parent.mkdir(exist_ok=True)
        course.text(unit).write_text(LESSON + WHY)
        out.mkdir(exist_ok=True)
        nbgrade.settle(course, out)
        self.built: Built = build.make(course, unit, out)
        with self.opened() as book:
            book.add_unit(unit, self.built.instructor, nbgrade.settings(course))

    def opened(self) -> closing[ClassGradebook]:
        return closing(ClassGradebook(self.out))

    def enter(
        self,
        student: str,
        checked: Report | NotebookNode,
        extra: list[NotebookNode] | None = None,
        essay: str = "It is so.",
    ) -> dict[str, Any]:
        """Grade a notebook whose check showed `checked`; `extra` cells stand before its first."""
        notebook = nbformat.from_dict(self.built.released)
        notebook.cells = [*(extra or []), *notebook.cells]
        for number, cell in enumerate(notebook.cells):
            cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"cell-{number}")
            if cell.id == "why":
                cell.source = essay
        if isinstance(checked, Report):
            data = checked._repr_mimebundle_()
            checked = v4.new_output("execute_result", data=data, execution_count=1)
        [check] = [each for each in notebook.cells if each.id == "double-test"]
        check.outputs = [checked]
        result = Result(files={"submitted": nbformat.writes(notebook).encode()})
        autograde.complete(result, Mark(self.unit, student, result.grades), notebook)
        found = Submission(student, self.unit, self.out / "handed in")
        with self.opened() as book:
            return book.enter(found, "a key", result)

    def again(self, student: str) -> dict[str, Any] | None:
        """Grade again what has not changed since."""
        with self.opened() as book:
            return book.again(Submission(student, self.unit), "a key")

    def page(self, student: str) -> str:
        place = self.out / "feedback" / student / self.unit
        return (place / f"{self.unit}.html").read_text("utf-8")


def code(source: str, *outputs: NotebookNode) -> NotebookNode:
    """A code cell that has shown `outputs`."""
    return v4.new_code_cell(source, outputs=list(outputs))


def display(**data: str) -> NotebookNode:
    """What `display` shows; `image_png` stands for image/png."""
    kinds = {name.replace("_", "/", 1): text for name, text in data.items()}
    return v4.new_output("display_data", data=kinds)
