"""Who handed in: by the outermost name, the same in every run; two people never share a row."""

import itertools
import re
import unicodedata
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake.people import BYTES, people
from helpers.course.settings import Course
from tests.course.intake.handed_in import archive, zip_of

UNITS = ["01-tiny", "02-small"]
MOODLE = "{}_{}_assignsubmission_file_"


def _folders(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name / "01-tiny").mkdir(parents=True)
        (folder / name / "01-tiny" / "01-tiny.ipynb").write_text("{}")
    return folder


@pytest.mark.rotating
def test_what_is_inside_says_nothing_of_who_it_was(two_units: Course, tmp_path: Path) -> None:
    names = ("ada_01-tiny.ipynb", "ada_5_6_02-small.ipynb", MOODLE.format("ada", 7) + "/x.zip")
    for outer, sender in {
        "mallory_66_1_homework.zip": "mallory-66",
        MOODLE.format("Mallory", 66) + "/homework.zip": "Mallory-66",
        "66-4 - Mallory - Nov 21, 2026 1011 AM/ada/01-tiny/homework.zip": "Mallory-66",
        "mallory.zip": "mallory",
        "mallory/ada/homework.zip": "mallory",
        "mallory/../ada/homework.zip": "mallory",
    }.items():
        place = zip_of(tmp_path / "all.zip", **{outer: archive(*names), "bob/b.ipynb": b""})
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert {each.student for each in found} == {sender, "bob"}, outer


def test_two_who_hand_in_the_same_name_are_two(two_units: Course, tmp_path: Path) -> None:
    homework = archive("01-tiny.ipynb")
    names = ["ada_1_11_homework.zip", "bob_2_12_homework.zip", "kim_LATE_3_13_homework.zip"]
    place = zip_of(tmp_path / "all.zip", **dict.fromkeys(names, homework))
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert [(each.student, each.unit) for each in found] == [
        ("ada-1", "01-tiny"),
        ("bob-2", "01-tiny"),
        ("kim-3", "01-tiny"),
    ]


def test_a_class_of_one_cannot_pass_for_another(tmp_path: Path) -> None:
    inside = ["ada/01-tiny/01-tiny.ipynb", "bob/01-tiny/01-tiny.ipynb"]
    for name in inside:
        (tmp_path / "in" / "eve" / name).parent.mkdir(parents=True)
        (tmp_path / "in" / "eve" / name).write_text("{}")
    packed = zip_of(tmp_path / "all.zip", **{f"eve/{name}": b"{}" for name in inside})
    for place in (tmp_path / "in", packed):
        assert [each.student for each in people(place, UNITS)] == ["eve"]


@pytest.mark.parametrize(
    "name",
    [
        MOODLE.format("Eve", 9) + MOODLE.format("Ada", 7) + "01-tiny.ipynb",
        MOODLE.format("Eve", 9) + MOODLE.format("Ada", 7) + "report.pdf",
        MOODLE.format(MOODLE.format("Ada", 7), 9) + "01-tiny.ipynb",
        MOODLE.format(MOODLE.format("Ada", 7), 9) + "/01-tiny.ipynb",
        "eve_9_1_x_7_assignsubmission_file_01-tiny.ipynb",
        "eve_LATE_9_1_x_7_assignsubmission_file_01-tiny.ipynb",
        "9-4 - Eve - Nov 01, 2026 0900 AM - Nov 21, 2026 1011 AM/01-tiny.ipynb",
        "9-4 - 7-4 - Ada - Nov 21, 2026 1011 AM - Nov 21, 2026 1011 AM/01-tiny.ipynb",
    ],
)
def test_a_name_that_can_be_read_as_two_peoples_takes_nobodys_number(
    tmp_path: Path, name: str
) -> None:
    theirs = MOODLE.format("Ada", 7) + "/01-tiny.ipynb"
    place = zip_of(tmp_path / "all.zip", **{name: b"{}", theirs: b"{}"})
    found = people(place, UNITS)
    assert len(found) == 2
    [other] = [each for each in found if each.student != "Ada-7"]
    assert other.platform_id != "7"
    assert other.platform_id or "two ways" in other.notes[0]


@pytest.mark.parametrize(
    "name",
    [
        "eve_66_902_\nx_7_assignsubmission_file_01-tiny.ipynb",
        "eve_66_902_\n(ada@uni.edu) 01-tiny.ipynb",
        "anon_aB3x9_902_x_7_assignsubmission_file_01-tiny.ipynb",
        "anon_LATE_aB3x9_902_x_7_assignsubmission_file_01-tiny.ipynb",
        "anon_aB3x9_902_(ada@uni.edu) 01-tiny.ipynb",
        "anon_7_902_01-tiny.ipynb",
        "o_brieneve_66_902_(ada@uni.edu) 01-tiny.ipynb",
        "o_brieneve_66_902_x_7_1_(ada@uni.edu) 01-tiny.ipynb",
        "eve_7_66_902_01-tiny.ipynb",
        "eve_7_LATE_66_902_(ada@uni.edu) 01-tiny.ipynb",
        "_66_902_(ada@uni.edu) 01-tiny.ipynb",
        "66-90 - Eve - 3 November, 2026 1012 AM - (ada@uni.edu) 01-tiny.ipynb",
    ],
)
def test_a_files_name_gives_neither_anothers_number_nor_address(tmp_path: Path, name: str) -> None:
    """A learner may call a file anything; Canvas keeps a line's end and each _ in it."""
    theirs = "lovelaceada_7_901_01-tiny.ipynb"
    found = people(zip_of(tmp_path / "all.zip", **{name: b"{}", theirs: b"{}"}), UNITS)
    [eve] = [each for each in found if each.student != "lovelaceada-7"]
    assert eve.platform_id in ("", "66") and eve.email == ""


@pytest.mark.parametrize(
    ("name", "student", "number"),
    [
        ("o_brieneve_66_902_01-tiny.ipynb", "o_brieneve-66", "66"),
        ("eve_66_902_x_1_2_01-tiny.ipynb", "eve-66", "66"),
        ("eve_LATE_66_902_01_2.ipynb", "eve-66", "66"),
        ("anon_aB3x9_902_01-tiny.ipynb", "anon_aB3x9", ""),
        ("ada@uni.edu 01-tiny.ipynb", "ada@uni.edu", ""),
        (MOODLE.format("Eve", 66) + "x_1_2_y.ipynb", "Eve-66", "66"),
    ],
)
def test_honest_names_are_read(tmp_path: Path, name: str, student: str, number: str) -> None:
    [found] = people(zip_of(tmp_path / "all.zip", **{name: b"{}"}), UNITS)
    assert (found.student, found.platform_id) == (student, number)
    assert found.email == ("ada@uni.edu" if "@" in name else "")


def test_nor_does_it_take_anybodys_address(tmp_path: Path) -> None:
    said = MOODLE.format("Eve", 9) + "x_1_assignsubmission_file_ ada@uni.edu 01-tiny.ipynb"
    [eve] = people(zip_of(tmp_path / "all.zip", **{said: b"{}"}), UNITS)
    assert (eve.platform_id, eve.email) == ("", "")


def test_a_folder_named_like_a_unit_is_its_owners_alone(tmp_path: Path) -> None:
    """Where as many others stand beside it, it is no folder of the unit's submissions."""
    mine, theirs = "01-tiny/bob/01-tiny.ipynb", "bob/01-tiny/01-tiny.ipynb"
    for named in ((mine,), (mine, theirs)):
        folder = tmp_path / str(len(named))
        for name in named:
            (folder / name).parent.mkdir(parents=True)
            (folder / name).write_text("{}")
        archive = zip_of(tmp_path / f"{len(named)}.zip", **dict.fromkeys(named, b"{}"))
        for place in (folder, archive):
            who = [each.student for each in people(place, UNITS)]
            assert who == (["bob"] if len(named) == 1 else ["01-tiny", "bob"])


def test_another_folder_beside_those_of_the_units_is_a_persons(tmp_path: Path) -> None:
    paths = [f"{unit}/bob/{unit}.ipynb" for unit in UNITS] + ["zoe/01-tiny/01-tiny.ipynb"]
    for path in paths:
        (tmp_path / "in" / path).parent.mkdir(parents=True)
        (tmp_path / "in" / path).write_text("{}")
    archive = zip_of(tmp_path / "all.zip", **dict.fromkeys(paths, b"{}"))
    for place in (tmp_path / "in", archive):
        assert [each.student for each in people(place, UNITS)] == ["bob", "zoe"]


def test_a_name_that_is_anothers_by_number_makes_way(tmp_path: Path) -> None:
    theirs = MOODLE.format("Ada", 7) + "/01-tiny.ipynb"
    place = zip_of(tmp_path / "all.zip", **{theirs: b"{}", "Ada-7/01-tiny.ipynb": b"{}"})
    found = {each.platform_id: each.student for each in people(place, UNITS)}
    assert found["7"] == "Ada-7" and found[""].startswith("Ada-7-")


NAMES = [
    *(
        "ada b",
        "ada  b",
        "ada-b",
        "ada\tb",
        "Ada b",
        "ada b ",
        "-rf",
        "rf",
        "=cmd",
        "+1",
        "@ada",
        "1",
    ),
    *(
        "con",
        "CON.txt",
        "a,b",
        'a"b',
        "a\nb",
        "\x1b[2Ja",
        "Zo\xeb",
        "Zoe\u0308",
        "\u202eada",
        "?",
        "課" * 80,
    ),
    *("課" * 81, "a" * 200, "a" * 201, "ada.", "ada@uni.example", "ada-b-00000000", "\udcff", "*"),
]


def test_names_depend_on_nobody_else_and_on_no_order(tmp_path: Path) -> None:
    alone = {
        name: people(_folders(tmp_path / str(number), name), UNITS)[0].student
        for number, name in enumerate(NAMES)
        if len(name.encode(errors="surrogateescape")) < 256
    }
    assert len(set(alone.values())) == len(alone) > 30
    together = people(_folders(tmp_path / "all", *alone), UNITS)
    assert {each.said: each.student for each in together} == alone
    for given, student in alone.items():
        assert re.match(r"\w", student) and len(student.encode()) <= BYTES, given
        assert student.isprintable() and not set(student) & set(" ,;\"'/*?[]\\"), given
        assert unicodedata.is_normalized("NFC", student)
    # What is a folder's name already stays so: what `course collect` writes keeps its names.
    again = people(_folders(tmp_path / "again", *alone.values()), UNITS)
    assert {each.student for each in again} == set(alone.values())


def test_a_namesake_changes_nobodys_name(tmp_path: Path) -> None:
    files = {MOODLE.format("Ada", number) + "/01-tiny.ipynb": b"{}" for number in (7, 8, 9)}
    for chosen in itertools.permutations(files, 2):
        place = zip_of(tmp_path / "all.zip", **{name: files[name] for name in chosen})
        found = people(place, UNITS)
        assert {each.student for each in found} == {f"Ada-{name.split('_')[1]}" for name in chosen}


def test_one_who_takes_the_name_that_another_is_given_gets_a_row_of_their_own(
    tmp_path: Path,
) -> None:
    [first] = people(_folders(tmp_path / "one", "ada b"), UNITS)
    place = zip_of(
        tmp_path / "all.zip",
        **{"ada b/x.ipynb": b"", f"{first.student}/x.ipynb": b"", "Ada-7/x.ipynb": b""},
        **{MOODLE.format("Ada", 7) + "/x.ipynb": b""},
    )
    found = people(place, UNITS)
    assert len({each.student for each in found}) == len(found) == 4


def test_the_platforms_number_and_an_address_are_kept(two_units: Course, tmp_path: Path) -> None:
    names = ["ada@uni.example/x.ipynb", "Bob (bob@uni.example)_7_assignsubmission_file_/x.ipynb"]
    place = zip_of(tmp_path / "all.zip", **dict.fromkeys([*names, "kim_5_6_x.ipynb"], b"{}"))
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert {(each.platform_id, each.email) for each in found} == {
        ("", "ada@uni.example"),
        ("7", "bob@uni.example"),
        ("5", ""),
    }


def test_names_as_long_as_a_zip_allows_are_read_at_once(tmp_path: Path) -> None:
    long = ["1_" * 30_000, "1-" * 30_000, "9-4 - " * 10_000, "a_9_assignsubmission_" * 3_000]
    place = zip_of(tmp_path / "all.zip", **{f"{name}/x.ipynb": b"{}" for name in long})
    assert len(people(place, UNITS)) == len(long)
