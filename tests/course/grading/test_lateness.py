"""Late by a due date with a time zone: what it costs, where it is shown, and what is refused."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from nbgrader.api import Gradebook

from helpers.course.authoring.nbgrade import Grader, gradebook
from helpers.course.cli import main
from helpers.course.grading import lateness, marking, regrade
from helpers.course.grading.lateness import Policy
from helpers.course.intake import Submission
from helpers.course.pages import report
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk, desk

__all__ = ["desk"]
BERLIN = ZoneInfo("Europe/Berlin")
RULES = """\
policy = "10% per day, 15 minutes of grace, nothing after 5 days"
zone = "Europe/Berlin"
[due]
01-tiny = 2026-10-24T23:59:00+02:00
"""
DAILY = Policy(0.1, "day", timedelta(minutes=15), 5)


@pytest.mark.parametrize(
    ("due", "handed_in", "lost"),
    [
        # The clocks go back in the night after the 24th: 25 hours are one day of the clock.
        ("2026-10-24T23:59+02:00", "2026-10-25T23:59+01:00", 0.1),
        ("2026-10-24T23:59+02:00", "2026-10-26T00:00+01:00", 0.2),
        # And forward in the night after the 28th of March: 23 hours are one.
        ("2026-03-28T23:59+01:00", "2026-03-29T23:59+02:00", 0.1),
        ("2026-03-28T23:59+01:00", "2026-03-30T00:00+02:00", 0.2),
        ("2026-10-24T23:59+02:00", "2026-10-24T23:59+02:00", 0.0),
        ("2026-10-24T23:59+02:00", "2026-10-25T00:14+02:00", 0.0),
        ("2026-10-24T23:59+02:00", "2026-10-24T22:15+00:00", 0.1),  # grace is over, seen from UTC
        ("2026-10-24T23:59+02:00", "2026-10-29T23:59+01:00", 0.5),
        ("2026-10-24T23:59+02:00", "2026-10-30T00:00+01:00", 1.0),
        # An hour that the clock shows twice: late all the same.
        ("2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00", 0.1),
    ],
)
def test_a_day_ends_at_the_same_time_of_the_clock(due: str, handed_in: str, lost: float) -> None:
    at = datetime.fromisoformat(due).astimezone(BERLIN)
    assert DAILY.lost(at, datetime.fromisoformat(handed_in)) == pytest.approx(lost)


def test_without_a_zone_a_day_has_24_hours_and_an_hour_60_minutes() -> None:
    due = datetime(2026, 10, 24, 23, 59, tzinfo=timezone(timedelta(hours=2)))
    after = datetime(2026, 10, 25, 23, 59, tzinfo=BERLIN)  # 25 hours
    assert DAILY.lost(due, after) == pytest.approx(0.2)
    hourly = Policy(0.03, "hour", timedelta(0), float("inf"))
    assert hourly.lost(due.astimezone(BERLIN), after) == pytest.approx(0.75)
    assert hourly.lost(due, due + timedelta(days=9)) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[due]\n01-tiny = 2026-10-24T23:59:00", "has no time zone. Write 2026-10-24T23:59:00+00"),
        (
            'zone = "Europe/Berlin"\n[due]\n01-tiny = 2026-10-24T23:59:00',
            "Write 2026-10-24T23:59:00+02:00 if Europe/Berlin is meant",
        ),
        ("[due]\n01-tiny = 2026-10-24", "should be like 2026-10-24T23:59:00+02:00"),
        ('[due]\n01-tiny = "tomorrow"', "should be like 2026-10-24T23:59:00+02:00"),
        ("due = 2026-10-24T23:59:00Z", "below [due] stand lines"),
        ("[due]\n02-small = 2026-10-24T23:59:00Z", "no unit 02-small; there are 01-tiny"),
        ('policy = "10% a week"', "should be like"),
        ('policy = "101% per day"', "should be like"),
        ('policy = "5% per hour, nothing after 2 days"', "should be like"),
        ('zone = "Berlin"', 'should be like "Europe/Berlin"'),
        ("grace = 5", "has grace; it may have policy, zone and [due]"),
        ("[due", "cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_write(
    tmp_path: Path, text: str, told: str
) -> None:
    (given := tmp_path / "given.toml").write_text(text)
    with pytest.raises(CourseError) as raised:
        lateness.settle(tmp_path, given, [UNIT])
    assert told in str(raised.value)
    assert not (tmp_path / "late.toml").exists()
    with pytest.raises(CourseError, match="cannot be read"):
        lateness.settle(tmp_path, tmp_path / "none.toml", [UNIT])


def test_lateness_is_in_the_table_on_the_page_and_in_the_report(desk: Desk) -> None:
    times = {"ada": "2026-10-25 22:59:00 UTC", "bob": "2026-10-24 21:59:00 UTC", "kim": ""}
    for student, said in times.items():
        place = desk.root / "in" / student / UNIT / f"{UNIT}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_text(desk.work(triple="return x") if student == "kim" else desk.work())
        if said:
            place.with_name("timestamp.txt").write_text(said)
    rows = desk.grade(desk.root / "in")
    assert set(rows.late) == {""} and set(rows.penalty) == {"0.0"}
    (rules := desk.root / "rules.toml").write_text(RULES)
    for late in (rules, None):  # the second time OUT has them
        rows = desk.grade(desk.root / "in", late=late).set_index("student")
        assert rows.late.to_dict() == {"ada": "1 d 1 h", "bob": "no", "kim": "not known"}
        assert rows.penalty.to_dict() == {"ada": "0.4", "bob": "0.0", "kim": "0.0"}
        assert rows.score.to_dict() == {"ada": "4.0", "bob": "4.0", "kim": "2.0"}
    assert len(desk.executed) == 3
    page = (desk.out / "feedback" / "ada" / UNIT / f"{UNIT}.html").read_text()
    assert "Handed in 1 d 1 h after the due date." in page
    assert "<strong>3.6</strong> of 4" in page
    assert (
        "after the due date"
        not in (desk.out / "feedback" / "bob" / UNIT / f"{UNIT}.html").read_text()
    )
    text = report.write(desk.course, desk.out).read_text()
    section = text.split('<section aria-labelledby="late">')[1].split("</section>")[0]
    assert "10% per day, 15 minutes of grace, nothing after 5 days" in section
    assert "1 d 1 h" in section and "not known" in section and "bob" not in section

    with Gradebook(gradebook(desk.out), "order-matters") as book:  # as formgrader shows it
        assert book.find_assignment(UNIT).duedate == datetime(2026, 10, 24, 21, 59)
        book.find_submission(UNIT, "ada").extension = timedelta(days=1, hours=1)
        book.db.commit()
    rows = desk.grade(desk.root / "in").set_index("student")
    assert (rows.late["ada"], rows.penalty["ada"]) == ("no", "0.0")
    assert (
        "<strong>4</strong> of 4"
        in (desk.out / "feedback" / "ada" / UNIT / f"{UNIT}.html").read_text()
    )


def test_only_what_is_late_gets_its_page_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are the workers' to write: the one process that keeps the gradebook has no time."""
    for student, said in {"ada": "25", "bob": "23", "eve": "26"}.items():
        place = desk.root / "in" / student / UNIT / f"{UNIT}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_text(desk.work())
        place.with_name("timestamp.txt").write_text(f"2026-10-{said} 12:00:00 UTC")
    (rules := desk.root / "rules.toml").write_text(RULES)
    written = []
    write = marking._rendered

    def seen(grader: Grader, found: Submission) -> str:
        written.append(found.student)
        return write(grader, found)

    monkeypatch.setattr(marking, "_rendered", seen)
    rows = desk.grade(desk.root / "in", late=rules).set_index("student")
    assert rows.late.to_dict() == {"ada": "14 h 1 min", "bob": "no", "eve": "1 d 14 h 1 min"}
    assert sorted(written) == ["ada", "eve"]


def test_brightspaces_clock_is_that_of_the_zone_and_canvas_says_late(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (rules := desk.root / "rules.toml").write_text(RULES)
    folder = "5-7 - Ada - Oct 26, 2026 1200 AM/x.ipynb"
    archive = desk.archive(**{folder: desk.work(), "bob_LATE_3_4_x.ipynb": desk.work()})
    rows = desk.grade(archive, late=rules).set_index("student")
    assert rows.late.to_dict() == {
        "Ada-5": "1 d 1 h 1 min",
        "bob-3": "yes, by Canvas; by how much is not known",
    }
    assert rows.penalty.to_dict() == {"Ada-5": "0.8", "bob-3": "0.0"}
    rules.write_text("[due]\n01-tiny = 2026-10-24T23:59:00+02:00\n")
    monkeypatch.chdir(desk.course.root)
    command = ["grade", str(archive), "--out", str(desk.out), "--no-sandbox", "--late", str(rules)]
    assert main(command) == 0
    assert "late  penalty" in capsys.readouterr().out
    rows = regrade.rows_of(desk.out).set_index("student")
    assert (rows.late["Ada-5"], rows.penalty["Ada-5"]) == ("not known", "0.0")
    assert lateness.words(59) == "1 min" and lateness.words(0) == ""


def test_a_due_date_may_be_moved_and_a_policy_cost_parts_of_a_percent(tmp_path: Path) -> None:
    found = Submission("ada", UNIT, tmp_path, when="2026-10-24 23:30:00.000000 UTC")
    path, text = tmp_path / "rules.toml", 'policy = "2.5% per hour"\n[due]\n01-tiny = {}'
    with Gradebook("sqlite:///") as book:
        book.add_assignment(UNIT)
        book.add_notebook(UNIT, UNIT)
        book.add_grade_cell("double-test", UNIT, UNIT, max_score=4, cell_type="code")
        book.add_student("ada")
        entered = book.add_submission(UNIT, "ada")
        book.find_grade("double-test", UNIT, UNIT, "ada").auto_score = 2
        for due, late, penalty in (("22:00", "1 h 30 min", 0.1), ("23:00", "30 min", 0.05)):
            path.write_text(text.format(f"2026-10-24T{due}:00Z"))
            told, _ = lateness.charge(entered, found, lateness.read(path))
            assert told == {"late": late, "penalty": penalty}
