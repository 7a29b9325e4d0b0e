"""When something was handed in, as a platform, an archive or nbgrader says."""

from __future__ import annotations

import contextlib
import re
import zipfile
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from dateutil import parser

LONGEST = 100  # bytes of a timestamp.txt
CLOCK = "%b %d, %Y %I%M %p"  # of Brightspace's folders
# Hours from UTC of what nbgrader's "%Z" may have written. What is a zone's name in several parts of
# the world is not among them.
HOURS = {
    **{"UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2},
    **{
        "EET": 2,
        "EEST": 3,
        "MSK": 3,
        "WAT": 1,
        "CAT": 2,
        "SAST": 2,
        "EAT": 3,
        "PKT": 5,
        "NPT": 5.75,
    },
    **{"WIB": 7, "WITA": 8, "WIT": 9, "ICT": 7, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9},
    **{"AWST": 8, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13},
    **{"NDT": -2.5, "ADT": -3, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6},
    **{"PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10},
    **{"ART": -3, "BRT": -3, "BRST": -2, "UYT": -3, "CLT": -4, "CLST": -3, "PET": -5, "COT": -5},
}
FORM = "%Y-%m-%d %H:%M:%S.%f UTC"  # in which a timestamp is handed on


def of_platform(said: str) -> float:
    """From the name of a file or folder: Canvas's number, or Brightspace's date in seconds."""
    if said.isdecimal():
        return float(said)
    with contextlib.suppress(ValueError):  # no date after all
        return _by_clock(said).replace(tzinfo=UTC).timestamp()
    return 0.0


def of_return(return_as: str) -> datetime | None:
    """The time in the name of Brightspace's folder, by a clock that it does not name."""
    with contextlib.suppress(ValueError):  # another platform's
        return _by_clock(return_as.rpartition(" - ")[2])
    return None


def _by_clock(text: str) -> datetime:
    """Return a time like "Nov 21, 2026 105 PM", which is five past one."""
    return datetime.strptime(re.sub(r"\b(\d{3}) (?=[AP]M$)", r"0\1 ", text), CLOCK)


def of_member(member: zipfile.ZipInfo) -> float:
    """When a member of an archive was changed."""
    with contextlib.suppress(ValueError, OverflowError):
        return datetime(*member.date_time).timestamp()
    return 0.0


def of_nbgrader(content: bytes, zone: str = "") -> tuple[str, list[str]]:
    """Return the time in a timestamp.txt, as nbgrader reads it; what to say where there is none.

    What stands for a time zone nbgrader would take for a file, if that were its name.

    Args:
        zone: of the class, as "Europe/Berlin"; it tells what IST is, or CST.
    """
    if not content:
        return "", []
    try:
        said = content.decode("ascii").strip()
        if len(content) > LONGEST:
            raise ValueError("too long")
        *before, abbreviation = said.split(" ")
        if len(before) == 2 and abbreviation[0].isalpha():
            clock = parser.parse(" ".join(before))
            of_clock = _zone(clock, abbreviation, zone)
            if not of_clock:
                ask = 'say which: zone = "…" in late.toml'
                return "", [f"timestamp.txt has the time zone {abbreviation}; {ask}"]
            moment = clock.replace(tzinfo=of_clock)
        else:
            moment = parser.parse(said)
        in_utc = moment.astimezone(UTC) if moment.tzinfo else moment
        return in_utc.strftime(FORM), []
    except Exception:  # whatever the text makes of these libraries
        return "", ["timestamp.txt holds no time and was left out"]


def _zone(clock: datetime, said: str, zone: str) -> tzinfo | None:
    """Return what a zone's name or abbreviation means; None where that is not known.

    Raises:
        ValueError: it is none.
    """
    if zone:
        for fold in (0, 1):  # the hour that comes twice, where clocks are put back
            there = clock.replace(tzinfo=ZoneInfo(zone), fold=fold)
            if there.tzname() == said:
                return timezone(there.utcoffset() or timedelta())
    if said in HOURS:
        return timezone(timedelta(hours=HOURS[said]))
    if said.isalpha() and said.isupper() and len(said) <= 5:
        return None
    return ZoneInfo(said)
