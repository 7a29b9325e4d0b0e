"""A made class, graded by the stock `nbgrader autograde`: its marks and its hints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearSolutions

from helpers.course import build, grade, made
from helpers.course.build import Built
from helpers.course.settings import Course, find
from tests.common import ROOT, UNITS


def _nbgrader(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _submissions(built: Built, unit: str) -> dict[str, nbformat.NotebookNode]:
    students = {"perfect": built.solution, "blank": built.released}
    for number, mistakes in enumerate(made.mistaken(unit)):
        wrong = {name: mistake.answer for name, mistake in mistakes.items()}
        students[f"mistaken-{number}"] = made.answered(built.solution, wrong)
    for number, answers in enumerate(made.varied(unit)):
        students[f"varied-{number}"] = made.answered(built.solution, answers)
    return students


@pytest.fixture(scope="module", params=UNITS)
def graded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """A unit and nbgrader's folder, with everyone graded by its own commands."""
    course, unit = find(ROOT), request.param
    folder = tmp_path_factory.mktemp(unit)
    built = build.make(course, unit, folder / "made")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    (folder / "build").mkdir()
    (folder / "made" / "source").rename(folder / "build" / "source")
    for student, notebook in _submissions(built, unit).items():
        target = folder / "submitted" / student / unit / f"{unit}.ipynb"
        target.parent.mkdir(parents=True)
        nbformat.write(notebook, target)
    _nbgrader(folder, "generate_assignment", unit)
    _nbgrader(folder, "autograde", unit)
    _nbgrader(folder, "generate_feedback", unit)
    return unit, folder


def _notebook(graded: tuple[str, Path], student: str) -> Path:
    unit, folder = graded
    return folder / "autograded" / student / unit / f"{unit}.ipynb"


def _gradebook(graded: tuple[str, Path]) -> dict[str, tuple[float, float]]:
    unit, folder = graded
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "order-matters") as book:
        return {s.student.id: (s.score, s.max_score) for s in book.assignment_submissions(unit)}


pytestmark = pytest.mark.xdist_group("class")


def test_the_perfect_have_all_points_and_the_blank_none(graded: tuple[str, Path]) -> None:
    marks = _gradebook(graded)
    points = sum(exercise.points for exercise in made.exercises(graded[0]).values())
    assert marks["perfect"] == (points, points)
    assert marks["blank"] == (0, points)
    for number in range(len(made.varied(graded[0]))):
        assert marks[f"varied-{number}"] == (points, points)


def test_every_mistake_loses_exactly_its_points_and_gets_its_own_hint(
    graded: tuple[str, Path],
) -> None:
    unit = graded[0]
    for number, mistakes in enumerate(made.mistaken(unit)):
        notebook = _notebook(graded, f"mistaken-{number}")
        scores = grade.scores(notebook)
        for name, exercise in made.exercises(unit).items():
            lost = mistakes[name].loses if name in mistakes else ()
            assert scores[name] == sum(p.points for p in exercise.parts if p.name not in lost)
        expected = {mistake.hint for mistake in mistakes.values()}
        assert set(grade.hints(notebook)) == expected


def test_feedback_shows_hints_and_no_hidden_test(graded: tuple[str, Path]) -> None:
    unit, folder = graded
    page = (folder / "feedback" / "mistaken-0" / unit / f"{unit}.html").read_text(encoding="utf-8")
    assert "Hint:" in page
    assert "HIDDEN TESTS" not in page
    assert "seed=" not in page


def test_the_stub_is_what_the_learner_finds(course: Course) -> None:
    """The released body is the stub of nbgrader_config.py and nothing of the answer."""
    text = nbformat.writes(nbformat.read(course.notebooks / UNITS[0] / f"{UNITS[0]}.ipynb", 4))
    assert "raise NotImplementedError()" in text
    assert ClearSolutions().code_stub["python"] not in text  # the default one shouts
