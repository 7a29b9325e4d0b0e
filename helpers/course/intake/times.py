"""When something was handed in, as a platform, an archive or nbgrader says."""

from __future__ import annotations

import contextlib
import zipfile
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from dateutil import parser

LONGEST = 100  # bytes of a timestamp.txt
CLOCK = "%b %d, %Y %I%M %p"  # of Brightspace's folders
FORM = "%Y-%m-%d %H:%M:%S.%f UTC"  # in which a timestamp is handed on


def of_platform(said: str) -> float:
    """From the name of a file or folder: Canvas's number, or Brightspace's date in seconds."""
    if said.isdecimal():
        return float(said)
    with contextlib.suppress(ValueError):  # no date after all
        return datetime.strptime(said, CLOCK).replace(tzinfo=UTC).timestamp()
    return 0.0


def of_return(return_as: str) -> datetime | None:
    """The time in the name of Brightspace's folder, by a clock that it does not name."""
    with contextlib.suppress(ValueError):  # another platform's
        return datetime.strptime(return_as.rpartition(" - ")[2], CLOCK)
    return None


def of_member(member: zipfile.ZipInfo) -> float:
    """When a member of an archive was changed."""
    with contextlib.suppress(ValueError, OverflowError):
        return datetime(*member.date_time).timestamp()
    return 0.0


def of_nbgrader(content: bytes) -> tuple[str, list[str]]:
    """The time in a timestamp.txt, in a form that nbgrader reads; what to say where it is none.

    What stands for a time zone nbgrader would take for a file, if that were its name.
    """
    if not content:
        return "", []
    try:
        said = content.decode("ascii").strip()
        if len(content) > LONGEST:
            raise ValueError("too long")
        *before, zone = said.split(" ")
        if len(before) == 2 and zone[0].isalpha():
            moment = parser.parse(" ".join(before)).replace(tzinfo=ZoneInfo(zone))
        else:
            moment = parser.parse(said)
        in_utc = moment.astimezone(UTC) if moment.tzinfo else moment
        return in_utc.strftime(FORM), []
    except Exception:  # whatever the text makes of these libraries
        return "", ["timestamp.txt holds no time and was left out"]
