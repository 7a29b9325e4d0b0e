"""When something was handed in."""

from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake import platforms, times
from helpers.course.settings import Course
from tests.course.intake.handed_in import MOODLE, both, of, write, zipped


@pytest.mark.parametrize(
    ("said", "zone", "read"),
    [
        ("2026-07-01 10:00:00.000000 CEST", "", "2026-07-01 08:00:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 PDT", "Europe/Berlin", "2026-07-01 17:00:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 -03", "", "2026-07-01 13:00:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 IST", "Asia/Kolkata", "2026-07-01 04:30:00.000000 UTC"),
        ("2026-07-01 10:00:00.000000 IST", "Europe/Dublin", "2026-07-01 09:00:00.000000 UTC"),
        ("2026-11-03 10:00:00.25 Europe/Berlin\n", "", "2026-11-03 09:00:00.250000 UTC"),
        ("2026-11-03 10:00:00", "", "2026-11-03 10:00:00.000000 UTC"),
    ],
)
def test_what_nbgrader_writes_is_read(said: str, zone: str, read: str) -> None:
    assert times.of_nbgrader(said.encode(), zone) == (read, [])


def test_a_zone_of_several_places_is_asked_for() -> None:
    ask = 'timestamp.txt has the time zone IST; say which: zone = "…" in late.toml'
    assert times.of_nbgrader(b"2026-07-01 10:00:00 IST", "Europe/Berlin") == ("", [ask])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-07-01 10:00:00 IST", "2026-07-01 04:30:00.000000 UTC"),
        ("yesterday", ""),
        ("2026-11-03 10:00:00 /etc/localtime", ""),  # nbgrader would open it
        ("1 " * 3_000_000, ""),  # which is not even copied
    ],
)
def test_the_time_beside_a_notebook(
    two_units: Course, tmp_path: Path, text: str, read: str
) -> None:
    files = of("ada/01-tiny/01-tiny.ipynb") | {"ada/01-tiny/timestamp.txt": text}
    for place in both(tmp_path, files):
        [found] = intake.find(two_units, place, tmp_path / "unpacked", zone="Asia/Kolkata")
        assert found.when == read
        assert found.notes == (() if read else ("timestamp.txt holds no time and was left out",))


def test_no_file_of_a_learners_says_when(two_units: Course, tmp_path: Path) -> None:
    time = {"timestamp.txt": "2020-01-01 00:00:00 UTC"}
    kim = MOODLE.format("Kim", 7)
    place = write(tmp_path / "in", of(f"{kim}/01-tiny.ipynb") | {f"{kim}/timestamp.txt": "2020"})
    assert not intake.find(two_units, place, tmp_path / "unpacked", platform="moodle")[0].when
    place = write(tmp_path / "zip", {"bob/h.zip": zipped(of("01-tiny.ipynb") | time)})
    assert not intake.find(two_units, place, tmp_path / "unpacked")[0].when


def test_brightspaces_times_are_in_the_order_of_the_clock() -> None:
    clock = ("9, 2026 1159 PM", "10, 2026 1200 AM", "10, 2026 1159 AM", "10, 2026 1200 PM")
    read = [platforms.order(f"Nov {each}") for each in clock]
    assert read[0] > 0 and read == sorted(set(read))
    assert platforms.order("Foo 99, 2026 9999 AM") == platforms.order("") == 0
    found = times.of_return("5-7 - Ada - Nov 21, 2026 105 PM/")  # of three digits
    assert found and (found.hour, found.minute) == (13, 5)
