"""nbgrader's own commands in the folder of a graded class: safe, or refused."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import v4
from nbgrader.preprocessors import Execute

from helpers.course.authoring import nbgrade
from helpers.course.settings import Course
from tests.common import tiny_course
from tests.course.judged import book, give
from tests.course.pages.entered import RIGHT, UNIT, Classroom


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    root = tmp_path_factory.mktemp("desk")
    made = Classroom(tiny_course(root), root / "out")
    made.enter("ada", RIGHT)
    return made


def _nbgrader(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HOME": str(out), "JUPYTER_CONFIG_DIR": str(out)}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=out, env=environment, capture_output=True, text=True)


@pytest.mark.rotating
def test_feedback_shows_what_the_gradebook_has_and_no_hidden_test(classroom: Classroom) -> None:
    give(classroom.out, "ada", "why", manual_score=3)
    with book(classroom.out) as found:
        found.find_comment("why", UNIT, UNIT, "ada").manual_comment = "Good."
        found.find_submission_notebook(UNIT, UNIT, "ada").late_submission_penalty = 0.5
    (classroom.out / "feedback" / "ada" / UNIT / f"{UNIT}.html").unlink()
    done = _nbgrader(classroom.out, "generate_feedback", UNIT, "--force")
    assert done.returncode == 0, done.stderr
    text = re.sub(r"<[^>]+>", "", page := classroom.page("ada"))
    assert "4.5 of 6 points" in text and "3 of 4 points, given by hand" in text
    assert "Comment: Good." in text
    assert "HIDDEN" not in page and "seed=" not in page


def test_autograde_refuses_and_changes_nothing(classroom: Classroom) -> None:
    graded = classroom.out / "autograded" / "ada" / UNIT / f"{UNIT}.ipynb"
    before = graded.read_bytes()
    done = _nbgrader(classroom.out, "autograde", UNIT, "--force")
    assert done.returncode == 1 and "run `course grade` again" in done.stderr
    assert graded.read_bytes() == before


def test_what_nbgraders_own_autograde_trains_takes_twenty_steps(course: Course) -> None:
    cell = v4.new_code_cell("from helpers.runtime import profile\nprofile()")
    notebook = v4.new_notebook(cells=[cell])
    Execute(config=nbgrade.settings(course)).preprocess(notebook, {})
    assert notebook.cells[0].outputs[0].data["text/plain"] == "'dry'"
