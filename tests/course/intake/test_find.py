"""Where submissions are found: nbgrader's tree, loose files, and what learning platforms export."""

import hashlib
import json
import os
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from nbformat import v4

from helpers.course import intake
from helpers.course.intake.identify import student_of
from helpers.course.settings import Course, CourseError
from tests.course.intake.handed_in import MOODLE, NOTEBOOK, both, of, who, write, zipped

ADA = MOODLE.format("Ada", 7) + "/01-tiny.ipynb"


def test_nbgraders_tree_in_a_folder_that_is_nobody(two_units: Course, tmp_path: Path) -> None:
    names = [
        "ada/01-tiny/01-tiny.ipynb",
        "ada/02-small/my work.ipynb",
        "ada/02-small/.ipynb_checkpoints/my work-checkpoint.ipynb",
        "Zoë/01-tiny/01-tiny.ipynb",
    ]
    around = both(tmp_path, of(*(f"submitted/{each}" for each in names)))
    for place in (*around, tmp_path / "in" / "submitted"):
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert who(found) == [("Zoë", "01-tiny"), ("ada", "01-tiny"), ("ada", "02-small")]
        assert [each.notes for each in found] == [(), (), ("handed in as my work.ipynb",)]


def test_loose_files(two_units: Course, tmp_path: Path) -> None:
    files = of("ada_01-tiny.ipynb", "02-small-bob.ipynb", "eve.ipynb", "list.csv")
    for place in both(tmp_path, files):
        found = intake.find(two_units, place, tmp_path / "unpacked")
        assert who(found) == [("ada", "01-tiny"), ("bob", "02-small"), ("eve", "01-tiny")]
        assert found[2].notes == ("handed in as eve.ipynb",)


PLATFORMS = {
    "moodle": [
        "Ada Lovelace_123456_assignsubmission_file_/01-tiny.ipynb",
        "Zoë Müller_123457_assignsubmission_file_/solution final(2).ipynb",
    ],
    "moodle, files": [
        "Ada Lovelace_123456_assignsubmission_file_01-tiny.ipynb",
        "Zoë Müller_123457_assignsubmission_file_solution final(2).ipynb",
    ],
    "canvas": [
        "Ada-Lovelace_LATE_123456_67891_01-tiny.ipynb",
        "Zoë-Müller_123457_67890_solution.ipynb",
    ],
    "brightspace": [
        "index.html",
        "123456-4 - Ada Lovelace - Nov 21, 2026 1011 AM/01-tiny.ipynb",
        "123457-4 - Zoë Müller - Nov 20, 2026 0930 PM/solution.ipynb",
    ],
}


def test_an_exchanges_inbound(two_units: Course, tmp_path: Path) -> None:
    names = {  # the later try comes first
        "ada+01-tiny+2026-11-30 09:00:00.000000 UTC+aaaaaaaaaaaa": "later",
        "ada+01-tiny+2026-11-29 09:00:00.000000 UTC+bF3xQ_a-9ZkE": "earlier",
        "bob+01-tiny+2026-99-29 09:00:00.000000 UTC+bbbbbbbbbbbb": "no such month",
        "c+++02-small+2026-11-29 09:00:00.000000 +04": "of another zone, without a random end",
    }
    files: dict[str, str | bytes] = {}
    for name, secret in names.items():
        files |= {f"{name}/work.ipynb": NOTEBOOK, f"{name}/submission_secret.txt": secret}
        files[f"{name}/timestamp.txt"] = name.split("+", 2)[2][:30]
    for place in both(tmp_path, files):
        ada, bob, cpp = intake.find(two_units, place, tmp_path / "unpacked")
        assert who([ada, bob, cpp]) == [
            ("ada", "01-tiny"), ("bob", "01-tiny"), (student_of("c++"), "02-small")
        ]  # fmt: skip
        assert ada.when == datetime(2026, 11, 30, 9) and not ada.files
        assert ada.exchange["submission_secret.txt"].read_text() == "later"
        time = "handed in 2026-11-30 09:00 UTC"
        assert ada.notes[0] == f"of 2 notebooks, this counts: work.ipynb, {time}"


@pytest.mark.parametrize("names", PLATFORMS)
@pytest.mark.parametrize("around", ["", "submitted/CS-A1 1187/", "01-tiny/"])  # of nobody's
def test_platforms_say_who_it_was(
    two_units: Course, tmp_path: Path, names: str, around: str
) -> None:
    platform = names.partition(",")[0]
    for place in both(tmp_path, of(*(f"{around}{each}" for each in PLATFORMS[names]))):
        found = intake.find(two_units, place, tmp_path / "unpacked", platform=platform)
        assert who(found) == [("Ada-Lovelace-123456", "01-tiny"), ("Zoë-Müller-123457", "01-tiny")]
        assert [each.platform_id for each in found] == ["123456", "123457"]
        other = "moodle" if platform != "moodle" else ""
        with pytest.raises(CourseError, match=f"{platform.title()}'s names: say --platform"):
            intake.find(two_units, place, tmp_path / "unpacked", platform=other)


def test_names_of_no_platform_and_a_platform(two_units: Course, tmp_path: Path) -> None:
    write(tmp_path / "in", of("ada/01-tiny.ipynb"))
    with pytest.raises(CourseError, match=r"nothing in .* is named as Moodle does"):
        intake.find(two_units, tmp_path / "in", tmp_path / "unpacked", platform="moodle")
    write(tmp_path / "in", of(ADA))
    ada, other = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked", platform="moodle")
    assert (ada.student, other.student, other.platform_id) == ("Ada-7", "ada", "")
    assert other.notes[0].startswith("Moodle gives no such name")


def test_canvas_and_its_second_tries(two_units: Course, tmp_path: Path) -> None:
    names = [
        "lovelaceada_12345_67899_01-tiny-1.ipynb",  # the later one, though it comes first
        "lovelaceada_12345_67890_01-tiny.ipynb",
        "lovelaceada_12345_67898_mine-1.py",
        "mullerzoe_LATE_12346_67891_homework.7z",
    ]
    place = both(tmp_path, of(*names))[1]
    ada, zoe = intake.find(two_units, place, tmp_path / "unpacked", platform="canvas")
    assert ada.notes == ("of 2 notebooks, this counts: 01-tiny-1.ipynb",)
    assert [*ada.files] == ["mine.py"] and ada.return_as == "for-lovelaceada_12345_67899_"
    assert zoe.problem == "no notebook, but homework.7z"


def test_a_newer_copy_that_nobody_has_worked_in_does_not_count(
    two_units: Course, tmp_path: Path
) -> None:
    stub = NOTEBOOK.replace('"id"', '"source": "raise NotImplementedError()", "id"')
    files = of("ada/01-tiny/01-tiny.ipynb", "ada/01-tiny/01-tiny (1).ipynb")
    files["ada/01-tiny/01-tiny-Copy1.ipynb"] = stub
    [ada] = intake.find(two_units, write(tmp_path / "in", files), tmp_path / "unpacked")
    assert ada.notes[0] == "of 3 notebooks, this counts: 01-tiny (1).ipynb"


def test_among_the_last_ten_that_are_answered_the_best_may_count(
    two_units: Course, tmp_path: Path
) -> None:
    stub = NOTEBOOK.replace('"id"', '"source": "raise NotImplementedError()", "id"')
    files = of(*(f"ada/01-tiny/{n:02}.ipynb" for n in range(13))) | {"ada/01-tiny/12.ipynb": stub}
    place, unpacked = write(tmp_path / "in", files), tmp_path / "unpacked"
    [ada] = intake.find(two_units, place, unpacked, best=True)
    tries = (ada, *ada.earlier)
    numbers = range(11, 1, -1)
    assert [each.notes[1] for each in tries] == [f"handed in as {n:02}.ipynb" for n in numbers]
    assert {*ada.path.parent.iterdir()} == {each.path for each in tries}


def test_the_newest_counts_also_where_an_earlier_one_has_more_answers(
    two_units: Course, tmp_path: Path
) -> None:
    more = json.loads(NOTEBOOK)
    more["cells"] *= 2
    files: dict[str, str | bytes] = {"ada/01-tiny/01-tiny.ipynb": json.dumps(more)}
    files |= of("ada/01-tiny/01-tiny (1).ipynb")
    [ada] = intake.find(two_units, write(tmp_path / "in", files), tmp_path / "unpacked")
    assert ada.notes[0] == "of 2 notebooks, this counts: 01-tiny (1).ipynb"


def test_the_newest_in_an_archive_counts_and_an_archive_in_it_is_not_opened(
    two_units: Course, tmp_path: Path
) -> None:
    (place := tmp_path / "in").mkdir()
    with zipfile.ZipFile(place / "bob.zip", "w") as archive:
        for name, year in (("later", 2026), ("earlier", 2024)):
            member = zipfile.ZipInfo(f"{name}/01-tiny.ipynb", (year, 1, 1, 0, 0, 0))
            archive.writestr(member, NOTEBOOK[:-1] + f', "metadata": "{name}"}}')
    inner = zipped({"01-tiny/mine.ipynb": NOTEBOOK, "01-tiny/mine.py": "x"})
    write(place, {"ada/homework.zip": zipped({"deep.zip": inner}), "zoe/01-tiny.ipynb": b"PK"})
    write(
        place,
        {
            "eve/homework.zip": zipped(
                {"01-tiny/mine.ipynb": NOTEBOOK, "01-tiny/mine.py": "x", "real.zip": inner}
            )
        },
    )
    before = sorted(place.rglob("*"))
    ada, bob, eve, zoe = intake.find(two_units, place, tmp_path / "unpacked")
    assert "later" in bob.path.read_text()
    assert (eve.unit, eve.problem, [*eve.files]) == ("01-tiny", "", ["mine.py"])
    assert "not opened: real.zip" in eve.notes
    assert (zoe.unit, zoe.problem) == ("01-tiny", "")
    assert ada.problem == "no notebook, but deep.zip"
    with pytest.raises(CourseError, match="Office document"):
        intake.repaired(zoe.path.read_bytes(), v4.new_notebook())
    assert sorted(place.rglob("*")) == before


def test_where_nothing_can_be_found_it_says_so(two_units: Course, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "all.zip").write_bytes(b"PK\x03\x04")
    for name, told in {
        "all.zip": "cannot be unpacked",
        "nowhere": "neither a folder nor a zip",
        "in": "no notebook in",
    }.items():
        with pytest.raises(CourseError, match=told):
            intake.find(two_units, tmp_path / name, tmp_path / "unpacked")


def test_nobody_is_left_out_who_handed_in_something_else(two_units: Course, tmp_path: Path) -> None:
    names = [
        "Ada Lovelace_1_assignsubmission_file_/report.pdf",
        "Eve_3_assignsubmission_file_/01-tiny.IPYNB",
        "Eve_3_assignsubmission_file_/figure.png",
        "Zoe_4_assignsubmission_file_/01-tiny.ipynb.txt",
        "Kim_5_assignsubmission_onlinetext_/onlinetext.html",
        "list.csv",
    ]
    expected = {
        "Ada-Lovelace-1": ("", "no notebook, but report.pdf"),
        "Eve-3": ("01-tiny", ""),
        "Kim-5": ("", "no notebook in the folder"),
        "Zoe-4": ("01-tiny", ""),
    }
    place = both(tmp_path, of(*names))[1]
    found = intake.find(two_units, place, tmp_path / "unpacked", platform="moodle")
    assert {each.student: (each.unit, each.problem) for each in found} == expected


def test_what_nbgrader_wrote_stays_with_what_is_no_notebook(
    two_units: Course, tmp_path: Path
) -> None:
    files = {"ada/01-tiny/essay.docx": "x", "ada/01-tiny/submission_secret.txt": "mine"}
    for place in both(tmp_path, files):
        [ada] = intake.find(two_units, place, tmp_path / "unpacked")
        assert ada.problem == "no notebook, but essay.docx"
        assert ada.exchange["submission_secret.txt"].read_text() == "mine"


def test_a_notebook_named_as_another_unit_is_of_the_unit_of_its_cells(
    two_units: Course, tmp_path: Path
) -> None:
    mine = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "id": "double"}]})
    place = write(tmp_path / "in", {"ada/02-small/02-small.ipynb": mine})
    first, second = intake.find(two_units, place, tmp_path / "unpacked")
    assert (first.unit, first.problem) == ("01-tiny", "")
    assert first.notes == ("named 02-small, holds the cells of 01-tiny: graded as that",)
    assert second.problem == "no notebook, but 02-small.ipynb with the cells of 01-tiny"
    # One that has the right name counts before it, though it is older.
    write(place, {"ada/01-tiny.ipynb": mine + " "})
    os.utime(place / "ada" / "01-tiny.ipynb", (-9, -9))
    first, second = intake.find(two_units, place, tmp_path / "unpacked")
    assert first.path.read_text() == mine + " "
    # One that cannot be read is of the unit of its name.
    write(place, {"zoe/02-small/02-small.ipynb": "<html>"})
    zoe = intake.find(two_units, place, tmp_path / "unpacked")[-1]
    assert (zoe.unit, zoe.problem) == ("02-small", "")


def test_names_in_a_zip_of_powershell_have_backslashes(two_units: Course, tmp_path: Path) -> None:
    files = {"ada\\": "", "ada\\01-tiny\\": ""} | of("ada\\01-tiny\\01-tiny.ipynb")
    (tmp_path / "all.zip").write_bytes(zipped(files))
    assert who(intake.find(two_units, tmp_path / "all.zip", tmp_path / "u")) == [("ada", "01-tiny")]


def test_names_in_a_zip_of_macos_are_read_in_utf_8(two_units: Course, tmp_path: Path) -> None:
    name = "Zoë Müller"
    mark = "x" * len(name.encode())
    content = zipped(of(f"{mark}/01-tiny.ipynb")).replace(mark.encode(), name.encode())
    (tmp_path / "all.zip").write_bytes(content)  # which does not say how its names are written
    [one] = intake.find(two_units, tmp_path / "all.zip", tmp_path / "unpacked")
    assert one.student.startswith("Zoë-Müller")


BESIDE = [
    "mine.py", "utils/__init__.py", "data/prices.csv", "report.7z", "index.html", "timestamp.txt",
    "helpers/course/cli.py", "helpers.py", "__pycache__/mine.pyc", ".ipynb_checkpoints/x.py",
    ".hidden", "other.ipynb", "large.bin",
]  # fmt: skip


def test_what_stands_beside_a_notebook_goes_with_it(two_units: Course, tmp_path: Path) -> None:
    mine = of(*(f"ada/01-tiny/{each}" for each in ["01-tiny.ipynb", *BESIDE]))
    mine["ada/01-tiny/large.bin"] = b"x" * (2**21 + 1)
    folder, packed = both(tmp_path, mine | of("ada/not-of-it.py"))
    inside = {name.removeprefix("ada/"): text for name, text in mine.items()}
    write(tmp_path / "zip", {"ada/h.zip": zipped(inside), "ada/not-of-it.py": "x"})
    found = []
    for place in (folder, packed, tmp_path / "zip"):
        [one] = intake.find(two_units, place, tmp_path / "unpacked")
        assert [*one.files] == ["mine.py", "utils/__init__.py", "data/prices.csv"]
        assert all(each.read_text() == NOTEBOOK for each in one.files.values())
        copies = {one.path, *one.files.values(), *one.exchange.values()}
        assert {*one.path.parent.iterdir()} == copies
        assert "left out of what goes with it" in one.notes[-1]
        found.append(one.digest)
    assert len({*found, hashlib.sha256(NOTEBOOK.encode()).hexdigest()}) == 2


def test_what_goes_with_a_notebook_is_not_too_much(two_units: Course, tmp_path: Path) -> None:
    files = of("ada/01-tiny.ipynb", *(f"ada/{n:02}.csv" for n in range(60)))
    files |= {"ada/z.py": "x" * 2**20, "ada/a.bin": b"x" * 2**21, "ada/b.bin": b"x" * (2**21 + 1)}
    (tmp_path / "all.zip").write_bytes(zipped(files))
    [one] = intake.find(two_units, tmp_path / "all.zip", tmp_path / "unpacked")
    assert "z.py" in one.files and not {"a.bin", "b.bin"} & {*one.files} and len(one.files) == 50
    assert one.notes[-1].endswith("more")
