"""How late a notebook came and what that costs, by OUT/late.toml and nbgrader's gradebook.

Each line of late.toml may be left out:

    zone = "Europe/Berlin"
    percent = 10        # of the points earned, lost
    per = "day"         # or "hour": for each that has begun after the due date
    grace = 15          # minutes that cost nothing
    nothing_after = 5   # days (or hours), after which all points are lost
    counts = "best"     # of several tries, after lateness; else the last

    [due]
    02-sinusoidal = 2026-10-24T23:59:00+02:00

The gradebook keeps due dates, extensions and penalties where nbgrader has them, so a due date may
be set in formgrader instead.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from nbgrader.api import SubmittedAssignment

from helpers.course import settings
from helpers.course.intake import Submission
from helpers.course.intake.platforms import PLATFORMS, in_utc
from helpers.course.pages.page import duration
from helpers.course.settings import CourseError

NAME = "late.toml"
STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1)}
NOT_KNOWN = "not known"
MANY = 1_000_000  # of minutes, hours or days
MOST = {"percent": 100, "grace": MANY, "nothing_after": MANY}


@dataclass(frozen=True)
class Rules:
    """What late.toml says; its keys are explained above.

    Args:
        due: the due dates by unit.
    """

    due: dict[str, datetime] = field(default_factory=dict)
    zone: tzinfo | None = None
    percent: float = 0.0
    per: str = "day"
    grace: float = 0.0
    nothing_after: float = math.inf
    counts: str = "last"

    def __str__(self) -> str:
        """Return what lateness costs, in words; empty where it costs nothing."""
        grace = f", {self.grace:g} minutes of grace" * bool(self.grace)
        steps = f"{self.nothing_after:g} {self.per}{'s' * (self.nothing_after != 1)}"
        last = f", nothing after {steps}" * math.isfinite(self.nothing_after)
        return f"{self.percent:g}% per {self.per}{grace}{last}" * bool(self.percent)

    def lost(self, due: datetime, handed_in: datetime) -> float:
        """Return the fraction of the points that is lost.

        A day ends at the same time of the clock in the zone of `due`, also where the clocks are
        changed in between; an hour has 60 minutes.
        """
        late = handed_in.astimezone(UTC) - due.astimezone(UTC)
        if late <= timedelta(minutes=self.grace):
            return 0.0
        if self.per == "day":
            late = handed_in.astimezone(due.tzinfo).replace(tzinfo=None) - due.replace(tzinfo=None)
        begun = max(1, math.ceil(late / STEPS[self.per]))
        return 1.0 if begun > self.nothing_after else min(1.0, begun * self.percent / 100)


def settle(out: Path, file: Path | None, units: list[str]) -> Rules | None:
    """Copy a file, if there is one, to OUT/late.toml; return the rules that OUT has.

    Raises:
        CourseError: they cannot be read, or name a unit that there is not.
    """
    found = read(file) if file else rules(out)
    if unknown := sorted(found.due.keys() - set(units)) if found else []:
        raise CourseError(f"late.toml: no unit {', '.join(unknown)}; there are {', '.join(units)}")
    if file:
        settings.write(out / NAME, file.read_bytes())
    return found


def rules(out: Path) -> Rules | None:
    """Return the rules in OUT/late.toml, if there is one."""
    return read(out / NAME) if (out / NAME).exists() else None


def read(path: Path) -> Rules:
    """Return the rules in a file.

    Raises:
        CourseError: it says something else, or a due date has no time zone.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        due = values.pop("due", {})
        zone = _zone(values.pop("zone")) if "zone" in values else None
        if unknown := values.keys() - {*MOST, "per", "counts"}:
            raise ValueError(f"there is no {', '.join(unknown)}")
        for name, most in MOST.items():
            value = values.get(name, 0)
            if type(value) not in (int, float) or not 0 <= value <= most:
                raise ValueError(f"{name} is a number from 0 to {most}, not {value!r}")
        if values.get("per", "day") not in list(STEPS):
            raise ValueError('per is "day" or "hour"')
        if values.get("counts", "last") not in ("last", "best"):
            raise ValueError('counts is "last" or "best"')
        if not isinstance(due, dict):
            raise ValueError("due is a table: [due], below it UNIT = 2026-10-24T23:59:00+02:00")
        if values.keys() - {"counts"} and "percent" not in values:
            raise ValueError("percent is missing")
        return Rules({unit: _moment(unit, due[unit], zone) for unit in due}, zone, **values)
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}; see docs/grading.md") from error


def _zone(name: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (OSError, ValueError, LookupError) as error:
        raise ValueError(f'there is no zone {name}, but "Europe/Berlin", say') from error


def _moment(unit: str, moment: object, zone: tzinfo | None) -> datetime:
    if not isinstance(moment, datetime) or not (moment.tzinfo or zone):
        said = f"{unit} = {moment}"
        raise ValueError(f"{said} is no due date with a time zone: 2026-10-24T23:59:00+02:00")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def enter(submission: SubmittedAssignment, found: Submission, rules: Rules | None) -> None:
    """Give a submission of the gradebook its due date, extension and time; the caller commits."""
    if rules and found.unit in rules.due:
        submission.assignment.duedate = in_utc(rules.due[found.unit])
    if found.extension is not None:
        submission.extension = found.extension
    submission.timestamp = found.when


def penalty(submission: SubmittedAssignment, earned: float, rules: Rules | None) -> float:
    """Return the points that lateness costs.

    Args:
        earned: points that the submission has now.
    """
    if not rules or not seconds(submission):
        return 0.0
    moments = (submission.duedate, submission.timestamp)
    due, handed_in = (m.replace(tzinfo=UTC).astimezone(rules.zone or UTC) for m in moments)
    return round(rules.lost(due, handed_in) * earned, 2)


def seconds(submission: SubmittedAssignment) -> float:
    """Return how late it is, by the gradebook; 0 where it is not, or where nobody knows."""
    return float(submission.total_seconds_late) if submission.assignment.duedate else 0.0


def described(submission: SubmittedAssignment, found: Submission) -> str:
    """Return how late it is in words; empty where there is no due date."""
    canvas = PLATFORMS["canvas"].name.match(f"{found.return_as}x")
    if canvas and canvas["late"]:
        return f"yes, by Canvas; by how much is {NOT_KNOWN}"
    if not submission.assignment.duedate:
        return ""
    if not submission.timestamp:
        return NOT_KNOWN
    return duration(seconds(submission)) or "no"
