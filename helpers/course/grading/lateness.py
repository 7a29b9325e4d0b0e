"""How late a notebook came and what that costs, by OUT/late.toml and nbgrader's gradebook.

    policy = "10% per day, 15 minutes of grace, nothing after 5 days"
    zone = "Europe/Berlin"
    [due]
    02-sinusoidal = 2026-10-24T23:59:00+02:00

Each line may be left out. The gradebook keeps due dates, extensions and penalties where nbgrader
has them, so a due date may be set in formgrader instead. Without the file nothing is changed there.
"""

from __future__ import annotations

import math
import re
import shutil
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from helpers.course.intake import Submission, times
from helpers.course.settings import CourseError

NAME = "late.toml"
STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1)}
POLICY = re.compile(
    r"(?P<percent>\d{1,3}(?:\.\d+)?) ?% per (?P<step>hour|day)"
    r"(?:, (?P<grace>\d{1,5}) minutes of grace)?"
    r"(?:, nothing after (?P<last>\d{1,4}) (?P=step)s?)?"
)
EXAMPLE = '"10% per day, 15 minutes of grace, nothing after 5 days"; the last two may be left out'
NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Policy:
    """What lateness costs, of the points earned: `fraction` for each `step` begun.

    Args:
        grace: what costs nothing. last: the number of steps after which nothing is left.
    """

    fraction: float
    step: str
    grace: timedelta
    last: float

    def lost(self, due: datetime, handed_in: datetime) -> float:
        """The fraction of the points that is lost.

        A day ends at the same time of the clock in the zone of `due`, also where the clocks are
        changed in between; an hour has 60 minutes.
        """
        late = handed_in.astimezone(UTC) - due.astimezone(UTC)
        if late <= self.grace:
            return 0.0
        if self.step == "day":
            late = handed_in.astimezone(due.tzinfo).replace(tzinfo=None) - due.replace(tzinfo=None)
        begun = max(1, math.ceil(late / STEPS[self.step]))
        return 1.0 if begun > self.last else min(1.0, begun * self.fraction)


@dataclass(frozen=True)
class Rules:
    """What late.toml says; `text` is the policy as it stands there."""

    due: dict[str, datetime] = field(default_factory=dict)
    policy: Policy | None = None
    zone: tzinfo | None = None
    text: str = ""


def settle(out: Path, given: Path | None, units: list[str]) -> None:
    """Take a file for OUT/late.toml, if one is given, and see that what OUT has can be read.

    Raises:
        CourseError: it cannot, or names a unit that there is not.
    """
    path = given or out / NAME
    if unknown := sorted(read(path).due.keys() - set(units)) if path.exists() or given else []:
        raise CourseError(f"{path}: no unit {', '.join(unknown)}; there are {', '.join(units)}")
    if given and given.resolve() != (out / NAME).resolve():
        shutil.copyfile(given, out / NAME)


def read(path: Path) -> Rules:
    """The rules in a file.

    Raises:
        CourseError: it says something else, or a due date has no time zone.
    """
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from error
    if unknown := sorted(said.keys() - {"policy", "zone", "due"}):
        raise CourseError(f"{path} has {', '.join(unknown)}; it may have policy, zone and [due]")
    zone, text, due = said.get("zone"), said.get("policy", ""), said.get("due", {})
    if not isinstance(due, dict):
        raise CourseError(f"{path}: below [due] stand lines like UNIT = 2026-10-24T23:59:00+02:00")
    known = _zone(path, zone) if zone else None
    moments = {unit: _moment(path, unit, value, known) for unit, value in due.items()}
    return Rules(moments, _policy(path, text) if text else None, known, str(text))


def policy(out: Path) -> str:
    """The line that says what lateness costs; empty where OUT has none."""
    return read(out / NAME).text if (out / NAME).exists() else ""


def _policy(path: Path, text: object) -> Policy:
    found = POLICY.fullmatch(str(text))
    if not found or float(found["percent"]) > 100:
        raise CourseError(f"{path}: policy = {text!r} should be like {EXAMPLE}")
    grace, last = timedelta(minutes=int(found["grace"] or 0)), float(found["last"] or "inf")
    return Policy(float(found["percent"]) / 100, found["step"], grace, last)


def _zone(path: Path, name: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (OSError, ValueError, LookupError) as error:
        raise CourseError(f'{path}: zone = {name!r} should be like "Europe/Berlin"') from error


def _moment(path: Path, unit: str, value: object, zone: tzinfo | None) -> datetime:
    """A due date, which says of which clock it is."""
    if not isinstance(value, datetime):
        raise CourseError(f"{path}: {unit} = {value} should be like 2026-10-24T23:59:00+02:00")
    if value.tzinfo is None:
        meant = value.replace(tzinfo=zone or UTC).isoformat()
        raise CourseError(
            f"{path}: {unit} = {value.isoformat()} has no time zone. "
            f"Write {meant} if {zone or 'UTC'} is meant, else its own offset"
        )
    return value


def rules(out: Path) -> Rules | None:
    """What OUT has of them."""
    return read(out / NAME) if (out / NAME).exists() else None


def charge(submission: Any, found: Submission, rules: Rules | None) -> tuple[dict[str, Any], bool]:
    """Give a submission of the gradebook its due date, time and penalty; the caller commits.

    Returns:
        what a row says of it, and whether the page has to say something new.
    """
    before = seconds(submission), penalty(submission)
    if rules:
        _enter(submission, found, rules)
    after = seconds(submission), penalty(submission)
    return {"late": _told(submission, found), "penalty": after[1]}, before != after


def _enter(submission: Any, found: Submission, rules: Rules) -> None:
    if found.unit in rules.due:
        submission.assignment.duedate = _plain(rules.due[found.unit])
    handed_in = _handed_in(found, rules.zone)
    submission.timestamp = _plain(handed_in) if handed_in else None
    penalize(submission, rules)


def penalize(submission: Any, rules: Rules) -> None:
    """Give a submission of the gradebook the penalty on the points that it has now."""
    lost = 0.0
    if rules.policy and submission.timestamp and submission.assignment.duedate:
        moments = (submission.duedate, submission.timestamp)
        due, handed_in = (m.replace(tzinfo=UTC).astimezone(rules.zone or UTC) for m in moments)
        lost = rules.policy.lost(due, handed_in)
    for notebook in submission.notebooks:
        notebook.late_submission_penalty = round(lost * notebook.score, 2)


def penalty(submission: Any) -> float:
    """Read what lateness costs a submission of the gradebook."""
    return sum(each.late_submission_penalty or 0.0 for each in submission.notebooks)


def seconds(submission: Any) -> float:
    """How late it is, by the gradebook; 0 where it is not, or where nobody knows."""
    return float(submission.total_seconds_late) if submission.assignment.duedate else 0.0


def _told(submission: Any, found: Submission) -> str:
    """In words; empty where there is no due date."""
    if "_LATE_" in found.return_as and not submission.timestamp:
        return f"yes, by Canvas; by how much is {NOT_KNOWN}"
    if not submission.assignment.duedate:
        return ""
    if not submission.timestamp:
        return NOT_KNOWN
    return words(seconds(submission)) or "no"


def words(late: float) -> str:
    """Seconds as people say them; a minute that has begun counts."""
    hours, minutes = divmod(math.ceil(late / 60), 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def _handed_in(found: Submission, zone: tzinfo | None) -> datetime | None:
    """When, if a timestamp.txt says so, or a platform's name by the clock of `zone`."""
    if found.when:
        return datetime.strptime(found.when, times.FORM).replace(tzinfo=UTC)
    clock = times.of_return(found.return_as)
    return clock.replace(tzinfo=zone) if clock and zone else None


def _plain(moment: datetime) -> datetime:
    """As nbgrader's tables have it: in UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)
