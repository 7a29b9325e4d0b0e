"""`course try`: a learner's own notebook, graded as the class's; only a page stays."""

from pathlib import Path

import pytest

from helpers.course import practice
from helpers.course.cli import main
from tests.course.judged import UNIT, Desk


def test_only_a_page_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(practice, "FIRST", UNIT)
    monkeypatch.chdir(desk.course.root)
    assert main(["try"]) == 1
    assert "there is no notebook" in capsys.readouterr().err
    place = desk.course.work / UNIT
    place.mkdir(parents=True)
    (place / f"{UNIT}.ipynb").write_text(desk.work(triple="return x"))
    assert main(["try"]) == 0
    said = capsys.readouterr().out
    page = place / f"{UNIT}-feedback.html"
    assert f"feedback: {page}\nNobody else has seen this, and no mark is kept." in said
    assert "<strong>2</strong> of 4" in page.read_text() and "That is not it." in said
    assert sorted(each.name for each in place.iterdir()) == [page.name, f"{UNIT}.ipynb"]

    (mine := desk.root / "mine.ipynb").write_text("{")
    assert main(["try", str(mine)]) == 1
    assert "could not be graded" in Path(desk.root / "mine-feedback.html").read_text()
