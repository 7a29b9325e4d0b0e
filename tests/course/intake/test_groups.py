"""A group's notebook is a row for each of its members."""

from dataclasses import replace
from pathlib import Path

import pytest

from helpers.course.intake import Submission, groups
from helpers.course.settings import CourseError

BLUE = Submission(
    "Team-Blue-1", "01-tiny", Path("1"), "d", ("late",), "", "t", "1", "", "T_1_", "Team Blue",
    {"a.py": Path("2")},
)  # fmt: skip
ADA = Submission("Ada-7", "01-tiny", Path("3"), "e", platform_id="7", return_as="A_7_", said="Ada")
ZOE = Submission("zoe", "01-tiny", Path("4"), "f")
FOUND = [ADA, BLUE, ZOE]


def _spread(tmp_path: Path, text: str, found: list[Submission] = FOUND) -> list[Submission]:
    path = tmp_path / "groups.csv"
    path.write_text(text, encoding="utf-8-sig")
    return groups.spread(found, path)


@pytest.mark.parametrize(("group", "sign"), [("Team Blue", ","), ("Team-Blue-1", ";")])
def test_each_member_has_the_groups_notebook(tmp_path: Path, group: str, sign: str) -> None:
    text = f"student,Group\nAda,{group}\nbob@uni.edu,{group}\n\n".replace(",", sign)
    ada, bob, zoe = _spread(tmp_path, text)
    assert (ada.student, ada.platform_id, ada.return_as) == ("Ada-7", "7", "A_7_")
    assert (bob.student, bob.email, bob.return_as) == ("bob@uni.edu", "bob@uni.edu", "")
    for each in (ada, bob):
        assert (each.path, each.digest, each.files) == (BLUE.path, BLUE.digest, BLUE.files)
        assert each.notes == (f"handed in by the group {group}", "late")
    assert zoe is ZOE


def test_a_member_may_have_handed_in_for_all(tmp_path: Path) -> None:
    ada, bob, _ = _spread(tmp_path, "group,student\nAda,Ada\nAda,bob b\n", [ADA, ZOE])
    assert (ada.return_as, ada.path, bob.path) == ("A_7_", ADA.path, ADA.path)
    assert bob.student.startswith("bob-b-") and bob.said == "bob b"


def test_who_loses_a_row_or_handed_in_nothing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _spread(tmp_path, "group,student\nAda,bob\nTeam Red,ada\n")
    assert [each.student for each in found] == ["Team-Blue-1", "bob", "zoe"]
    said = capsys.readouterr().err
    assert "Ada-7 handed in for others and is no student of the file" in said
    assert "Team Red handed in nothing" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("team,student\na,b", "should have a first line group,student"),
        ("group,student\nTeam Blue,", "two names in each other line"),
        ("group,student\nTeam Blue,Ada\nTeam Red,Ada-7", "Ada-7 in two groups"),
    ],
)
def test_what_is_no_list_of_groups_says_why(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(CourseError, match=words):
        _spread(tmp_path, text)
    with pytest.raises(CourseError, match=r"there is no file .*none"):
        groups.spread(FOUND, tmp_path / "none.csv")


def test_a_name_that_two_have_is_neithers(tmp_path: Path) -> None:
    found = [BLUE, replace(ADA, student="Kim-8", said="Kim"), replace(ADA, said="Kim")]
    paths = {e.student: e.path for e in _spread(tmp_path, "group,student\nTeam Blue,Kim", found)}
    assert paths == {"Ada-7": ADA.path, "Kim": BLUE.path, "Kim-8": ADA.path}


def test_what_a_member_handed_in_for_another_unit_stays_their_own(tmp_path: Path) -> None:
    later = replace(ADA, unit="02-small")
    ours, own = _spread(tmp_path, "group,student\nTeam Blue,Ada\n", [later, BLUE])
    assert (ours.student, ours.path, ours.return_as, own) == ("Ada-7", BLUE.path, "", later)
