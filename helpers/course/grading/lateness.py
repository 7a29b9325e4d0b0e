"""How late a notebook came and what that costs, by OUT/late.toml and nbgrader's gradebook.

Each line of late.toml may be left out:

    zone = "Europe/Berlin"
    percent = 10        # of the points earned, lost
    per = "day"         # or "hour": for each that has begun after the due date
    grace = 15          # minutes that cost nothing
    nothing_after = 5   # days (or hours), after which all points are lost

    [due]
    02-sinusoidal = 2026-10-24T23:59:00+02:00

The gradebook keeps due dates, extensions and penalties where nbgrader has them, so a due date may
be set in formgrader instead. Without the file nbgrader's own plug-in says what lateness costs.
"""

from __future__ import annotations

import math
import shutil
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from nbgrader.api import SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from helpers.course.intake import Submission, times
from helpers.course.intake.platforms import PLATFORMS
from helpers.course.pages.page import duration
from helpers.course.settings import CourseError

NAME = "late.toml"
STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1)}
LINES = (
    'zone = "Europe/Berlin"',
    "percent = 10, up to 100",
    'per = "day" or per = "hour"',
    "grace = 15, in minutes",
    "nothing_after = 5, in days or hours",
    "[due], and below it UNIT = 2026-10-24T23:59:00+02:00, or without +02:00 where there is a zone",
)
NOT_KNOWN = "not known"
MANY = 1_000_000  # of minutes, hours or days


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


def settle(out: Path, file: Path | None, units: list[str]) -> None:
    """Copy a file, if there is one, to OUT/late.toml, and see that what OUT has can be read.

    Raises:
        CourseError: it cannot, or names a unit that there is not.
    """
    path = file or out / NAME
    if unknown := sorted(read(path).due.keys() - set(units)) if path.exists() or file else []:
        raise CourseError(f"{path}: no unit {', '.join(unknown)}; there are {', '.join(units)}")
    if file and file.resolve() != (out / NAME).resolve():
        shutil.copyfile(file, out / NAME)


def rules(out: Path) -> Rules | None:
    """Return the rules in OUT/late.toml, if there is one."""
    return read(out / NAME) if (out / NAME).exists() else None


def policy(out: Path) -> str:
    """Return a line that says what lateness costs; empty where OUT has none."""
    return str(rules(out) or "")


def read(path: Path) -> Rules:
    """Return the rules in a file.

    Raises:
        CourseError: it says something else, or a due date has no time zone.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from error
    zone = _zone(values.get("zone"))
    wrong = [name for name, value in values.items() if not _is_right(name, value)]
    if "percent" not in values:
        wrong += [name for name in ("per", "grace", "nothing_after") if name in values]
    for unit, moment in {} if wrong else values.get("due", {}).items():
        if not isinstance(moment, datetime) or not (moment.tzinfo or zone):
            wrong.append(f"{unit} = {moment}")
    if wrong:
        lines = "\n  ".join(["it may have these lines:", *LINES])
        raise CourseError(f"{path}: {', '.join(wrong)} cannot be read so; {lines}")
    due = {
        unit: moment if moment.tzinfo else moment.replace(tzinfo=zone)
        for unit, moment in values.get("due", {}).items()
    }
    return Rules(**values | {"zone": zone, "due": due})


def _is_right(name: str, value: Any) -> bool:
    """Return whether a key of the file may have this value."""
    if name == "due":
        return isinstance(value, dict)
    if name == "zone":
        return _zone(value) is not None
    if name == "per":
        return value in list(STEPS)
    most = {"percent": 100, "grace": MANY, "nothing_after": MANY}.get(name, -1)
    return type(value) in (int, float) and 0 <= value <= most


def _zone(name: object) -> ZoneInfo | None:
    try:
        return ZoneInfo(str(name)) if name else None
    except (OSError, ValueError, LookupError):
        return None


def enter(submission: SubmittedAssignment, found: Submission, rules: Rules) -> None:
    """Give a submission of the gradebook its due date and time; the caller commits."""
    if found.unit in rules.due:
        submission.assignment.duedate = _plain(rules.due[found.unit])
    handed_in = _handed_in(found, rules.zone)
    submission.timestamp = _plain(handed_in) if handed_in else None


def penalty(
    submission: SubmittedAssignment, earned: float, rules: Rules | None, config: Config
) -> float:
    """Return the points that lateness costs, by the rules, else by nbgrader's plug-in.

    Args:
        earned: points that the submission has now.
    """
    late = seconds(submission)
    if not late:
        return 0.0
    if rules:
        moments = (submission.duedate, submission.timestamp)
        due, handed_in = (m.replace(tzinfo=UTC).astimezone(rules.zone or UTC) for m in moments)
        return round(rules.lost(due, handed_in) * earned, 2)
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    cost = step.plugin_inst.late_submission_penalty(submission.student_id, earned, late)
    return min(max(cost or 0.0, 0.0), earned)


def seconds(submission: SubmittedAssignment) -> float:
    """Return how late it is, by the gradebook; 0 where it is not, or where nobody knows."""
    return float(submission.total_seconds_late) if submission.assignment.duedate else 0.0


def described(submission: SubmittedAssignment, found: Submission) -> str:
    """Return how late it is in words; empty where there is no due date."""
    canvas = PLATFORMS["canvas"].match(f"{_uploaded(found)}x")  # elsewhere LATE may be a name
    if canvas and canvas.groupdict().get("late") and not submission.timestamp:
        return f"yes, by Canvas; by how much is {NOT_KNOWN}"
    if not submission.assignment.duedate:
        return ""
    if not submission.timestamp:
        return NOT_KNOWN
    return duration(seconds(submission)) or "no"


def _handed_in(found: Submission, zone: tzinfo | None) -> datetime | None:
    """Return when, if a timestamp.txt says so, or a platform's name by the clock of `zone`."""
    if found.when:
        return datetime.strptime(found.when, times.FORM).replace(tzinfo=UTC)
    clock = times.of_return(_uploaded(found))
    return clock.replace(tzinfo=zone) if clock and zone else None


def _uploaded(found: Submission) -> str:
    """Return the platform's name for the upload, which a member of a group shares."""
    return found.uploaded_as or found.return_as


def _plain(moment: datetime) -> datetime:
    """Return it as nbgrader's tables have it: in UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)
