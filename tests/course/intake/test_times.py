"""When something was handed in."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from helpers.course import intake
from helpers.course.intake import platforms
from helpers.course.settings import Course
from tests.course.intake.handed_in import MOODLE, both, of, write, zipped


@pytest.mark.parametrize(
    ("said", "zone", "read"),
    [
        ("2026-07-01 10:00:00.000000 UTC", "", datetime(2026, 7, 1, 10)),
        ("2026-07-01 10:00:00.000000 CEST", "Europe/Berlin", datetime(2026, 7, 1, 8)),
        ("2026-07-01 10:00:00.000000 -03", "", datetime(2026, 7, 1, 13)),
        ("2026-07-01 10:00:00.000000 IST", "Asia/Kolkata", datetime(2026, 7, 1, 4, 30)),
        ("2026-07-01 10:00:00.000000 IST", "Europe/Dublin", datetime(2026, 7, 1, 9)),
        ("2026-11-03 10:00:00\n", "", datetime(2026, 11, 3, 10)),
        ("2026-07-01 10:00:00.000000 IST", "Europe/Berlin", None),  # of several places
        ("yesterday", "", None),
        ("2026-11-03 10:00:00 1234567890123456789012345678901 m", "", None),
        ("2026-11-03 10:00:00 /etc/localtime", "", None),  # nbgrader would open it
        ("\xff", "", None),
        ("0001-01-01 00:00:00 +05:00", "", None),  # before there are times in UTC
    ],
)
def test_what_nbgrader_writes_is_read(said: str, zone: str, read: datetime | None) -> None:
    found = platforms.of_nbgrader(said.encode("latin-1"), ZoneInfo(zone) if zone else None)
    assert found == read


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-07-01 10:00:00 IST", ""),
        ("2026-07-01 10:00:00 EST\n", "says “2026-07-01 10:00:00 EST”, which is no time"),
    ],
)
def test_the_time_beside_a_notebook(
    two_units: Course, tmp_path: Path, text: str, told: str
) -> None:
    files = of("ada/01-tiny/01-tiny.ipynb") | {"ada/01-tiny/timestamp.txt": text}
    for place in both(tmp_path, files):
        zone = ZoneInfo("Asia/Kolkata")
        [found] = intake.find(two_units, place, tmp_path / "unpacked", zone)
        assert found.when == (datetime(2026, 7, 1, 4, 30) if "IST" in text else None)
        assert told in "".join(found.notes) and bool(found.notes) == bool(told)


def test_no_file_of_a_learners_says_when(two_units: Course, tmp_path: Path) -> None:
    time = {"timestamp.txt": "2020-01-01 00:00:00 UTC"}
    kim = MOODLE.format("Kim", 7)
    place = write(tmp_path / "in", of(f"{kim}/01-tiny.ipynb") | {f"{kim}/timestamp.txt": "2020"})
    assert not intake.find(two_units, place, tmp_path / "unpacked", platform="moodle")[0].when
    eve = of("anon_vHq3z_5_01-tiny.ipynb") | {"anon_vHq3z_6_timestamp.txt": "2020-01-01 UTC"}
    place = write(tmp_path / "anon", eve)
    assert not intake.find(two_units, place, tmp_path / "unpacked", platform="canvas")[0].when
    place = write(tmp_path / "zip", {"bob/h.zip": zipped(of("01-tiny.ipynb") | time)})
    assert not intake.find(two_units, place, tmp_path / "unpacked")[0].when


def test_brightspaces_times_are_in_the_order_of_the_clock(
    two_units: Course, tmp_path: Path
) -> None:
    clock = ("9, 2026 1159 PM", "10, 2026 1200 AM", "10, 2026 1159 AM", "10, 2026 1200 PM")
    read = [platforms.order(f"Nov {each}") for each in clock]
    assert read[0] > 0 and read == sorted(set(read))
    assert platforms.order("Foo 99, 2026 9999 AM") == platforms.order("") == 0
    place = write(tmp_path / "in", of("5-7 - Ada - Nov 21, 2026 105 PM/01-tiny.ipynb"))
    for zone, when in ((None, None), (ZoneInfo("Europe/Berlin"), datetime(2026, 11, 21, 12, 5))):
        [ada] = intake.find(two_units, place, tmp_path / "unpacked", zone, "brightspace")
        assert ada.when == when
