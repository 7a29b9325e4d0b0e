"""When something was handed in, as nbgrader's timestamp.txt says."""

from __future__ import annotations

from datetime import UTC, datetime, timezone, tzinfo

from dateutil import parser

LONGEST = 100  # bytes of a timestamp.txt


def in_utc(moment: datetime) -> datetime:
    """Return it as nbgrader's tables have it: in UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def of_nbgrader(content: bytes, zone: tzinfo | None) -> datetime | None:
    """Return the time in a timestamp.txt, in UTC; None where it or its time zone is not known.

    nbgrader itself would open the file that is named in the place of a time zone.

    Args:
        zone: of the class; its abbreviations are known, as are UTC and numbers like -03.
    """
    year = [datetime(datetime.now(UTC).year, month, 1, tzinfo=zone) for month in (1, 7)]
    offsets = {each.tzname(): each.utcoffset() for each in year}
    known = {name: timezone(offset) for name, offset in offsets.items() if offset is not None}
    try:
        text = content[: LONGEST + 1].decode("ascii").strip()
        moment = parser.parse(text, tzinfos=known) if len(text) <= LONGEST else None
        if moment and not moment.tzinfo:
            return None if text[-1].isalpha() else moment
        return in_utc(moment) if moment else None
    except (ValueError, ArithmeticError):  # of its decimal numbers, too
        return None
