"""A synthetic class of a unit, graded by `course grade`, and one by stock nbgrader as well.

One mistake and one variant of each exercise go this way; that every one of them gets its marks and
its hint is in tests/checks/test_mistakes.py, which needs no kernel.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import checks
from helpers.course import demo
from helpers.course.authoring import build
from helpers.course.authoring.build import Built
from helpers.course.grading import grade
from helpers.course.settings import Course
from tests.checks import variants
from tests.common import ISOLATED, ROOT, UNITS
from tests.course import judged
from tests.course.judged import hand_in, scores
from tests.tiers import sample

pytestmark = [pytest.mark.usefixtures("warm_sandboxes"), pytest.mark.slow]
STOCK = "02-sinusoidal"  # the commands take half a minute
CHOSEN = sample([unit for unit in UNITS if unit != STOCK], 10)


def _hand_in(built: Built, unit: str, folder: Path) -> Path:
    mistakes = variants.mistaken(unit)[0]
    students = {"mistaken": demo.answered(built.solution, mistakes)}
    students["varied"] = demo.answered(built.solution, variants.in_submissions(unit)[0])
    if unit == STOCK:  # elsewhere tests/notebooks run it
        students["blank"] = built.released
    return hand_in(folder / "submitted", unit, **students)


@pytest.mark.parametrize("unit", [*CHOSEN, pytest.param(STOCK, marks=pytest.mark.rotating)])
def test_a_synthetic_class_gets_the_marks_and_hints_it_should(
    course: Course, unit: str, tmp_path: Path
) -> None:
    submissions = _hand_in(build.make(course, unit, tmp_path / "made"), unit, tmp_path)
    out = tmp_path / "ours"
    table = grade.grade(course, submissions, out, isolated=ISOLATED)
    rows = table.set_index("student")
    assert set(rows["flags"]) == {""}
    exercises = checks.exercises(unit)
    points = sum(exercise.points for exercise in exercises.values())
    assert rows.score["varied"] == points
    mistakes = variants.mistaken(unit)[0]
    expected = {
        name: sum(part.points for part in exercise.parts if part.name not in mistakes[name].loses)
        for name, exercise in exercises.items()
    }
    assert scores(out / "autograded" / "mistaken" / unit / f"{unit}.ipynb") == expected
    assert rows.score["mistaken"] == sum(expected.values()) < points
    assert set(rows.hints["mistaken"]) == {mistake.hint for mistake in mistakes.values()}
    _fit_for_learners(out / "feedback" / "mistaken" / unit / f"{unit}.html")
    if unit == STOCK:
        assert (rows.score["blank"], rows.repairs["blank"]) == (0, "")
        _same_by_nbgrader(tmp_path, unit, rows.score.to_dict())


def _same_by_nbgrader(folder: Path, unit: str, marks: dict[str, float]) -> None:
    """nbgrader's own commands, with the course's settings, give the same marks."""
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    (folder / "build").mkdir()
    (folder / "made" / "source").rename(folder / "build" / "source")
    for command in ("generate_assignment", "autograde", "generate_feedback"):
        _nbgrader(folder, command, unit)
    assert judged.marks(folder, unit) == marks
    _fit_for_learners(folder / "feedback" / "mistaken" / unit / f"{unit}.html")


def _nbgrader(folder: Path, *arguments: str) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _fit_for_learners(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "Hint:" in page
    assert "HIDDEN TESTS" not in page
    assert "seed=" not in page
