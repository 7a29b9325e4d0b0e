"""Late by a due date with a time zone: what it costs, where it is shown, and what is refused."""

import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from helpers.course import report
from helpers.course.cli import main
from helpers.course.grading import journal, lateness
from helpers.course.grading.lateness import Rules
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk, book, hand_in

BERLIN = ZoneInfo("Europe/Berlin")
RULES = """\
percent = 10
per = "day"
grace = 15
nothing_after = 5
zone = "Europe/Berlin"
[due]
01-tiny = 2026-10-24T23:59:00+02:00
"""
DAILY = Rules(percent=10, grace=15, nothing_after=5)


@pytest.mark.parametrize(
    ("due", "handed_in", "lost"),
    [
        # The clocks go back in the night after the 24th: 25 hours are one day of the clock.
        ("2026-10-24T23:59+02:00", "2026-10-25T23:59+01:00", 0.1),
        ("2026-10-24T23:59+02:00", "2026-10-26T00:00+01:00", 0.2),
        # And forward in the night after the 28th of March: 23 hours are one.
        ("2026-03-28T23:59+01:00", "2026-03-30T00:00+02:00", 0.2),
        ("2026-10-24T23:59+02:00", "2026-10-25T00:14+02:00", 0.0),
        ("2026-10-24T23:59+02:00", "2026-10-24T22:15+00:00", 0.1),  # grace is over, seen from UTC
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
    hourly = Rules(percent=3, per="hour")
    assert hourly.lost(due.astimezone(BERLIN), after) == pytest.approx(0.75)
    assert hourly.lost(due, due + timedelta(days=9)) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[due]\n01-tiny = 2026-10-24T23:59:00", "01-tiny = 2026-10-24 23:59:00 is no due date"),
        ("[due]\n01-tiny = 2026-10-24", "with a time zone: 2026-10-24T23:59:00+02:00"),
        ("[due]\npercent = 10", "percent = 10 is no due date with a time zone"),
        ("[due]\n02-small = 2026-10-24T23:59:00Z", "no unit 02-small; there are 01-tiny"),
        ('policy = "10% per day"', "there is no policy; see docs/grading.md"),
        ("percent = 101", "percent is a number from 0 to 100"),
        ('percent = "5"', "percent is a number from 0 to 100, not '5'"),
        ("percent = true", "percent is a number from 0 to 100, not True"),
        ("due = 2026-10-24T23:59:00+02:00", "due is a table"),
        ("due = 2026-10-24", "due is a table"),
        ("due = [5]", "due is a table"),
        ("[[due]]\n01-tiny = 2026-10-24T23:59:00Z", "due is a table"),
        ('percent = 5\nper = "week"', 'per is "day" or "hour"'),
        ('percent = 5\nper = ["day"]', 'per is "day" or "hour"'),
        ('counts = "all"', 'counts is "last" or "best"'),
        ("percent = 5\ngrace = -1", "grace is a number from 0 to"),
        ("percent = 5\nnothing_after = inf", "nothing_after is a number from 0 to"),
        ("grace = 5", "percent is missing"),  # of which policy?
        ('zone = "Berlin"', 'there is no zone Berlin, but "Europe/Berlin", say'),
        ("zone = false", "there is no zone False"),
        ("[due", "Expected ']'"),
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
    with pytest.raises(CourseError, match=r"none\.toml cannot be read"):
        lateness.settle(tmp_path, tmp_path / "none.toml", [UNIT])


def test_a_due_date_is_by_its_own_clock_or_by_that_of_the_zone(tmp_path: Path) -> None:
    (path := tmp_path / "late.toml").write_text(
        'zone = "Europe/Berlin"\n[due]\na = 2026-10-24T23:59:00\nb = 2026-10-24T23:59:00Z'
    )
    due = lateness.read(path).due
    assert [due[each].utcoffset() for each in "ab"] == [timedelta(hours=2), timedelta(0)]


def test_lateness_is_in_the_table_on_the_page_and_in_the_report(desk: Desk) -> None:
    desk.hand_in("2026-10-25 22:59:00 UTC", ada=desk.work())
    desk.hand_in("2026-10-24 21:59:00 UTC", bob=desk.work())
    desk.hand_in("2026-10-26 23:59:00 UTC", eve=desk.work())
    desk.hand_in(kim=desk.work(triple="return x"))
    rows = desk.grade()
    assert set(rows.late) == {""} and set(rows.penalty) == {"0.0"}
    (rules := desk.root / "rules.toml").write_text(RULES)
    for late in (rules, None):  # the second time OUT has them
        rows = desk.grade(late=late).set_index("student")
        assert [*rows.index] == ["ada", "bob", "eve", "kim"]
        assert [*rows.late] == ["1 d 1 h", "no", "2 d 2 h", "not known"]
        assert [*rows.penalty] == ["0.4", "0.0", "1.2", "0.0"]
        assert [*rows.score] == ["4.0", "4.0", "4.0", "2.0"]
    assert len(desk.executed) == 4
    page = desk.page("ada")
    assert "Handed in 1 d 1 h after the due date." in page
    assert "<strong>3.6</strong> of 4" in page
    assert "after the due date" not in desk.page("bob")
    text = report.write(desk.course, desk.out, journal.read(desk.out)).read_text()
    section = text.split('<section aria-labelledby="late">')[1].split("</section>")[0]
    assert "10% per day, 15 minutes of grace, nothing after 5 days" in section
    assert "1 d 1 h" in section and "not known" in section and "bob" not in section

    with book(desk.out) as found:  # as formgrader shows it
        assert found.find_assignment(UNIT).duedate == datetime(2026, 10, 24, 21, 59)
        found.find_submission(UNIT, "ada").extension = timedelta(days=1, hours=1)
        found.find_submission(UNIT, "eve").extension = timedelta(days=1)  # not all of the delay
    rows = desk.grade().set_index("student")
    assert (rows.late["ada"], rows.penalty["ada"]) == ("no", "0.0")
    assert (rows.late["eve"], rows.penalty["eve"]) == ("1 d 2 h", "0.8")
    assert "<strong>4</strong> of 4" in desk.page("ada")


def test_brightspaces_clock_is_that_of_the_zone_and_canvas_says_late(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (rules := desk.root / "rules.toml").write_text(RULES)
    archive = desk.archive(**{"bob_LATE_3_4_x.ipynb": desk.work()})
    [row] = desk.grade(archive, late=rules, platform="canvas").itertuples()
    assert (row.late, row.penalty) == ("yes, by Canvas; by how much is not known", "0.0")
    archive = desk.archive(**{"5-7 - Ada - Oct 26, 2026 1200 AM/x.ipynb": desk.work()})
    row = desk.grade(archive, late=rules, platform="brightspace").iloc[0]
    assert (row.student, row.late, row.penalty) == ("Ada-5", "1 d 1 h 1 min", "0.8")
    rules.write_text("[due]\n01-tiny = 2026-10-24T23:59:00+02:00\n")
    monkeypatch.chdir(desk.course.root)
    command = ["grade", str(archive), "--out", str(desk.out), "--no-sandbox", "--late", str(rules)]
    assert main([*command, "--platform", "brightspace"]) == 0
    assert "late  penalty" in capsys.readouterr().out
    rows = journal.read(desk.out).set_index("student")
    assert (rows.late["Ada-5"], rows.penalty["Ada-5"]) == ("not known", 0)


TRIES = {  # of one learner, by the day; due is the first, and two of them are the same
    "01": {"double": "return x"},
    "02": {},
    "03": {},
    "04": {"double": "return x", "triple": "return x"},
}


def test_the_best_of_several_tries_counts_after_lateness(desk: Desk) -> None:
    inbound = desk.root / "inbound"
    for day, wrong in TRIES.items():
        when = f"2026-10-{day} 10:00:00 UTC"
        hand_in(desk.root / day, UNIT, when, ada=desk.work(**wrong))
        folder = shutil.move(desk.root / day / "ada" / UNIT, inbound / f"ada+{UNIT}+{when}+{day}")
        (Path(folder) / "submission_secret.txt").write_text(day)
    rules = desk.root / "rules.toml"
    secret = desk.out / "feedback" / "ada" / UNIT / "submission_secret.txt"
    best, due = 'counts = "best"\n', f"[due]\n{UNIT} = 2026-10-01T12:00:00Z"
    for text, day, score, penalty, executed in (
        ("", "04", 0, 0, 1),
        (best, "03", 4, 0, 5),
        (f"{best}percent = 20\n{due}", "02", 4, 0.8, 9),
        (f"{best}percent = 20\n{due}", "02", 4, 0.8, 9),  # nothing is executed again
        (f"{best}percent = 60\n{due}", "01", 2, 0, 13),
        (f"percent = 60\n{due}", "04", 0, 0, 14),
    ):
        rules.write_text(text)
        [row] = desk.grade(inbound, late=rules).itertuples()
        assert (float(row.score), float(row.penalty)) == (score, penalty)
        named = f"of 4 notebooks, this counts: {UNIT}.ipynb, handed in 2026-10-{day}"
        assert named in row.repairs and named in desk.page("ada")
        assert (secret.read_text(), len(desk.executed)) == (day, executed)

    (desk.root / "class.csv").write_text(f"login,{UNIT}\nada,3\n")
    late = desk.root / "rules.toml"
    late.write_text(f"{best}percent = 60\n{due}")
    for people, day, score in ((None, "01", 2), (desk.root / "class.csv", "03", 4)):
        [row] = desk.grade(inbound, late=late, people=people).itertuples()
        assert f"handed in 2026-10-{day}" in row.repairs and float(row.score) == score


def test_in_a_group_the_best_of_one_members_tries_counts_for_all(desk: Desk) -> None:
    desk.hand_in(ada=desk.work())
    worse = desk.work(double="return x")
    (desk.root / "in" / "ada" / UNIT / f"{UNIT} (1).ipynb").write_text(worse)
    (desk.root / "class.csv").write_text("login,group\nada,red\nbob,red\n")
    (desk.root / "rules.toml").write_text('counts = "best"')
    files = {"late": desk.root / "rules.toml", "people": desk.root / "class.csv"}
    rows = desk.grade(**files).set_index("student")
    assert rows.score.to_dict() == {"ada": "4.0", "bob": "4.0"}
    assert "handed in for the group by ada" in rows.repairs["bob"]
