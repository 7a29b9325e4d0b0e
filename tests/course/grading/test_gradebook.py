"""A batch comes into the gradebook as a whole; points given by hand stay, or wait for a review."""

import shutil
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from nbgrader.api import InvalidEntry

from helpers.course import export
from helpers.course.grading import autograde, grade, journal
from helpers.course.grading.execute import Result
from helpers.course.grading.gradebook import ClassGradebook, refresh
from helpers.course.intake import Submission
from helpers.course.pages import feedback
from helpers.course.pages.feedback import Mark
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk, book, give
from tests.course.pages.entered import RIGHT, Classroom

MINE = {"double": "return x + x"}  # which the check does not know
Again = Callable[[Desk, pytest.MonkeyPatch], pd.DataFrame]


def _mend(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.setattr(grade, "LIBRARY", "mended")
    return desk.grade()


def _a_newer_check(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    desk.accepted["double"].add(MINE["double"])
    return _mend(desk, monkeypatch)


def _a_newer_notebook(desk: Desk, _: pytest.MonkeyPatch) -> pd.DataFrame:
    desk.hand_in(ada=desk.work(double=MINE["double"] + "\n\n", triple="return 3 * x  # at last"))
    return desk.grade()


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(lambda desk, _: desk.grade(learners=["ada"]), id="--only"),
        _a_newer_check,
        _a_newer_notebook,
    ],
)
def test_points_given_by_hand_are_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, again: Again
) -> None:
    desk.hand_in(ada=desk.work(**MINE))
    assert desk.grade().score[0] == "2.0"
    give(desk.out, "ada", "double-test", manual_score=1.5, extra_credit=0.25)
    with book(desk.out) as found:
        found.find_comment("double", UNIT, UNIT, "ada").manual_comment = "Well done."
    row = again(desk, monkeypatch).iloc[0]
    assert (float(row.score), float(row.pending), row.status) == (3.75, 0, "graded")
    page = desk.page("ada")
    assert "Well done." in page and "<strong>3.75</strong> of 4" in page


@pytest.mark.parametrize("given", [{"manual_score": 1.5}, {"extra_credit": 1.5}])
def test_another_answer_waits_until_somebody_has_looked_at_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, given: dict[str, float]
) -> None:
    desk.hand_in(ada=desk.work(**MINE))
    desk.grade()
    give(desk.out, "ada", "double-test", **given)
    desk.hand_in(ada=desk.work(double="return x * x"))
    for _ in range(2):  # the second time it is as it was
        row = desk.grade(learners=["ada"]).iloc[0]
        assert (row.score, row.pending) == ("3.5", "2.0")
    give(desk.out, "ada", "double-test", **given)
    assert float(_mend(desk, monkeypatch).pending[0]) == 0


def test_an_essay_waits_only_if_it_is_another(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert classroom.enter("ada", RIGHT)["pending"] == 4
    give(classroom.out, "ada", "why", manual_score=3)
    assert classroom.enter("ada", RIGHT, essay="It is so.\n")["pending"] == 0
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(journal, "told", lambda *_: 1 / 0)  # all is written; the machine stops
        classroom.enter("ada", RIGHT, essay="It is otherwise.")
    assert classroom.again("ada") is None  # its files are another's, so its marks are none
    assert refresh(classroom.out).status[0].startswith("not graded to the end")
    row = classroom.enter("ada", RIGHT, essay="It is otherwise.")
    assert (row["score"], row["pending"]) == (5, 4)


def test_a_submission_is_in_the_gradebook_as_a_whole_or_not_at_all(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = Result()
    autograde.complete(result, Mark(UNIT, "ada", result.grades), classroom.built.released)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with classroom.opened() as book:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(journal, "put", stopped)
            book.enter(Submission("ada", UNIT), "a key", result)
        assert book.book.students == [] and journal.entries(classroom.out) == []
        assert book.enter(Submission("ada", UNIT), "a key", result)["status"] == "graded"
    assert len(journal.entries(classroom.out)) == 1


def test_one_that_is_refused_costs_the_others_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = desk.archive(**{f"{who}/{UNIT}.ipynb": desk.work() for who in ("ada", "bob", "eve")})
    enter = ClassGradebook.enter

    def refusing(book: ClassGradebook, found: Submission, *rest: Any) -> dict[str, Any]:
        if found.student == "bob":
            raise InvalidEntry("it is refused")  # by nbgrader
        return enter(book, found, *rest)

    monkeypatch.setattr(ClassGradebook, "enter", refusing)
    rows = desk.grade(archive, workers=2)
    assert rows.status.tolist() == ["graded", "not graded: InvalidEntry('it is refused')", "graded"]
    assert rows.score.tolist() == ["4.0", "0.0", "4.0"]
    assert sorted(e["row"]["student"] for e in journal.graded(desk.out)) == ["ada", "eve"]


def test_a_page_that_cannot_be_rendered_costs_no_marks(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    classroom.enter("ada", RIGHT)
    give(classroom.out, "ada", "why", manual_score=3)
    with monkeypatch.context() as patched:
        patched.setattr(feedback, "render", lambda *_: 1 / 0)
        row = classroom.again("ada")
        now = refresh(classroom.out).iloc[0]
        entered = classroom.enter("ada", RIGHT)
    assert entered["score"] == 5 and entered["status"].endswith("division by zero")
    assert row and row["score"] == now["score"] == 5
    assert row["status"] == now["status"] == "graded, without a feedback page: division by zero"
    assert not (classroom.out / "feedback" / "ada" / UNIT / f"{UNIT}.html").exists()
    row = classroom.again("ada")
    assert row and row["status"] == "graded"
    assert "<strong>5</strong>" in classroom.page("ada")


def test_notebooks_that_somebody_removed_are_made_anew(desk: Desk) -> None:
    desk.hand_in(ada=desk.work(), bob=desk.work())
    desk.grade()
    for kind in ("submitted", "feedback"):
        shutil.rmtree(desk.out / kind / "ada")
    assert [float(each) for each in desk.grade().score] == [4, 4]
    assert len(desk.executed) == 3
    assert (desk.out / "submitted" / "ada" / UNIT / f"{UNIT}.ipynb").exists()


def test_the_time_of_an_earlier_try_does_not_stay(desk: Desk) -> None:
    desk.hand_in("2026-11-20 10:11:00 UTC", ada=desk.work())
    times = []
    for _ in range(2):
        desk.grade()
        with book(desk.out) as found:
            times.append(str(found.find_submission(UNIT, "ada").timestamp))
        (desk.root / "in" / "ada" / UNIT / "timestamp.txt").unlink(missing_ok=True)
    assert times == ["2026-11-20 10:11:00", "None"]


def test_export_waits_for_a_run_that_is_grading(desk: Desk) -> None:
    desk.hand_in(ada=desk.work())
    desk.grade()
    with journal.writing(desk.out), pytest.raises(CourseError, match="somebody is grading"):
        export.export(desk.out, "moodle", desk.root, "", "")


def test_a_helper_that_is_another_asks_for_a_review(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.hand_in(ada=desk.work(**MINE))
    desk.grade()
    give(desk.out, "ada", "double-test", manual_score=1.5)
    notebook = desk.work(**MINE)
    desk.hand_in(ada=notebook + "\n")
    assert float(desk.grade().pending[0]) == 0
    desk.accepted["double"].add(MINE["double"])
    desk.hand_in(ada=notebook + "\n\n")
    assert float(desk.grade().pending[0]) == 2
