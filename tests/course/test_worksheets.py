"""Tables of platforms: read and written, and whose row is whose."""

import csv
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from helpers.course import export
from helpers.course.grading import worksheets
from helpers.course.grading.gradebook import ClassGradebook
from helpers.course.intake import Submission
from helpers.course.intake.platforms import PLATFORMS
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk
from tests.course.test_export import MOODLE


def _table(header: str, *rows: str) -> pd.DataFrame:
    return pd.DataFrame([row.split(",") for row in rows], columns=header.split(","))


def test_a_number_counts_for_more_than_a_name() -> None:
    """Who goes by a name that leads to another's row neither has it nor keeps the other from it."""
    table = _table("Identifier,Email address,Grade", "Participant 7,ada@uni.edu,")
    learners = _table("student,platform_id", "Ada-Lovelace-7,7", "ada@uni.edu,")
    for order in (learners, learners[::-1]):
        found, without = worksheets.matched(PLATFORMS["moodle"], table, order)
        assert (found, without) == ({0: "Ada-Lovelace-7"}, {"ada@uni.edu": "no row is theirs"})


@pytest.mark.parametrize(
    ("platform", "header", "row", "student"),
    [
        ("brightspace", "Username,,Grade", "#ada.l,,", "ADA.L"),
        ("moodle", "ID number,,Grade", "2001,,", "2001"),
        ("moodle", "First name,Last name,Grade", "Ada,Lovelace,", "Ada-Lovelace"),
    ],
)
def test_a_learner_without_a_number_is_found(
    platform: str, header: str, row: str, student: str
) -> None:
    table = _table(header, "x,y,z", row)
    found = worksheets.matched(
        PLATFORMS[platform], table, _table("student,platform_id", f"{student},")
    )
    assert found == ({1: student}, {})


def test_a_table_is_read_whatever_parts_its_columns(tmp_path: Path) -> None:
    for sign in (",", ";", "\t"):
        text = f"a{sign} b {sign}c\n1{sign}2\n\n3{sign}4{sign}5\n"
        (path := tmp_path / "x.csv").write_text(text)
        assert worksheets.read(path).equals(_table("a,b,c", "1,2,", "3,4,5"))


def test_no_cell_that_is_written_is_a_formula(tmp_path: Path) -> None:
    harmful = [f"{sign}1" for sign in (*"=+-@\t\r\n", " =", " +", "\t-", " @")]
    table = pd.DataFrame({"-": harmful, "=2.5": "-"})
    worksheets.write(table, path := tmp_path / "x.csv")
    with path.open(newline="") as file:
        assert [*csv.reader(file)] == [["-", "'=2.5"], *([f"'{each}", "-"] for each in harmful)]


def test_of_several_units_only_that_which_is_named_goes_out(desk: Desk, tmp_path: Path) -> None:
    work = desk.archive(**{MOODLE.format("Ada", 101): desk.work()})
    desk.grade(work, platform="moodle")
    with closing(ClassGradebook(desk.out)) as book:
        book.refuse(Submission("Zoe-102", "02-later", platform_id="102"), "empty")
        book.refuse(Submission("Ada-101", ""), "a notebook of no unit")
    with pytest.raises(CourseError, match="has 01-tiny, 02-later: name one of them with --unit"):
        export.export(desk.out, "moodle", tmp_path, "", "")
    (sheet := tmp_path / "x.csv").write_text(
        "Identifier,Grade,Last modified (grade)\nParticipant 101,,-\nParticipant 102,,-\n"
    )
    said = export.export(desk.out, "moodle", sheet, UNIT, "")
    written = desk.out / "export" / f"{UNIT}-moodle.csv"
    rows = worksheets.read(written).to_numpy().tolist()
    assert rows == [["Participant 101", "4", "-"], ["Participant 102", "", "-"]]
    assert not [each for each in said if "Zoe" in each or "without a mark" in each]
