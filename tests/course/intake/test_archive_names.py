"""Names in old zips and from Windows are read as they were written."""

import zipfile
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake.archive_names import path_of
from helpers.course.intake.people import people
from helpers.course.settings import Course
from tests.course.intake.handed_in import archive, zip_of

UNITS = ["01-tiny", "02-small"]
MOODLE = "{}_{}_assignsubmission_file_"


def _old(place: Path, encoding: str, *names: str) -> Path:
    """A zip that does not say how its names are written."""
    written = {each: each.encode(encoding).decode("cp437") for each in names}
    content = bytearray(archive(*(f"{n:04}{'x' * len(w)}" for n, w in enumerate(written.values()))))
    for number, given in enumerate(written.values()):
        marked = f"{number:04}{'x' * len(given)}".encode()
        content = content.replace(marked, b"0000" + given.encode("cp437"))
    place.write_bytes(content)
    return place


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "Иван Петров"),
        ("utf-8", "Zoë Müller"),
        ("cp866", "Иван Петров"),
        ("cp866", "Пётр Ильич-младший №2"),
        ("cp437", "Zoë Müller"),
        ("cp437", "José Ñandú"),
        ("cp850", "João Vitória"),
        ("gb2312", "张三"),
    ],
)
def test_names_in_an_old_zip_are_read_by_their_bytes(
    two_units: Course, tmp_path: Path, encoding: str, name: str
) -> None:
    place = _old(tmp_path / "all.zip", encoding, f"{name}/01-tiny.ipynb", f"{name}/{name}.py")
    [found] = people(place, UNITS)
    assert found.said == f"0000{name}"
    [one] = intake.find(two_units, place, tmp_path / "unpacked")
    assert [*one.files] == [f"{name}.py"]


def test_paths_as_old_programs_of_windows_write_them(tmp_path: Path) -> None:
    names = ["ada\\", "ada\\01-tiny\\01-tiny.ipynb", "bob\\01-tiny\\01-tiny.ipynb", "read.me"]
    place = zip_of(tmp_path / "all.zip", **dict.fromkeys(names, b"{}"))
    assert [each.student for each in people(place, UNITS)] == ["ada", "bob"]


@pytest.mark.parametrize("beside", ["bob_7_901_x.ipynb", "bob/x.ipynb"])
def test_no_learner_parts_a_name_by_a_sign_in_it(tmp_path: Path, beside: str) -> None:
    name = "eve_66_902_Ada_7_assignsubmission_file_\\x.ipynb"
    place = zip_of(tmp_path / "all.zip", **{name: b"{}", beside: b"{}"})
    assert {each.platform_id for each in people(place, UNITS)} <= {"66", "", "7"}
    [eve] = [each for each in people(place, UNITS) if "eve" in each.student]
    assert eve.platform_id in ("66", "")


def test_a_name_that_python_has_read_in_unicode_stays() -> None:
    name = "\u0410\u043d\u043d\u0430/x.ipynb"
    assert path_of(zipfile.ZipInfo(name)) == name
