"""Out as it came in: a zip in the form of each platform, and tables and feedback with its ids.

The worksheets have the columns that the platforms' sources or help name; none is a real course's.
"""

import csv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers.course import export
from helpers.course.cli import main
from helpers.course.intake.identify import people
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk, give

MOODLE = "{}_{}_assignsubmission_file_/" + f"{UNIT}.ipynb"
CANVAS = "{}_{}_{}_" + f"{UNIT}.ipynb"
BRIGHTSPACE = "{}-77 - {} - Nov 21, 2026 1011 AM/" + f"{UNIT}.ipynb"
WRONG = {"triple": "return x"}


def _lines(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def _sheet(desk: Desk, *lines: str) -> Path:
    path = desk.root / "worksheet.csv"
    path.write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def _moodles(desk: Desk, row: str) -> Path:
    """Return Moodle's worksheet with one row: number, name and address."""
    number, name, address = row.split(",")
    return _sheet(
        desk,
        "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade)",
        f"Participant {number},{name},{address},,4.00,-",
    )


class Made(NamedTuple):
    said: list[str]
    grades: Path
    feedback: Path


def _export(desk: Desk, to: str, worksheet: Path, column: str = "") -> Made:
    said = export.export(desk.out, to, worksheet, "", column)
    files = (desk.out / "export" / f"{UNIT}-{to}{end}" for end in (".csv", "-feedback.zip"))
    return Made(said, *files)


def _returned(made: Made) -> dict[str, str]:
    """Return the numbers by which our own intake knows the pages in the zip, and what they say."""
    with zipfile.ZipFile(made.feedback) as archive:
        names = [name for name in archive.namelist() if name != "index.html"]
        pages = {name: archive.read(name).decode() for name in names}
    platform = made.grades.stem.rpartition("-")[2]
    renamed = made.feedback.with_name("renamed.zip")
    with zipfile.ZipFile(renamed, "w") as archive:
        for name in pages:
            archive.writestr(name.replace(".html", ".ipynb"), "{}")
    found = {each.platform_id for each in people(renamed, [UNIT], platform)}
    return {number: next(p for n, p in pages.items() if number in n) for number in found}


def test_moodle(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work = {
        MOODLE.format("Ada King Lovelace", 101): desk.work(),
        MOODLE.format("=Alan", 102): desk.work(**WRONG),
        MOODLE.format("Emmy", 103): desk.work(),
        MOODLE.format("Kim", 104).replace(UNIT, "essay"): "{}",
    }
    desk.grade(desk.archive(**work), platform="moodle")
    desk.leave_to_a_person("Emmy-103")
    sheet = _sheet(
        desk,
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
        "Last modified (submission),Last modified (grade),Feedback comments",
        'Participant 104,Kim,kim@uni.example,Submitted,,4.00,Yes,"Saturday, 21",-,',
        'Participant 103,Emmy,emmy@uni.example,Submitted,2.50,4.00,Yes,"Saturday, 21",-,',
        'Participant 102,"=HYPERLINK(""x"")",@alan,Submitted,,4.00,Yes,"Saturday, 21",-,=1+1',
        "Participant 999,Nobody,,No submission,3.00,4.00,Yes,-,-,",
        'Participant 101,Ada King Lovelace,ada@uni.example,Submitted,1.00,4.00,Yes,-,"Sunday, 22",',
    )
    monkeypatch.chdir(desk.course.root)
    arguments = ["export", str(desk.out), "--to", "moodle", "--worksheet", str(sheet)]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    header, *rows = _lines(desk.out / "export" / f"{UNIT}-moodle.csv")
    told = "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade)"
    assert header == told.split(",")
    marks = {"104": "", "103": "2.50", "102": "2", "999": "3.00", "101": "4"}  # 103 waits
    assert [(row[0], row[3]) for row in rows] == [(f"Participant {n}", marks[n]) for n in marks]
    assert rows[2][1:3] == ['\'=HYPERLINK("x")', "'@alan"] and rows[0][5] == "-"
    assert not any(c.startswith(tuple("=+@")) for row in rows for c in row)
    assert "without a mark: Emmy-103 (4 points wait for a person)" in said
    assert "without a mark: Kim-104 (not graded: " in said
    made = _export(desk, "moodle", sheet)
    pages = _returned(made)
    assert set(pages) == {"101", "102", "104"}
    with zipfile.ZipFile(made.feedback) as back:  # Moodle splits each name at its _
        split = [name.split("/")[0].split("_", 4)[1:] for name in back.namelist()]
    assert split == [[number, "assignsubmission", "file", ""] for number in ("101", "102", "104")]
    assert "<strong>4</strong> of 4" in pages["101"] and "<strong>2</strong> of 4" in pages["102"]
    assert "could not be graded" in pages["104"]


def test_names_and_numbers_of_another_platform(desk: Desk) -> None:
    work = {MOODLE.format("ada@uni.example", 101): desk.work(), "Bob.ipynb": desk.work()}
    desk.grade(desk.archive(**work), platform="moodle")
    sheet = _moodles(desk, "101,Ada,ada@uni.example")
    made = _export(desk, "moodle", sheet)
    assert "not in worksheet.csv: Bob (no row is theirs)" in made.said
    assert set(_returned(made)) == {"101"}
    for other in ("canvas", "brightspace"):
        with pytest.raises(CourseError, match="handed in at Moodle; export them --to moodle"):
            _export(desk, other, sheet)


GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Essay (8),{} (9),Current Score,Final Grade",
    ",,,,,,,Manual Posting,,",
    "    Points Possible,,,,,,10,4,(read only),(read only)",
    '"Lovelace, Ada",12345,s1,ada,A,,7,,70,',
    '"Turing, Alan",12346,s2,alan,A,,8,1,80,',
    '"Noether, Emmy",12347,s3,emmy,A,,9,,90,',
)


def test_canvas(desk: Desk) -> None:
    work = {
        CANVAS.format("lovelaceada", 12345, 901): desk.work(**WRONG),
        CANVAS.format("lovelaceada", 12345, 903): desk.work(),
        CANVAS.format("turingalan_LATE", 12346, 902): desk.work(**WRONG),
        CANVAS.format("3", 12348, 904): desk.work(),
    }
    desk.grade(desk.archive(**work), platform="canvas")
    title, *others = GRADEBOOK
    made = _export(desk, "canvas", _sheet(desk, title.format(f"Unit {UNIT}"), *others))
    assert [",".join(row) for row in _lines(made.grades)] == [
        f"Student,ID,SIS User ID,SIS Login ID,Section,Unit {UNIT} (9)",
        ",,,,,Manual Posting",
        "    Points Possible,,,,,4",
        "Lovelace, Ada,12345,s1,ada,A,4",
        "Turing, Alan,12346,s2,alan,A,2",
        "Noether, Emmy,12347,s3,emmy,A,",
    ]
    said = "\n".join(made.said)
    assert "not in worksheet.csv: 3-12348 (no row is theirs)" in said
    assert "not known whether late, so without a penalty: turingalan-12346" in said
    with zipfile.ZipFile(made.feedback) as archive:  # Canvas takes the first two numbers of a name
        numbers = [[p for p in n.split("_") if p.isdecimal()] for n in archive.namelist()]
    assert numbers == [["12348", "904"], ["12345", "903"], ["12346", "902"]]
    assert set(_returned(made)) == {"12345", "12346", "12348"}

    untitled = _sheet(desk, title.format("Homework"), *others)
    with pytest.raises(CourseError, match=r"--column: Notes, Essay \(8\), Homework \(9\)"):
        _export(desk, "canvas", untitled)
    made = _export(desk, "canvas", untitled, "Homework (9)")
    assert _lines(made.grades)[3][-1] == "4"
    with pytest.raises(CourseError, match=r"has 10 points in .* has 4: give it 4 in Canvas"):
        _export(desk, "canvas", untitled, "Essay (8)")


def test_brightspace(desk: Desk) -> None:
    work = {
        BRIGHTSPACE.format(501, "Ada Lovelace"): desk.work(),
        BRIGHTSPACE.format(502, "Alan Turing"): desk.work(**WRONG),
        BRIGHTSPACE.format(503, "Kim Lee"): desk.work(),
        BRIGHTSPACE.format(504, "Kim Lee"): desk.work(),
        BRIGHTSPACE.format(505, "Eve (emmy@uni.example)"): desk.work(),
        "index.html": "<p>a list</p>",
    }
    desk.grade(desk.archive(**work), platform="brightspace")
    column = "Tiny Points Grade <Numeric MaxPoints:4 Weight:10>"
    sheet = _sheet(
        desk,
        f"OrgDefinedId,Username,Last Name,First Name,Email,{column},End-of-Line Indicator",
        "#2001,#ada.l,Lovelace,Ada,ada@uni.example,,#",
        "#2002,#alan.t,Turing,Alan,alan@uni.example,,#",
        "#2003,#kim.l,Lee,Kim,kim@uni.example,,#",
        "#2004,#emmy.n,Noether,Emmy,emmy@uni.example,,#",
        "#2005,#eve,(emmy@uni.example),Eve,eve@uni.example,,#",
    )
    with pytest.raises(CourseError, match="--column: Tiny Points Grade <"):
        _export(desk, "brightspace", sheet)  # the only one, but of which assignment?
    made = _export(desk, "brightspace", sheet, column)
    assert [",".join(row) for row in _lines(made.grades)] == [
        f"OrgDefinedId,Username,{column},End-of-Line Indicator",
        "#2001,#ada.l,4,#",
        "#2002,#alan.t,2,#",
        "#2003,#kim.l,,#",  # two are called so
        "#2004,#emmy.n,,#",  # whose address another put into a name
        "#2005,#eve,4,#",
    ]
    assert "not in worksheet.csv: Kim-Lee-503 (somebody else's row is the same)" in made.said
    assert set(_returned(made)) == {"501", "502", "503", "504", "505"}
    with zipfile.ZipFile(made.feedback) as archive:
        names = archive.namelist()
    assert f"501-77 - Ada Lovelace - Nov 21, 2026 1011 AM/{UNIT}.html" in names
    assert "index.html" in names


def test_folders_without_numbers_go_by_login_address_or_name(desk: Desk) -> None:
    names = ("ADA", "turing@uni.example", "Emmy Noether")
    desk.grade(desk.hand_in(**dict.fromkeys(names, desk.work())))
    sheet = _sheet(
        desk,
        "Student;ID;SIS User ID;SIS Login ID;Section;01-tiny (9)",
        "    Points Possible;;;;;4,00",
        '"Lovelace, Ada";1;s1;ada;A;',
        '"Turing, Alan";2;s2;Turing@uni.example;A;',
        '"Noether, Emmy";3;s3;s3;A;',
    )
    made = _export(desk, "canvas", sheet)
    assert [row[-1] for row in _lines(made.grades)[2:]] == ["4", "4", "4"]
    assert sum("no feedback in the zip" in each for each in made.said) == 3


def test_a_mark_given_by_hand_goes_out_at_once(desk: Desk) -> None:
    desk.grade(desk.archive(**{MOODLE.format("Emmy", 103): desk.work()}), platform="moodle")
    desk.leave_to_a_person("Emmy-103")
    sheet = _moodles(desk, "103,Emmy,emmy@uni.example")
    with pytest.raises(CourseError, match=r"nobody in .* has a mark"):
        _export(desk, "moodle", sheet)
    give(desk.out, "Emmy-103", manual_score=1.25)
    made = _export(desk, "moodle", sheet)
    assert _lines(made.grades)[1][3] == "2.5"
    assert "<strong>2.5</strong> of 4" in _returned(made)["103"]


def test_what_lateness_costs_is_taken_off(desk: Desk) -> None:
    (rules := desk.root / "late.toml").write_text(
        'percent = 10\nzone = "Europe/Berlin"\n[due]\n01-tiny = 2026-11-20T10:11:00+01:00'
    )
    archive = desk.archive(**{BRIGHTSPACE.format(501, "Ada Lovelace"): desk.work()})
    desk.grade(archive, late=rules, platform="brightspace")
    title = "Username,Last Name,First Name,Tiny Points Grade,End-of-Line Indicator"
    sheet = _sheet(desk, title, "#ada.l,Lovelace,Ada,,#")
    for mark in ("3.6", "1.8"):
        made = _export(desk, "brightspace", sheet, "Tiny Points Grade")
        assert _lines(made.grades)[1] == ["#ada.l", mark, "#"]
        assert f"<strong>{mark}</strong> of 4" in _returned(made)["501"]
        give(desk.out, "Ada-Lovelace-501", manual_score=1)


def test_a_table_of_something_else_is_refused(desk: Desk) -> None:
    desk.grade(desk.archive(**{MOODLE.format("Ada", 101): desk.work()}), platform="moodle")
    for text in ("", "a,b\n1,2\n", "Identifier,Grade\nParticipant 101,\n"):
        with pytest.raises(CourseError, match=r"holds no table|needs Identifier, Grade, Last mod"):
            _export(desk, "moodle", _sheet(desk, text))
    with pytest.raises(CourseError, match="has 01-tiny: name one of them with --unit"):
        export.export(desk.out, "moodle", _moodles(desk, "1,a,b"), "02-small", "")
    with pytest.raises(CourseError, match=r"holds no gradebook\.db"):
        export.export(desk.root, "moodle", desk.root, "", "")
    (desk.out / "gradebook.db").unlink()  # marks that are in no gradebook are none
    with pytest.raises(CourseError, match=r"holds no gradebook\.db"):
        _export(desk, "moodle", desk.root)
