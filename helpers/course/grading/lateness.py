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
from zoneinfo import ZoneInfo

from nbgrader.api import SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from helpers.course.intake import Submission, times
from helpers.course.settings import CourseError

NAME = "late.toml"
STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1)}
KEYS = {
    "zone": 'zone = "Europe/Berlin"',
    "percent": "percent = 10, up to 100",
    "per": 'per = "day" or per = "hour"',
    "grace": "grace = 15, in minutes",
    "nothing_after": "nothing_after = 5, in days or hours",
    "due": "[due], and below it lines like UNIT = 2026-10-24T23:59:00+02:00",
}
NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Policy:
    """What lateness costs, of the points earned.

    Args:
        percent: lost for each step, of `STEPS`, that has begun.
        grace: minutes that cost nothing.
        nothing_after: steps after which nothing is left.
    """

    percent: float
    per: str = "day"
    grace: float = 0
    nothing_after: float = math.inf

    def __str__(self) -> str:
        grace = f", {self.grace:g} minutes of grace" * bool(self.grace)
        steps = f"{self.nothing_after:g} {self.per}{'s' * (self.nothing_after != 1)}"
        last = f", nothing after {steps}" * math.isfinite(self.nothing_after)
        return f"{self.percent:g}% per {self.per}{grace}{last}"

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


@dataclass(frozen=True)
class Rules:
    """What late.toml says."""

    due: dict[str, datetime] = field(default_factory=dict)
    policy: Policy | None = None
    zone: tzinfo | None = None


def settle(out: Path, given: Path | None, units: list[str]) -> None:
    """Copy a file to OUT/late.toml, if one is given, and see that what OUT has can be read.

    Raises:
        CourseError: it cannot, or names a unit that there is not.
    """
    path = given or out / NAME
    if unknown := sorted(read(path).due.keys() - set(units)) if path.exists() or given else []:
        raise CourseError(f"{path}: no unit {', '.join(unknown)}; there are {', '.join(units)}")
    if given and given.resolve() != (out / NAME).resolve():
        shutil.copyfile(given, out / NAME)


def rules(out: Path) -> Rules | None:
    """Return the rules in OUT/late.toml, if there is one."""
    return read(out / NAME) if (out / NAME).exists() else None


def policy(out: Path) -> str:
    """Return a line that says what lateness costs; empty where OUT has none."""
    found = rules(out)
    return str(found.policy) if found and found.policy else ""


def read(path: Path) -> Rules:
    """Return the rules in a file.

    Raises:
        CourseError: it says something else, or a due date has no time zone.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from error
    number = (int, float)
    right = {
        "zone": lambda name: _zone(name) is not None,
        "percent": lambda value: type(value) in number and 0 < value <= 100,
        "per": lambda name: name in list(STEPS),
        "grace": lambda value: type(value) in number and 0 <= value < math.inf,
        "nothing_after": lambda value: type(value) in number and value > 0,
        "due": lambda value: isinstance(value, dict),
    }
    wrong = [name for name, value in given.items() if name not in right or not right[name](value)]
    if "percent" not in given:
        wrong += [name for name in ("per", "grace", "nothing_after") if name in given]
    if wrong:
        lines = "\n  ".join(["it may have these lines:", *KEYS.values()])
        raise CourseError(f"{path}: {', '.join(wrong)} cannot be read so; {lines}")
    zone, due = _zone(given.pop("zone", "")), given.pop("due", {})
    moments = {unit: _moment(path, unit, value, zone) for unit, value in due.items()}
    return Rules(moments, Policy(**given) if given else None, zone)


def _zone(name: object) -> ZoneInfo | None:
    try:
        return ZoneInfo(str(name)) if name else None
    except (OSError, ValueError, LookupError):
        return None


def _moment(path: Path, unit: str, value: object, zone: tzinfo | None) -> datetime:
    """Return a due date, which says of which clock it is."""
    if not isinstance(value, datetime):
        raise CourseError(f"{path}: {unit} = {value} should be like 2026-10-24T23:59:00+02:00")
    if value.tzinfo is None:
        meant = value.replace(tzinfo=zone or UTC).isoformat()
        raise CourseError(
            f"{path}: {unit} = {value.isoformat()} has no time zone. "
            f"Write {meant} if {zone or 'UTC'} is meant, else its own offset"
        )
    return value


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
    if rules:
        if not rules.policy or not late:
            return 0.0
        moments = (submission.duedate, submission.timestamp)
        due, handed_in = (m.replace(tzinfo=UTC).astimezone(rules.zone or UTC) for m in moments)
        return round(rules.policy.lost(due, handed_in) * earned, 2)
    if not late:
        return 0.0
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    cost = step.plugin_inst.late_submission_penalty(submission.student_id, earned, late)
    return min(max(cost or 0.0, 0.0), earned)


def seconds(submission: SubmittedAssignment) -> float:
    """Return how late it is, by the gradebook; 0 where it is not, or where nobody knows."""
    return float(submission.total_seconds_late) if submission.assignment.duedate else 0.0


def described(submission: SubmittedAssignment, found: Submission) -> str:
    """Return how late it is in words; empty where there is no due date."""
    if "_LATE_" in found.return_as and not submission.timestamp:
        return f"yes, by Canvas; by how much is {NOT_KNOWN}"
    if not submission.assignment.duedate:
        return ""
    if not submission.timestamp:
        return NOT_KNOWN
    return words(seconds(submission)) or "no"


def words(late: float) -> str:
    """Return seconds as people say them; a minute that has begun counts."""
    hours, minutes = divmod(math.ceil(late / 60), 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def _handed_in(found: Submission, zone: tzinfo | None) -> datetime | None:
    """Return when, if a timestamp.txt says so, or a platform's name by the clock of `zone`."""
    if found.when:
        return datetime.strptime(found.when, times.FORM).replace(tzinfo=UTC)
    clock = times.of_return(found.return_as)
    return clock.replace(tzinfo=zone) if clock and zone else None


def _plain(moment: datetime) -> datetime:
    """Return it as nbgrader's tables have it: in UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)
