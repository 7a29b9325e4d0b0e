"""A check is mended: one learner or one unit is graded again, and what changed."""

import stat
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from helpers.course.authoring.check_call import Check
from helpers.course.cli import main
from helpers.course.grading import execute, grade
from helpers.course.grading.execute import Result
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk

OTHER = {"double": "return x + x", "triple": "return x + x + x"}


def _class(desk: Desk) -> Path:
    """Three learners with right answers in other words, which the checks do not know yet."""
    desk.hand_in(**dict.fromkeys(("ada", "bob", "kim"), desk.work(**OTHER)))
    desk.grade()
    return desk.root / "in"


def _mend(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both checks know them now, which is another text of the helpers."""
    desk.accepted = {"double": {"return x + x\n", "return x + x"}, "triple": {"return x + x + x"}}
    monkeypatch.setattr(grade, "LIBRARY", "mended")
    desk.executed.clear()


def _scores(desk: Desk, submissions: Path, **choice: Any) -> list[str]:
    return list(desk.grade(submissions, **choice).score)


def test_one_learner(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    submissions = _class(desk)
    before = (desk.out / "grades.csv").read_text().splitlines()
    _mend(desk, monkeypatch)
    assert _scores(desk, submissions, learners=("bob",)) == ["0.0", "4.0", "0.0"]
    assert len(desk.executed) == 1
    after = (desk.out / "grades.csv").read_text().splitlines()
    assert [line for line in after if "bob" not in line] == [b for b in before if "bob" not in b]
    # A folder with that learner alone will do as well, and the others stay.
    only = desk.root / "only"
    only.mkdir()
    (submissions / "kim").rename(only / "kim")
    for choice in ({"learners": ("kim",)}, {}):
        assert _scores(desk, only, **choice) == ["0.0", "4.0", "4.0"]
    # A run without a choice takes up the rest.
    (only / "kim").rename(submissions / "kim")
    assert _scores(desk, submissions) == ["4.0", "4.0", "4.0"]
    assert len(desk.executed) == 3
    # Who is named is graded again, though nothing has changed.
    _scores(desk, submissions, learners=("ada",))
    assert len(desk.executed) == 4


def test_a_notebook_of_no_unit_has_a_row_until_the_learner_hands_in_another(desk: Desk) -> None:
    (place := desk.root / "in" / "ada").mkdir(parents=True)
    (place / "essay.ipynb").write_text("{}")
    assert desk.grade().unit.tolist() == [""]
    desk.hand_in(ada=desk.work())
    (place / "essay.ipynb").unlink()
    rows = desk.grade(learners=["ada"])
    assert rows.unit.tolist() == [UNIT] and rows.score.tolist() == ["4.0"]


def test_the_command_says_what_changed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    submissions = _class(desk)
    _mend(desk, monkeypatch)
    monkeypatch.chdir(desk.course.root)
    command = ["grade", str(submissions), "--out", str(desk.out), "--no-sandbox"]
    command += ["--only", "ada", "--unit", UNIT]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert f"\nChanged\nada, {UNIT}: 0 → 4 points\n" in said and "bob" not in said
    assert main(command) == 0
    assert "Changed" not in capsys.readouterr().out  # nothing did this time


def test_a_choice_of_nothing_is_refused(desk: Desk) -> None:
    submissions = _class(desk)
    before = (desk.out / "grades.csv").read_text()
    for choice, told in (
        ({"learners": ["nobody"]}, "nothing of nobody to grade again: name learners as"),
        ({"learners": ["nobody"], "unit": UNIT}, f"nothing of nobody to grade again in {UNIT}"),
        ({"learners": ["ada"], "unit": "02-small"}, f"no unit 02-small; there are {UNIT}"),
    ):
        with pytest.raises(CourseError, match=told):
            desk.grade(submissions, **choice)
        assert (desk.out / "grades.csv").read_text() == before


def test_out_is_beside_the_submissions_and_the_course(desk: Desk) -> None:
    submissions = desk.hand_in(ada=desk.work())
    for place in (submissions, submissions / "out", desk.course.root, desk.root):
        desk.out = place
        with pytest.raises(CourseError, match="name a"):
            desk.grade(submissions)


def test_the_first_run_may_be_of_one_unit(desk: Desk) -> None:
    desk.hand_in(ada=desk.work())
    assert desk.grade(unit=UNIT).score.tolist() == ["4.0"]


def test_each_notebook_has_seeds_of_its_own_and_the_same_when_graded_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[frozenset[int]] = []
    real = execute.execute

    def noted(notebook: NotebookNode, tests: dict[str, Check], *more: Any) -> Result:
        seeds.append(frozenset(test.seed for test in tests.values()))
        return real(notebook, tests, *more)

    monkeypatch.setattr(execute, "execute", noted)
    desk.hand_in(ada=desk.work(), bob=desk.work(double="return x"))
    for _ in range(2):
        desk.grade()
        (desk.out / "gradebook.db").unlink()
    ada, bob = set(seeds)
    assert len(seeds) == 4 and len(ada | bob) == 4 and 1 not in ada | bob  # as in the source
    assert stat.S_IMODE((desk.out / "secret").stat().st_mode) == 0o600
