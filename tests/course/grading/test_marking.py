"""Points given by hand are kept whatever is graded again; another answer waits for a review."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from nbgrader.api import Gradebook

from helpers.course import export
from helpers.course.authoring.nbgrade import COURSE, gradebook
from helpers.course.grading import grade, marking
from helpers.course.grading.regrade import Choice
from helpers.course.settings import Course, CourseError
from tests.course.judged import UNIT, Desk, desk
from tests.course.pages.entered import RIGHT, Classroom

__all__ = ["desk"]
MINE = {"double": "return x + x"}  # which the check does not know
Again = Callable[[Desk, pytest.MonkeyPatch], pd.DataFrame]


def _hand_in(desk: Desk, **answers: str) -> None:
    place = desk.root / "in" / "ada" / UNIT / f"{UNIT}.ipynb"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(desk.work(**answers))


def _give(out: Path, name: str, **given: Any) -> None:
    """As formgrader does."""
    with Gradebook(gradebook(out), COURSE) as book:
        found = book.find_grade(name, UNIT, UNIT, "ada")
        for key, value in (given | {"needs_manual_grade": False}).items():
            setattr(found, key, value)
        book.db.commit()


def _mend(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.setattr(grade, "LIBRARY", "mended")
    return desk.grade(desk.root / "in")


def _a_newer_check(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    desk.accepted["double"].add(MINE["double"])
    return _mend(desk, monkeypatch)


def _a_newer_notebook(desk: Desk, _: pytest.MonkeyPatch) -> pd.DataFrame:
    _hand_in(desk, double=MINE["double"] + "\n\n", triple="return 3 * x  # at last")
    return desk.grade(desk.root / "in")


def _the_old_notebook_gone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    shutil.rmtree(desk.out / "submitted")
    return _mend(desk, monkeypatch)


def _chosen(**choice: Any) -> Again:
    return lambda desk, _: desk.grade(desk.root / "in", choice=Choice(**choice))


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(lambda desk, _: desk.grade(desk.root / "in"), id="a second run"),
        pytest.param(_chosen(learners=("ada",)), id="--only"),
        pytest.param(_chosen(unit=UNIT, exercise="triple"), id="--exercise"),
        pytest.param(_chosen(unit=UNIT, exercise="double"), id="--exercise, the same"),
        _mend,
        _a_newer_check,
        _a_newer_notebook,
        _the_old_notebook_gone,
    ],
)
def test_points_given_by_hand_are_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, again: Again
) -> None:
    _hand_in(desk, **MINE)
    assert desk.grade(desk.root / "in").score[0] == "2.0"
    _give(desk.out, "double-test", manual_score=1.5, extra_credit=0.25)
    with Gradebook(gradebook(desk.out), COURSE) as book:
        book.find_comment("double", UNIT, UNIT, "ada").manual_comment = "Well done."
        book.db.commit()
    row = again(desk, monkeypatch).iloc[0]
    assert (float(row.score), float(row.pending), row.status) == (3.75, 0, "graded")
    page = (desk.out / "feedback" / "ada" / UNIT / f"{UNIT}.html").read_text()
    assert "Well done." in page and "<strong>3.75</strong> of 4" in page


@pytest.mark.parametrize("given", [{"manual_score": 1.5}, {"extra_credit": 1.5}])
def test_another_answer_waits_until_somebody_has_looked_at_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, given: dict[str, float]
) -> None:
    _hand_in(desk, **MINE)
    desk.grade(desk.root / "in")
    _give(desk.out, "double-test", **given)
    _hand_in(desk, double="return x * x")
    for _ in range(2):  # the second time it is as it was
        row = desk.grade(desk.root / "in", choice=Choice(("ada",))).iloc[0]
        assert (row.score, row.pending) == ("3.5", "2.0")
    changes = (desk.out / "changes.csv").read_text()
    assert 'double,1.5,"1.5, pending"' in changes and "triple" not in changes
    _give(desk.out, "double-test", **given)
    assert float(_mend(desk, monkeypatch).pending[0]) == 0


def test_an_essay_waits_only_if_it_is_another(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classroom = Classroom(tiny, tmp_path / "out")
    assert classroom.enter("ada", RIGHT)["pending"] == 4
    _give(classroom.out, "why", manual_score=3)
    assert classroom.enter("ada", RIGHT, essay="It is so.\n")["pending"] == 0
    shutil.rmtree(classroom.out / "submitted")  # autograded/ has it as a page
    assert classroom.enter("ada", RIGHT)["pending"] == 0
    write = marking._write
    monkeypatch.setattr(marking, "_write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # and then the machine stops
        classroom.enter("ada", RIGHT, essay="It is otherwise.")
    monkeypatch.setattr(marking, "_write", write)
    row = classroom.enter("ada", RIGHT, essay="It is otherwise.")
    assert (row["score"], row["pending"]) == (5, 4)


def test_marks_that_are_in_no_gradebook_are_none(desk: Desk) -> None:
    _hand_in(desk)
    desk.grade(desk.root / "in")
    (desk.out / "gradebook.db").unlink()
    with pytest.raises(CourseError, match=r"holds no gradebook\.db"):
        export.export(desk.out, "moodle", None, "", "")
