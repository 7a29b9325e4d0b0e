"""When something was handed in."""

import zipfile
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake import times
from helpers.course.settings import Course
from tests.course.intake.handed_in import NOTEBOOK, write


@pytest.mark.parametrize(
    ("said", "zone", "read"),
    [
        ("2026-07-01 10:00:00.000000 CEST", "", "2026-07-01 08:00:00.000000 UTC"),
        ("2026-01-05 10:00:00.000000 MSK", "", "2026-01-05 07:00:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 PDT", "Europe/Berlin", "2026-07-01 17:00:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 ACST", "", "2026-07-01 00:30:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 -03", "", "2026-07-01 13:00:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 IST", "Asia/Kolkata", "2026-07-01 04:30:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 IST", "Europe/Dublin", "2026-07-01 09:00:00.000000 UTC"),
        ("2026-01-05 10:00:00.000000 CST", "America/Chicago", "2026-01-05 16:00:00.000000 UTC"),
        ("2026-11-01 01:30:00.000000 CST", "America/Chicago", "2026-11-01 07:30:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 IST", "Europe/Berlin", ""),
        ("2026-07-01 10:00:00.000000 BST", "", ""),
    ],
)
def test_what_nbgrader_calls_a_time_zone_is_read(said: str, zone: str, read: str) -> None:
    when, notes = times.of_nbgrader(said.encode(), zone)
    assert when == read
    ask = f'timestamp.txt has the time zone {said[-3:]}; say which: zone = "…" in late.toml'
    assert notes == ([] if read else [ask])


def test_the_zone_of_the_class_is_known_where_times_are_read(
    two_units: Course, tmp_path: Path
) -> None:
    place = write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb")
    (place / "ada/01-tiny/timestamp.txt").write_text("2026-07-01 10:00:00 IST")
    [found] = intake.find(two_units, place, tmp_path / "unpacked", zone="Asia/Kolkata")
    assert (found.when, found.notes) == ("2026-07-01 04:30:00.000000 UTC", ())


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
    place = write(tmp_path / "in", "ada/01-tiny/01-tiny.ipynb")
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
    place = write(tmp_path / "in", *(f"{each}/01-tiny.ipynb" for each in folders))
    for folder in [*folders][:3]:
        (place / folder / "timestamp.txt").write_text(early)
    with zipfile.ZipFile(place / "bob" / "01-tiny" / "homework.zip", "w") as archive:
        archive.writestr("01-tiny.ipynb", NOTEBOOK)
        archive.writestr("timestamp.txt", early)
    found = intake.find(two_units, place, tmp_path / "unpacked")
    assert len(found) == 4
    assert [each.student for each in found if each.when] == ["ada"]


def test_brightspaces_times_are_in_the_order_of_the_clock() -> None:
    clock = ("9, 2026 1159 PM", "10, 2026 1200 AM", "10, 2026 1159 AM", "10, 2026 1200 PM")
    read = [times.of_platform(f"Nov {each}") for each in clock]
    assert read[0] > 0 and read == sorted(set(read))


@pytest.mark.parametrize(
    ("said", "hour", "minute"), [("105", 13, 5), ("0105", 13, 5), ("912", 21, 12)]
)
def test_a_time_of_three_digits_has_an_hour_of_one(said: str, hour: int, minute: int) -> None:
    found = times.of_return(f"5-7 - Ada - Nov 21, 2026 {said} PM")
    assert found and (found.hour, found.minute) == (hour, minute)
