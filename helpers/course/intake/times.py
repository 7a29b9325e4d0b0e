"""When something was handed in, as nbgrader's timestamp.txt or Brightspace says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from dateutil import parser

from helpers.course.intake import platforms

LONGEST = 100  # bytes of a timestamp.txt
FORM = "%Y-%m-%d %H:%M:%S.%f UTC"  # in which nbgrader is told a time
# Hours from UTC of what nbgrader's "%Z" may have written; without what names several zones.
HOURS = {
    "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2,
    "EEST": 3, "MSK": 3, "WAT": 1, "CAT": 2, "SAST": 2, "EAT": 3, "PKT": 5, "NPT": 5.75, "WIB": 7,
    "WITA": 8, "WIT": 9, "ICT": 7, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AWST": 8, "ACST": 9.5,
    "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "NDT": -2.5, "ADT": -3,
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9,
    "AKDT": -8, "HST": -10, "ART": -3, "BRT": -3, "BRST": -2, "UYT": -3, "CLT": -4, "CLST": -3,
    "PET": -5, "COT": -5,
}  # fmt: skip


def of_return(return_as: str) -> datetime | None:
    """Return the time in the name of Brightspace's folder, by a clock that it does not name."""
    return platforms.clock(return_as.rstrip("/").rpartition(" - ")[2])


def of_nbgrader(content: bytes, zone: str = "") -> tuple[str, list[str]]:
    """Return the time in a timestamp.txt as `FORM` has it, and what to say where there is none.

    nbgrader itself would open the file that is named in the place of a time zone.

    Args:
        zone: of the class, as "Europe/Berlin"; it tells what IST is, or CST.
    """
    try:
        text = content.decode("ascii").strip()
        if len(text) > LONGEST:
            raise ValueError("too long")
        *before, name = text.split(" ")
        if len(before) == 2 and name[0].isalpha():
            moment = parser.parse(" ".join(before))
            known = _zone(moment, name, zone)
            if not known:
                ask = 'say which: zone = "…" in late.toml'
                return "", [f"timestamp.txt has the time zone {name}; {ask}"]
            moment = moment.replace(tzinfo=known)
        else:
            moment = parser.parse(text)
        return (moment.astimezone(UTC) if moment.tzinfo else moment).strftime(FORM), []
    except Exception:  # whatever the text makes of these libraries
        return "", ["timestamp.txt holds no time and was left out"]


def _zone(moment: datetime, name: str, zone: str) -> tzinfo | None:
    """Return what a zone's name or abbreviation means; None where that is not known.

    Raises:
        ValueError: it is none.
    """
    for fold in (0, 1) if zone else ():  # the hour that comes twice, where clocks are put back
        there = moment.replace(tzinfo=ZoneInfo(zone), fold=fold)
        if there.tzname() == name:
            return timezone(there.utcoffset() or timedelta())
    if name in HOURS:
        return timezone(timedelta(hours=HOURS[name]))
    return None if name.isupper() and len(name) <= 5 else ZoneInfo(name)
