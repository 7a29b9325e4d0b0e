"""Who handed in: by the outermost name, the same in every run; two people never share a row."""

import re
import unicodedata
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake.identify import people
from helpers.course.intake.upload import Upload
from helpers.course.settings import Course, CourseError
from tests.course.intake.handed_in import MOODLE, UNITS, both, of, write, zipped


def _people(tmp_path: Path, *names: str, platform: str = "") -> list[Upload]:
    """Return who has handed in files of these names, in a zip."""
    (tmp_path / "all.zip").write_bytes(zipped(dict.fromkeys(names, "{}")))
    return people(tmp_path / "all.zip", UNITS, platform)


@pytest.mark.parametrize(
    ("outer", "platform", "sender", "beside"),
    [
        ("mallory_66_1_homework.zip", "canvas", "mallory-66", "bob_1_2_b.ipynb"),
        (MOODLE.format("Mallory", 66) + "/ada/h.zip", "moodle", "Mallory-66", "b.ipynb"),
        ("mallory/../ada/homework.zip", "", "mallory", "b.ipynb"),
    ],
)
def test_what_is_inside_says_nothing_of_who_it_was(
    two_units: Course, tmp_path: Path, outer: str, platform: str, sender: str, beside: str
) -> None:
    inside = of("ada_01-tiny.ipynb", "ada_5_6_02-small.ipynb", MOODLE.format("ada", 7) + "/x.zip")
    place = tmp_path / "all.zip"
    place.write_bytes(zipped({outer: zipped(inside), beside: ""}))
    found = intake.find(two_units, place, tmp_path / "unpacked", platform=platform)
    assert {each.student for each in found if not each.student.startswith("b")} == {sender}


def test_a_class_of_one_cannot_pass_for_another(tmp_path: Path) -> None:
    names = ["eve/ada/01-tiny/01-tiny.ipynb", "eve/bob/01-tiny/01-tiny.ipynb"]
    for place in both(tmp_path, of(*names)):
        assert [each.student for each in people(place, UNITS)] == ["eve"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["01-tiny/ada/01-tiny.ipynb", "01-tiny/bob/01-tiny.ipynb"], "grade each unit's folder"),
        (["01-tiny/ada.ipynb", "02-small/ada.ipynb", "extra/ada.ipynb"], "a folder for each unit"),
        (["ada/01-tiny.ipynb", "01-tiny/01-tiny.ipynb"], ""),  # somebody is called so
        (["01-tiny.ipynb", "02-small.ipynb"], ""),
        (["ada/01-tiny/lab_1_2_final.ipynb"], ""),  # of the names further in none is a platform's
        (["class/lovelaceada_1_2_x.ipynb"], "say --platform canvas"),
    ],
)
def test_a_layout_that_tells_nobody_apart_is_refused(
    tmp_path: Path, names: list[str], told: str
) -> None:
    for place in both(tmp_path, of(*names)):
        if told:
            with pytest.raises(CourseError, match=told):
                people(place, UNITS)
        else:
            assert len(people(place, UNITS)) == len(names)


BRIGHTSPACE = "{} - Nov 21, 2026 1011 AM/01-tiny.ipynb"


@pytest.mark.parametrize(
    ("platform", "name", "student"),
    [
        ("canvas", "o_brieneve_66_902_01-tiny.ipynb", "o_brieneve-66"),
        ("canvas", "eve_LATE_66_902_01_2.ipynb", "eve-66"),
        ("canvas", "eve_66_902_\nx_7_assignsubmission_file_01-tiny.ipynb", "eve-66"),
        ("canvas", "eve_66_902_Ada_7_assignsubmission_file_\\x.ipynb", "eve-66"),
        # Where it is not clear whose number it is, there is none.
        ("canvas", "eve_7_66_902_01-tiny.ipynb", ""),
        ("canvas", "anon_LATE_aB3x9_902_7_01-tiny.ipynb", "anon_LATE_aB3x9"),
        ("moodle", MOODLE.format("Eve", 66) + MOODLE.format("Ada", 7) + "01-tiny.ipynb", "Eve-66"),
        ("brightspace", BRIGHTSPACE.format("66-90 - 7-4 - Ada"), "Ada-66"),
    ],
)
def test_a_name_that_a_platform_gives_has_one_number(
    tmp_path: Path, platform: str, name: str, student: str
) -> None:
    """Learners may choose their names and call a file anything; nobody's number is another's."""
    others = {
        "moodle": MOODLE.format("Ada", 7) + "/x.ipynb",
        "canvas": "lovelaceada_7_901_x.ipynb",
        "brightspace": BRIGHTSPACE.format("7-4 - Ada"),
    }
    found = _people(tmp_path, name, others[platform], platform=platform)
    [eve] = [each for each in found if each.platform_id != "7"]
    assert len(found) == 2
    assert eve.student.endswith(student)
    assert eve.platform_id == ("66" if student.endswith("66") else "")
    assert bool(student) == (not eve.note)


NAMES = [
    *("ada b", "ada  b", "ada-b", "ada\tb", "Ada b", "ada b ", "-rf", "rf", "=cmd", "+1", "@ada"),
    *("1", "a,b", 'a"b', "a\nb", "\x1b[2Ja", "Zo\xeb", "Zoe\u0308", "\u202eada", "?", "課" * 80),
    *("a" * 200, "ada.", "ada@uni.example", "ada-b-00000000", "\udcff", "*", "\U00020000" * 60),
]  # fmt: skip


def test_names_depend_on_nobody_else_and_on_no_order(tmp_path: Path) -> None:
    alone = {
        name: people(write(tmp_path / str(n), {f"{name}/x.ipynb": "{}"}), UNITS)[0].student
        for n, name in enumerate(NAMES)
    }
    assert len(set(alone.values())) == len(alone)
    together = people(write(tmp_path / "all", {f"{n}/x.ipynb": "{}" for n in alone}), UNITS)
    assert {each.said: each.student for each in together} == alone
    for given, student in alone.items():
        assert re.match(r"\w", student) and len(student.encode()) <= 230, given
        assert student.isprintable() and not set(student) & set(" ,;\"'/*?[]\\"), given
        assert unicodedata.is_normalized("NFC", student)
    # What is a folder's name already stays so: what grading leaves in submitted/ keeps its names.
    again = write(tmp_path / "again", {f"{name}/x.ipynb": "{}" for name in alone.values()})
    assert {each.student for each in people(again, UNITS)} == set(alone.values())


def test_nobody_shares_a_row_with_one_who_takes_the_name_that_another_is_given(
    tmp_path: Path,
) -> None:
    [first] = _people(tmp_path, "ada b/x.ipynb")
    both_names = ["ada b/x.ipynb", f"{first.student}/x.ipynb"]
    for order in (both_names, both_names[::-1]):
        students = {each.said: each.student for each in _people(tmp_path, *order)}
        assert students["ada b"] == first.student
        assert students[first.student].startswith(f"{first.student}-")
    names = [MOODLE.format("Ada", number) + "/x.ipynb" for number in (7, 8)]
    found = _people(tmp_path, *names, "Ada-7/x.ipynb", platform="moodle")
    students = {each.platform_id: each.student for each in found}
    assert students["7"] == "Ada-7" and students[""].startswith("Ada-7-")


def test_a_number_is_one_person_however_the_name_is_spelt(
    two_units: Course, tmp_path: Path
) -> None:
    names = [MOODLE.format(each, 12) for each in ("Zo\xeb B", "Zoe\u0308 B", "Zo\xeb C")]
    place = write(tmp_path / "in", of(*(f"{each}/x.ipynb" for each in names)))
    [row] = intake.find(two_units, place, tmp_path / "unpacked", platform="moodle")
    assert row.platform_id == "12" and "of 3 notebooks, this counts" in row.notes[0]


@pytest.mark.parametrize("platform", ["moodle", "canvas", "brightspace"])
def test_names_as_long_as_a_zip_allows_are_read_at_once(tmp_path: Path, platform: str) -> None:
    long = ["1_" * 30_000, "1-" * 30_000, "9-4 - " * 10_000, "a_9_assignsubmission_" * 3_000]
    usual = {"canvas": "a_1_2_x", "brightspace": "1-2 - a - Nov 21, 2026 1011 AM"}
    names = [*long, usual.get(platform, MOODLE.format("a", 1))]
    found = _people(tmp_path, *(f"{name}/x.ipynb" for name in names), platform=platform)
    assert len(found) == len(names)
