"""Where submissions are found: nbgrader's tree, loose files, and what learning platforms export."""

import json
import os
import zipfile
from pathlib import Path

import pytest
from nbformat import v4

from helpers.course import intake
from helpers.course.settings import Course, CourseError
from tests.course.intake.handed_in import NOTEBOOK, who, write, zipped


def test_nbgraders_tree(two_units: Course, tmp_path: Path) -> None:
    place = write(
        tmp_path / "in",
        "ada/01-tiny/01-tiny.ipynb",
        "ada/02-small/my work.ipynb",
        "ada/02-small/.ipynb_checkpoints/my work-checkpoint.ipynb",
        "Zoë/01-tiny/01-tiny.ipynb",
    )
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert who(found) == [("Zoë", "01-tiny"), ("ada", "01-tiny"), ("ada", "02-small")]
    assert [each.notes for each in found] == [(), (), ("handed in as my work.ipynb",)]


def test_loose_files(two_units: Course, tmp_path: Path) -> None:
    place = write(tmp_path / "in", "ada_01-tiny.ipynb", "02-small-bob.ipynb", "eve.ipynb")
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert who(found) == [("ada", "01-tiny"), ("bob", "02-small"), ("eve", "01-tiny")]
    assert found[2].notes == ("handed in as eve.ipynb, told by its cells",)


PLATFORMS = {
    "moodle, folders": [
        "Ada Lovelace_123456_assignsubmission_file_/01-tiny.ipynb",
        "Zoë Müller_123457_assignsubmission_file_/solution final(2).ipynb",
    ],
    "moodle, files": [
        "Ada Lovelace_123456_assignsubmission_file_01-tiny.ipynb",
        "Zoë Müller_123457_assignsubmission_file_solution final(2).ipynb",
    ],
    "brightspace": [
        "index.html",
        "123456-4 - Ada Lovelace - Nov 21, 2026 1011 AM/01-tiny.ipynb",
        "123457-4 - Zoë Müller - Nov 20, 2026 0930 PM/solution.ipynb",
    ],
}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("packed", [True, False])
def test_platforms_say_who_it_was(
    two_units: Course, tmp_path: Path, platform: str, packed: bool
) -> None:
    names = PLATFORMS[platform]
    place = zipped(tmp_path / "all.zip", names) if packed else write(tmp_path / "in", *names)
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert who(found) == [("Ada-Lovelace-123456", "01-tiny"), ("Zoë-Müller-123457", "01-tiny")]
    assert [each.platform_id for each in found] == ["123456", "123457"]


def test_canvas_and_its_second_tries(two_units: Course, tmp_path: Path) -> None:
    names = [
        "lovelaceada_12345_67899_01-tiny-1.ipynb",  # the later one, though it comes first
        "lovelaceada_12345_67890_01-tiny.ipynb",
        "mullerzoe_LATE_12346_67891_01-tiny.ipynb",
    ]
    found = intake.find(two_units, zipped(tmp_path / "all.zip", names), tmp_path / "unpacked")
    assert who(found) == [("lovelaceada-12345", "01-tiny"), ("mullerzoe-12346", "01-tiny")]
    assert found[0].notes == (f"of 2 notebooks, this counts: {names[0]}",)


def test_a_newer_copy_that_nobody_has_worked_in_does_not_count(
    two_units: Course, tmp_path: Path
) -> None:
    place = write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb", "ada/01-tiny/Untitled.ipynb")
    stub = NOTEBOOK.replace('"id"', '"source": "raise NotImplementedError()", "id"')
    (place / "ada/01-tiny/01-tiny-Copy1.ipynb").write_text(stub)
    (place / "ada/01-tiny/Untitled.ipynb").write_text('{"nbformat": 4, "cells": []}')
    [ada] = intake.find(two_units, place, tmp_path / "unpacked")
    assert ada.notes[0] == "of 3 notebooks, this counts: 01-tiny.ipynb"


def test_the_newest_of_two_in_a_folder_or_an_archive_counts(
    two_units: Course, tmp_path: Path
) -> None:
    place = write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb", "ada/01-tiny/01-tiny (1).ipynb")
    (place / "bob").mkdir()
    with zipfile.ZipFile(place / "bob" / "homework.zip", "w") as archive:
        for name, year in (("later", 2026), ("earlier", 2024)):
            member = zipfile.ZipInfo(f"{name}/01-tiny.ipynb", (year, 1, 1, 0, 0, 0))
            archive.writestr(member, NOTEBOOK[:-1] + f', "metadata": "{name}"}}')
    ada, bob = intake.find(two_units, place, tmp_path / "unpacked")
    assert ada.notes[0] == "of 2 notebooks, this counts: 01-tiny (1).ipynb"
    assert "later" in bob.path.read_text()


def test_archives_inside_are_opened_and_a_broken_one_is_its_owners_alone(
    two_units: Course, tmp_path: Path
) -> None:
    place = write(tmp_path / "in", "eve/01-tiny/01-tiny.ipynb")
    zipped(place / "ada" / "homework.zip", ["deep/01-tiny/01-tiny.ipynb", "__MACOSX/x.ipynb"])
    (place / "bob").mkdir()
    (place / "bob" / "homework.zip").write_bytes(b"PK nothing")
    (place / "zoe").mkdir()
    before = sorted(place.rglob("*"))
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert who(found) == [("ada", "01-tiny"), ("bob", ""), ("eve", "01-tiny"), ("zoe", "")]
    assert "homework.zip cannot be unpacked" in found[1].problem
    assert found[3].problem == "no notebook in the folder"
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip"])
def test_nozipped(two_units: Course, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "all.zip").write_bytes(content)
    with pytest.raises(CourseError, match="cannot be unpacked"):
        intake.find(two_units, tmp_path / "all.zip", tmp_path / "unpacked")


def test_nothing_there(two_units: Course, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="neither a folder nor a zip"):
        intake.find(two_units, tmp_path / "nowhere", tmp_path / "unpacked")
    (tmp_path / "in").mkdir()
    with pytest.raises(CourseError, match="no notebook in"):
        intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")


@pytest.mark.parametrize("around", ["all", "submitted"])
def test_a_folder_around_all_students_is_nobody(
    two_units: Course, tmp_path: Path, around: str
) -> None:
    names = [f"{around}/ada/01-tiny/01-tiny.ipynb", f"{around}/bob/01-tiny/01-tiny.ipynb"]
    for place in (zipped(tmp_path / "all.zip", names), write(tmp_path / "all", *names)):
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert who(found) == [("ada", "01-tiny"), ("bob", "01-tiny")]


def test_what_only_looks_like_a_date_or_is_damaged_inside_stops_nobody(
    two_units: Course, tmp_path: Path
) -> None:
    place = write(
        tmp_path / "in",
        "1-2 - Ada - Foo 99, 2026 9999 AM/01-tiny.ipynb",
        "zoe/01-tiny/01-tiny.ipynb",
    )
    archive = place / "bob" / "homework.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("01-tiny.ipynb", NOTEBOOK * 500)
    content = bytearray(archive.read_bytes())
    content[45:55] = b"\xff" * 10  # the compressed data themselves
    archive.write_bytes(content)
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert who(found) == [("Ada-1", "01-tiny"), ("bob", ""), ("zoe", "01-tiny")]
    assert "cannot be unpacked" in found[1].problem


def test_nobody_is_left_out_who_handed_in_something_else(two_units: Course, tmp_path: Path) -> None:
    names = [
        "Ada Lovelace_1_assignsubmission_file_/report.pdf",
        "Bob_2_assignsubmission_file_/01-tiny.ipynb",
        "Bob_2_assignsubmission_file_/figure.png",
        "Eve_3_assignsubmission_file_/01-tiny.IPYNB",
        "Zoe_4_assignsubmission_file_/01-tiny.ipynb.txt",
        "Kim_5_assignsubmission_onlinetext_/onlinetext.html",
        "mullerzoe_12346_67891_homework.7z",
        "Joe_6_assignsubmission_file_/01-tiny.html",
        "list.csv",
    ]
    expected = {
        "Ada-Lovelace-1": ("", "no notebook, but report.pdf"),
        "Bob-2": ("01-tiny", ""),
        "Eve-3": ("01-tiny", ""),
        "Joe-6": ("", "no notebook, but 01-tiny.html"),
        "Kim-5": ("", "no notebook in the folder"),
        "Zoe-4": ("01-tiny", ""),
        "mullerzoe-12346": ("", "no notebook, but mullerzoe_12346_67891_homework.7z"),
    }
    for place in (write(tmp_path / "in", *names), zipped(tmp_path / "all.zip", names)):
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert {each.student: (each.unit, each.problem) for each in found} == expected


ONLY = {
    unit: json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "id": name}]})
    for unit, name in (("01-tiny", "double"), ("02-small", "twofold"))
}


@pytest.mark.parametrize("name", ["ada/02-small/02-small.ipynb", "ada/02-small (1).ipynb"])
def test_a_notebook_named_as_another_unit_is_of_the_unit_of_its_cells(
    two_units: Course, tmp_path: Path, name: str
) -> None:
    place = write(tmp_path / "in", name)
    (place / name).write_text(ONLY["01-tiny"])
    first, second = intake.find(two_units, place, tmp_path / "unpacked")
    assert (first.unit, first.problem) == ("01-tiny", "")
    assert first.notes == ("named 02-small, holds the cells of 01-tiny: graded as that",)
    file = Path(name).name
    assert second.problem == f"no notebook, but {file} with the cells of 01-tiny"
    # One that has the right name counts before it, though it is older.
    (place / "ada" / "01-tiny.ipynb").write_text(ONLY["01-tiny"] + " ")
    os.utime(place / "ada" / "01-tiny.ipynb", (-9, -9))
    first, second = intake.find(two_units, place, tmp_path / "unpacked")
    assert first.path.read_text() == ONLY["01-tiny"] + " "


def test_a_notebook_that_cannot_be_read_is_of_the_unit_of_its_name(
    two_units: Course, tmp_path: Path
) -> None:
    place = write(tmp_path / "in", "ada/02-small/02-small.ipynb")
    (place / "ada/02-small/02-small.ipynb").write_text("<html>")
    [found] = intake.find(two_units, place, tmp_path / "unpacked")
    assert (found.unit, found.problem) == ("02-small", "")


def test_a_zip_called_a_notebook_is_unpacked(two_units: Course, tmp_path: Path) -> None:
    zipped(tmp_path / "in" / "ada" / "01-tiny.ipynb", ["01-tiny/mine.ipynb", "01-tiny/mine.py"])
    zipped(tmp_path / "in" / "bob" / "01-tiny.ipynb", ["[Content_Types].xml", "word/document.xml"])
    ada, bob = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")
    assert (ada.unit, ada.problem, [*ada.files]) == ("01-tiny", "", ["mine.py"])
    assert (bob.unit, bob.problem) == ("01-tiny", "")
    with pytest.raises(CourseError, match="Office document"):
        intake.repaired(bob.path.read_bytes(), v4.new_notebook())
