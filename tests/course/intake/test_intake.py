"""Where submissions are found: nbgrader's tree, loose files, and what learning platforms export."""

import json
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake import Submission
from helpers.course.settings import Course, CourseError

NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "id": "double"}]})


def _write(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTEBOOK)
        os.utime(path, (number, number))
    return folder


def _zip(path: Path, names: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, NOTEBOOK)
    return path


def _who(found: list[Submission]) -> list[tuple[str, str]]:
    return [(each.student, each.unit) for each in found]


def test_nbgraders_tree(two_units: Course, tmp_path: Path) -> None:
    place = _write(
        tmp_path / "in",
        "ada/01-tiny/01-tiny.ipynb",
        "ada/02-small/my work.ipynb",
        "ada/02-small/.ipynb_checkpoints/my work-checkpoint.ipynb",
        "Zoë/01-tiny/01-tiny.ipynb",
    )
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert _who(found) == [("Zoë", "01-tiny"), ("ada", "01-tiny"), ("ada", "02-small")]
    assert [each.notes for each in found] == [(), (), ("handed in as my work.ipynb",)]


def test_loose_files(two_units: Course, tmp_path: Path) -> None:
    place = _write(tmp_path / "in", "ada_01-tiny.ipynb", "02-small-bob.ipynb", "eve.ipynb")
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert _who(found) == [("ada", "01-tiny"), ("bob", "02-small"), ("eve", "01-tiny")]
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
    place = _zip(tmp_path / "all.zip", names) if packed else _write(tmp_path / "in", *names)
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert _who(found) == [("Ada-Lovelace-123456", "01-tiny"), ("Zoë-Müller-123457", "01-tiny")]
    assert [each.platform_id for each in found] == ["123456", "123457"]


def test_canvas_and_its_second_tries(two_units: Course, tmp_path: Path) -> None:
    names = [
        "lovelaceada_12345_67899_01-tiny-1.ipynb",  # the later one, though it comes first
        "lovelaceada_12345_67890_01-tiny.ipynb",
        "mullerzoe_LATE_12346_67891_01-tiny.ipynb",
    ]
    found = intake.find(two_units, _zip(tmp_path / "all.zip", names), tmp_path / "unpacked")
    assert _who(found) == [("lovelaceada-12345", "01-tiny"), ("mullerzoe-12346", "01-tiny")]
    assert found[0].notes == (f"the newest of 2 notebooks: {names[0]}",)


def test_the_newest_of_two_in_a_folder_or_an_archive_counts(
    two_units: Course, tmp_path: Path
) -> None:
    place = _write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb", "ada/01-tiny/01-tiny (1).ipynb")
    (place / "bob").mkdir()
    with zipfile.ZipFile(place / "bob" / "homework.zip", "w") as archive:
        for name, year in (("later", 2026), ("earlier", 2024)):
            member = zipfile.ZipInfo(f"{name}/01-tiny.ipynb", (year, 1, 1, 0, 0, 0))
            archive.writestr(member, NOTEBOOK.replace("double", name))
    ada, bob = intake.find(two_units, place, tmp_path / "unpacked")
    assert ada.notes[0] == "the newest of 2 notebooks: 01-tiny (1).ipynb"
    assert "later" in bob.path.read_text()


def test_archives_inside_are_opened_and_a_broken_one_is_its_owners_alone(
    two_units: Course, tmp_path: Path
) -> None:
    place = _write(tmp_path / "in", "eve/01-tiny/01-tiny.ipynb")
    _zip(place / "ada" / "homework.zip", ["deep/01-tiny/01-tiny.ipynb", "__MACOSX/x.ipynb"])
    (place / "bob").mkdir()
    (place / "bob" / "homework.zip").write_bytes(b"PK nothing")
    (place / "zoe").mkdir()
    before = sorted(place.rglob("*"))
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert _who(found) == [("ada", "01-tiny"), ("bob", ""), ("eve", "01-tiny"), ("zoe", "")]
    assert "homework.zip cannot be unpacked" in found[1].problem
    assert found[3].problem == "no notebook in the folder"
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip"])
def test_no_zip(two_units: Course, tmp_path: Path, content: bytes) -> None:
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
    for place in (_zip(tmp_path / "all.zip", names), _write(tmp_path / "all", *names)):
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert _who(found) == [("ada", "01-tiny"), ("bob", "01-tiny")]


def test_what_only_looks_like_a_date_or_is_damaged_inside_stops_nobody(
    two_units: Course, tmp_path: Path
) -> None:
    place = _write(
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
    assert _who(found) == [("Ada-1", "01-tiny"), ("bob", ""), ("zoe", "01-tiny")]
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
        "list.csv",
    ]
    expected = {
        "Ada-Lovelace-1": ("", "no notebook, but report.pdf"),
        "Bob-2": ("01-tiny", ""),
        "Eve-3": ("01-tiny", ""),
        "Kim-5": ("", "no notebook in the folder"),
        "Zoe-4": ("01-tiny", ""),
        "mullerzoe-12346": ("", "no notebook, but mullerzoe_12346_67891_homework.7z"),
    }
    for place in (_write(tmp_path / "in", *names), _zip(tmp_path / "all.zip", names)):
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert {each.student: (each.unit, each.problem) for each in found} == expected


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("2026-11-03 10:00:00 UTC", "2026-11-03 10:00:00.000000 UTC"),
        ("2026-11-03 10:00:00.25 Europe/Berlin\n", "2026-11-03 09:00:00.250000 UTC"),
        ("2026-11-03 10:00:00 +0100", "2026-11-03 09:00:00.000000 UTC"),
        ("2026-11-03 10:00:00", "2026-11-03 10:00:00.000000 UTC"),
        ("yesterday", ""),
        ("2026-11-03 10:00:00 /etc/localtime", ""),  # nbgrader would open it
        ("1 " * 1000, ""),
        ("1 " * 30_000_000, ""),  # of which a reader takes no more than it needs
    ],
)
def test_nbgraders_time_of_a_submission_is_read(
    two_units: Course, tmp_path: Path, said: str, read: str
) -> None:
    place = _write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb")
    (place / "ada" / "01-tiny" / "timestamp.txt").write_text(said)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in place.rglob("*.*"):
            archive.writestr(path.relative_to(place).as_posix(), path.read_text())
    for each in (place, tmp_path / "all.zip"):
        [found] = intake.find(two_units, each, tmp_path / "unpacked")
        assert found.when == read
        assert found.notes == (() if read else ("timestamp.txt holds no time and was left out",))


def test_only_nbgrader_says_when_and_no_file_of_a_learners(
    two_units: Course, tmp_path: Path
) -> None:
    early = "2020-01-01 00:00:00 UTC"
    folders = {
        "ada/01-tiny": early,  # as nbgrader collects it
        "Kim_7_assignsubmission_file_": "",
        "9-4 - Eve - Nov 21, 2026 1011 AM": "",
        "bob/01-tiny": "",
    }
    place = _write(tmp_path / "in", *(f"{each}/01-tiny.ipynb" for each in folders))
    for folder in [*folders][:3]:
        (place / folder / "timestamp.txt").write_text(early)
    with zipfile.ZipFile(place / "bob" / "01-tiny" / "homework.zip", "w") as archive:
        archive.writestr("01-tiny.ipynb", NOTEBOOK)
        archive.writestr("timestamp.txt", early)
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert len(found) == 4
    assert [each.student for each in found if each.when] == ["ada"]
