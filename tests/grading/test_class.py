"""A made class, graded by the stock `nbgrader autograde` and by `course grade`: marks and hints.

Two mistakes and one variant of each exercise go this way; that every one of them gets its marks and
its hint is in tests/checks/test_mistakes.py, which needs no kernel.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from helpers.checks.exercise import Mistake
from helpers.course import build, grade, made, marking
from helpers.course.build import Built
from helpers.course.settings import Course
from tests.common import ISOLATED, ROOT, UNITS


def _nbgrader(folder: Path, *arguments: str) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _submissions(built: Built, unit: str) -> dict[str, nbformat.NotebookNode]:
    students = {"perfect": built.solution, "blank": built.released}
    for number, mistakes in enumerate(_mistaken(unit)):
        wrong = {name: mistake.answer for name, mistake in mistakes.items()}
        students[f"mistaken-{number}"] = made.answered(built.solution, wrong)
    students["varied"] = made.answered(built.solution, made.varied(unit)[0])
    return students


def _mistaken(unit: str) -> list[dict[str, Mistake]]:
    """A first and a second mistake of each exercise."""
    return made.mistaken(unit)[:2]


def _graded(course: Course, unit: str, folder: Path) -> Path:
    """nbgrader's folder, with everyone graded by its own commands."""
    built = build.make(course, unit, folder / "made")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    (folder / "build").mkdir()
    (folder / "made" / "source").rename(folder / "build" / "source")
    for student, notebook in _submissions(built, unit).items():
        target = folder / "submitted" / student / unit / f"{unit}.ipynb"
        target.parent.mkdir(parents=True)
        nbformat.write(notebook, target)
    for command in ("generate_assignment", "autograde", "generate_feedback"):
        _nbgrader(folder, command, unit)
    return folder


@pytest.mark.parametrize("unit", UNITS)
def test_a_made_class_gets_the_marks_and_hints_it_should(
    course: Course, unit: str, tmp_path: Path
) -> None:
    folder = _graded(course, unit, tmp_path)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "order-matters") as book:
        marks = {s.student.id: s.score for s in book.assignment_submissions(unit)}
    points = sum(exercise.points for exercise in made.exercises(unit).values())
    assert marks["blank"] == 0
    assert marks["perfect"] == marks["varied"] == points
    for number, mistakes in enumerate(_mistaken(unit)):
        student = f"mistaken-{number}"
        notebook = folder / "autograded" / student / unit / f"{unit}.ipynb"
        expected = {
            name: sum(
                part.points
                for part in exercise.parts
                if name not in mistakes or part.name not in mistakes[name].loses
            )
            for name, exercise in made.exercises(unit).items()
        }
        assert marking.scores(notebook) == expected
        assert marks[student] == sum(expected.values()) < points
        assert set(marking.hints(notebook)) == {mistake.hint for mistake in mistakes.values()}
    ours = grade.grade(course, folder / "submitted", tmp_path / "ours", isolated=ISOLATED)
    assert ours.set_index("student").score.to_dict() == marks
    assert set(ours["flags"]) == set(ours["repairs"]) == {""}
    for student, hints in ours[["student", "hints"]].itertuples(index=False):
        graded = folder / "autograded" / student / unit / f"{unit}.ipynb"
        assert hints == marking.hints(graded)
    _feedback_is_fit_for_learners(folder / "feedback" / "mistaken-0" / unit / f"{unit}.html")


def _feedback_is_fit_for_learners(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "Hint:" in page
    assert "HIDDEN TESTS" not in page
    assert "seed=" not in page
