"""A roster: a name for each person, a mark for each of a group, who is missing, extensions."""

import zipfile
from pathlib import Path

import pytest

from helpers.course import export, report
from helpers.course.grading import roster, worksheets
from helpers.course.grading.gradebook import refresh
from helpers.course.settings import CourseError
from tests.course.judged import UNIT, Desk, book, give, hand_in

MOODLE = "{}_{}_assignsubmission_file_/" + f"{UNIT}.ipynb"
PEOPLE = """\
login,name,address,number,group
ada,Ada Lovelace,ada@uni.example,12345,
alan,Alan Turing,alan@uni.example,12346,red
emmy,Emmy Noether,emmy@uni.example,12347,red
kim,Kim Lee,kim@uni.example,12348,
"""


def _people(desk: Desk, text: str = PEOPLE) -> Path:
    (path := desk.root / "users.csv").write_text(text)
    return path


def test_hub_logins_meet_the_rows_of_each_platform(desk: Desk) -> None:
    desk.grade(desk.hand_in(ada=desk.work(), alan=desk.work()), people=_people(desk))
    sheet = desk.root / "sheet.csv"
    for to, title, *rows in (
        (
            "moodle",
            "Identifier,Full name,Email address,Grade,Last modified (grade)",
            "Participant 71,Ada Lovelace,other@uni.example,{},-",
            "Participant 72,A. M. Turing,alan@uni.example,{},-",
            "Participant 73,Emmy Noether,emmy@uni.example,{},-",
            "Participant 74,Kim Lee,kim@uni.example,,-",
        ),
        (
            "canvas",
            f"Student,ID,SIS Login ID,Section,{UNIT} (9)",
            '"King, Ada",12345,x,A,{}',
            '"Turing, Alan",12346,y,A,{}',
            '"Noether, E.",12347,z,A,{}',
            '"Lee, Kim",12348,k,A,',
        ),
        (
            "brightspace",
            f"OrgDefinedId,Username,First Name,Last Name,{UNIT} Points Grade,End-of-Line Indicator",
            "#12345,#a.l,Ada,King,{},#",
            "#9,#a.t,Alan,Turing,{},#",
            "#12347,#e.n,Amalie,Noether,{},#",
            "#12348,#k.l,Kim,Lee,,#",
        ),
    ):
        sheet.write_text("\n".join([title, *rows]).replace("{}", "") + "\n")
        said = export.export(desk.out, to, sheet, "", "")
        marked = worksheets.read(desk.out / "export" / f"{UNIT}-{to}.csv")
        [place] = [n for n in marked if n == "Grade" or UNIT in n]
        assert marked[place].tolist() == ["4", "4", "4", ""], to
        assert "without a mark: kim (not graded: nothing handed in)" in said
        assert not any("not in sheet.csv" in each for each in said)
    with zipfile.ZipFile(desk.out / "export" / f"{UNIT}-moodle-feedback.zip") as archive:
        names = archive.namelist()  # Moodle reads the number between the first two _
    assert names == [
        f"{who}_{number}_assignsubmission_file_/{UNIT}.html"
        for who, number in (("ada", 71), ("alan", 72), ("emmy", 73))
    ]


def test_a_group_has_a_mark_for_each_and_who_is_missing_is_named(desk: Desk) -> None:
    place = desk.hand_in(alan=desk.work(triple="return x"), zoe=desk.work())
    rows = desk.grade(place, people=_people(desk)).set_index("student")
    assert rows.index.tolist() == ["ada", "alan", "emmy", "kim", "zoe"]
    assert rows.score.tolist() == ["0.0", "2.0", "2.0", "0.0", "4.0"]
    assert rows.status["ada"] == rows.status["kim"] == "not graded: nothing handed in"
    assert "handed in for the group by alan" in rows.repairs["emmy"]
    assert rows.repairs["zoe"] == "not in the roster"
    page = report.write(desk.course, desk.out, refresh(desk.out)).read_text()
    assert f"<li>{UNIT}: ada, kim</li>" in page and "3 notebooks of 3 learners" in page
    assert "No two answers are alike" in page  # nor those of a group
    assert not (desk.out / "feedback" / "ada").exists()

    give(desk.out, "emmy", manual_score=2)  # one's own marks by hand, in a group too
    hand_in(place, ada=desk.work())
    rows = desk.grade(place).set_index("student")  # OUT has kept the roster
    assert rows.score.tolist() == ["4.0", "2.0", "4.0", "0.0", "4.0"]


def test_the_last_that_anybody_of_a_group_has_handed_in_is_that_of_all_others(desk: Desk) -> None:
    desk.hand_in("2026-10-01 10:00:00 UTC", ada=desk.work(triple="return x"))
    place = desk.hand_in("2026-10-02 10:00:00 UTC", bob=desk.work())
    desk.hand_in("2026-10-01 12:00:00 UTC", cyd=desk.work(double="return x"))
    people = _people(desk, "login,group\nada,red\nbob,red\ncyd,red\ndee,red\n")
    rows = desk.grade(place, people=people).set_index("student")
    assert rows.score["dee"] == "4.0" and "for the group by bob" in rows.repairs["dee"]


def test_a_platforms_names_become_logins(desk: Desk) -> None:
    work = {
        MOODLE.format("Ada Lovelace", 71): desk.work(),
        MOODLE.format("Kim", 12345): desk.work(),  # a number of this assignment, not Ada's
        "alan.ipynb": desk.work(),
        MOODLE.format("Alan Turing", 72): desk.work(),
    }
    rows = desk.grade(desk.archive(**work), platform="moodle", people=_people(desk))
    done = rows[rows.status == "graded"].set_index("student")
    numbers = {name: number for name, number in done.platform_id.items() if number}
    # Of two who may be alan, neither is.
    assert numbers == {"ada": "71", "Kim-12345": "12345", "Alan-Turing-72": "72"}
    assert len(done) == 4 and "alan" not in done.index
    missing = rows.student[rows.status.str.endswith(roster.MISSING)]
    assert missing.tolist() == ["alan", "emmy", "kim"]


def test_canvas_numbers_are_people(desk: Desk) -> None:
    work = {f"lovelaceada_12345_901_{UNIT}.ipynb": desk.work()}
    rows = desk.grade(desk.archive(**work), platform="canvas", people=_people(desk))
    assert rows.student[rows.status == "graded"].tolist() == ["ada"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name\nAda\n", "has no column login, but name"),
        ("login\nada\nada\n", "that of two rows: 'ada'"),
        ("login;name\n../x;Eve\n", r"no login, or that of two rows: '../x'"),
        (f"login,{UNIT}\nada,soon\n", "has days of 0 to 1000"),
        ("login,07-other\nada,1\n", f"no unit 07-other; there are {UNIT}"),
    ],
)
def test_what_is_no_roster_is_refused(desk: Desk, text: str, told: str) -> None:
    place = desk.hand_in(ada=desk.work())
    with pytest.raises(CourseError, match=told):
        desk.grade(place, people=_people(desk, text))
    with pytest.raises(CourseError, match="holds no table"):
        desk.grade(place, people=desk.root / "roster.csv")
    assert not (desk.out / roster.NAME).exists()


def test_an_extension_is_nbgraders(desk: Desk) -> None:
    (rules := desk.root / "late.toml").write_text(
        'percent = 10\nzone = "Europe/Berlin"\n[due]\n01-tiny = 2026-11-20T10:00:00+01:00'
    )
    handed_in = dict.fromkeys(("ada", "bob"), desk.work())
    place = desk.hand_in("2026-11-21 20:00:00 UTC", **handed_in)
    people = _people(desk, f"login,{UNIT}\nada,1.5\nbob,\n")
    rows = desk.grade(place, late=rules, people=people).set_index("student")
    assert rows.late.to_dict() == {"ada": "no", "bob": "1 d 11 h"}
    assert rows.penalty.to_dict() == {"ada": "0.0", "bob": "0.8"}
    with book(desk.out) as found:
        assert found.find_submission(UNIT, "ada").extension.days == 1
    people = _people(desk, f"login,{UNIT}\nada,0\nbob,\n")  # taken back
    rows = desk.grade(place, late=rules, people=people).set_index("student")
    assert rows.late["ada"] == "1 d 11 h" and rows.penalty["ada"] == "0.8"
