"""Where submissions are found: nbgrader's tree, loose files, and what learning platforms export."""

import os
import zipfile
from pathlib import Path

import pytest

from helpers.course.intake import Submission, inbox
from helpers.course.settings import CourseError

UNITS = ["01-tiny", "02-small"]
NOTEBOOK = "{}"


def _write(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTEBOOK)
        os.utime(path, (number, number))
    return folder


def _zip(path: Path, names: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, NOTEBOOK)
    return path


def _find(place: Path, tmp_path: Path, guessed: str = "") -> list[Submission]:
    return inbox.find(place, UNITS, tmp_path / "unpacked", lambda _path: guessed)


def _who(found: list[Submission]) -> list[tuple[str, str]]:
    return [(each.student, each.unit) for each in found]


def test_nbgraders_tree(tmp_path: Path) -> None:
    place = _write(
        tmp_path / "in",
        "ada/01-tiny/01-tiny.ipynb",
        "ada/02-small/my work.ipynb",
        "ada/02-small/.ipynb_checkpoints/my work-checkpoint.ipynb",
        "Zoë Müller/01-tiny/01-tiny.ipynb",
        "a[1]*/01-tiny/01-tiny.ipynb",
    )
    found = _find(place, tmp_path)
    assert _who(found) == [
        ("Zoë-Müller", "01-tiny"),
        ("a-1", "01-tiny"),
        ("ada", "01-tiny"),
        ("ada", "02-small"),
    ]
    assert [each.notes for each in found] == [(), (), (), ("handed in as my work.ipynb",)]


def test_loose_files(tmp_path: Path) -> None:
    place = _write(tmp_path / "in", "ada_01-tiny.ipynb", "02-small-bob.ipynb", "eve.ipynb")
    found = _find(place, tmp_path, guessed="01-tiny")
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
        "123-456 - Ada Lovelace - Nov 21, 2026 1011 AM/01-tiny.ipynb",
        "124-456 - Zoë Müller - Nov 20, 2026 0930 PM/solution.ipynb",
    ],
}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("packed", [True, False])
def test_platforms_say_who_it_was(tmp_path: Path, platform: str, packed: bool) -> None:
    names = PLATFORMS[platform]
    place = _zip(tmp_path / "all.zip", names) if packed else _write(tmp_path / "in", *names)
    found = _find(place, tmp_path, guessed="01-tiny")
    assert _who(found) == [("Ada-Lovelace", "01-tiny"), ("Zoë-Müller", "01-tiny")]


def test_canvas_and_its_second_tries(tmp_path: Path) -> None:
    names = [
        "lovelaceada_12345_67899_01-tiny-1.ipynb",  # the later one, though it comes first
        "lovelaceada_12345_67890_01-tiny.ipynb",
        "mullerzoe_LATE_12346_67891_01-tiny.ipynb",
    ]
    found = _find(_zip(tmp_path / "all.zip", names), tmp_path)
    assert _who(found) == [("lovelaceada", "01-tiny"), ("mullerzoe", "01-tiny")]
    assert found[0].path.name == names[0]
    assert "the newest of 2 notebooks" in found[0].notes[-1]


def test_the_newest_of_two_in_a_folder_counts(tmp_path: Path) -> None:
    place = _write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb", "ada/01-tiny/01-tiny (1).ipynb")
    found = _find(place, tmp_path)
    assert len(found) == 1 and found[0].path.name == "01-tiny (1).ipynb"


def test_archives_inside_are_opened_and_a_broken_one_is_its_owners_alone(tmp_path: Path) -> None:
    place = _write(tmp_path / "in", "eve/01-tiny/01-tiny.ipynb")
    _zip(place / "ada" / "homework.zip", ["deep/01-tiny/01-tiny.ipynb", "__MACOSX/x.ipynb"])
    (place / "bob").mkdir()
    (place / "bob" / "homework.zip").write_bytes(b"PK nothing")
    (place / "zoe").mkdir()
    found = _find(place, tmp_path)
    assert _who(found) == [("ada", "01-tiny"), ("bob", ""), ("eve", "01-tiny"), ("zoe", "")]
    assert found[3].path.is_dir()
    assert sorted(path.name for path in place.rglob("*")) == sorted(
        ["ada", "bob", "eve", "zoe", "homework.zip", "homework.zip", "01-tiny", "01-tiny.ipynb"]
    )


def test_an_archive_writes_only_where_it_may(tmp_path: Path) -> None:
    place = _zip(tmp_path / "all.zip", ["../../outside.ipynb", "/etc/absolute.ipynb"])
    found = _find(place, tmp_path)
    assert all(tmp_path / "unpacked" in each.path.parents for each in found)
    assert not (tmp_path / "outside.ipynb").exists()


def test_an_archive_that_grows_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "IN_ALL", 10)
    place = _zip(tmp_path / "all.zip", [f"s{n}/01-tiny.ipynb" for n in range(9)])
    with pytest.raises(CourseError, match="too many"):
        _find(place, tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip"])
def test_no_zip(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "all.zip").write_bytes(content)
    with pytest.raises(CourseError, match="cannot be unpacked"):
        _find(tmp_path / "all.zip", tmp_path)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="neither a folder nor a zip"):
        _find(tmp_path / "nowhere", tmp_path)
    (tmp_path / "in").mkdir()
    with pytest.raises(CourseError, match="no notebook in"):
        _find(tmp_path / "in", tmp_path)


def test_two_people_whose_names_look_alike_stay_two(tmp_path: Path) -> None:
    place = _write(tmp_path / "in", "a b/01-tiny/01-tiny.ipynb", "a-b/01-tiny/01-tiny.ipynb")
    assert _who(_find(place, tmp_path)) == [("a-b", "01-tiny"), ("a-b-2", "01-tiny")]


def test_a_folder_around_all_students_is_nobody(tmp_path: Path) -> None:
    names = ["all/ada/01-tiny/01-tiny.ipynb", "all/bob/01-tiny/01-tiny.ipynb"]
    assert _who(_find(_zip(tmp_path / "all.zip", names), tmp_path)) == [
        ("ada", "01-tiny"),
        ("bob", "01-tiny"),
    ]


def test_what_only_looks_like_a_date_or_is_damaged_inside_stops_nobody(tmp_path: Path) -> None:
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
    assert _who(_find(place, tmp_path)) == [("Ada", "01-tiny"), ("bob", ""), ("zoe", "01-tiny")]


def test_archives_deep_inside_archives_come_to_an_end(tmp_path: Path) -> None:
    inner = _zip(tmp_path / "0.zip", ["01-tiny.ipynb"])
    for number in range(1, 7):
        outer = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(outer, "w") as archive:
            archive.write(inner, inner.name)
        inner = outer
    with pytest.raises(CourseError, match="no notebook in"):
        _find(inner, tmp_path)


def test_nobody_is_left_out_who_handed_in_something_else(tmp_path: Path) -> None:
    names = [
        "Ada Lovelace_1_assignsubmission_file_/report.pdf",
        "Bob_2_assignsubmission_file_/01-tiny.ipynb",
        "Bob_2_assignsubmission_file_/figure.png",
        "Eve_3_assignsubmission_file_/01-tiny.IPYNB",
        "Zoe_4_assignsubmission_file_/01-tiny.ipynb.txt",
        "mullerzoe_12346_67891_report.pdf",
        "list.csv",
    ]
    expected = [
        ("Ada-Lovelace", "", True),
        ("Bob", "01-tiny", False),
        ("Eve", "01-tiny", False),
        ("Zoe", "01-tiny", False),
        ("mullerzoe", "", True),
    ]
    for place in (_write(tmp_path / "in", *names), _zip(tmp_path / "all.zip", names)):
        assert [(e.student, e.unit, e.empty) for e in _find(place, tmp_path)] == expected


def test_two_people_of_one_name_stay_two(tmp_path: Path) -> None:
    names = [
        "Ada_7_assignsubmission_file_/01-tiny.ipynb",
        "Ada_8_assignsubmission_file_/01-tiny.ipynb",
        "Bob_9_assignsubmission_file_/01-tiny.ipynb",
    ]
    found = _find(_zip(tmp_path / "all.zip", names), tmp_path)
    assert _who(found) == [("Ada-7", "01-tiny"), ("Ada-8", "01-tiny"), ("Bob", "01-tiny")]
    assert "another has the same name" in found[0].notes[-1]


def test_the_time_of_a_submission_is_unpacked_as_well(tmp_path: Path) -> None:
    names = ["ada/01-tiny/01-tiny.ipynb", "ada/01-tiny/timestamp.txt"]
    [found] = _find(_zip(tmp_path / "all.zip", names), tmp_path)
    assert found.path.with_name("timestamp.txt").exists()
