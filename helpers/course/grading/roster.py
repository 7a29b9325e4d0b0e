"""Who is in a class, by OUT/roster.csv, whichever name somebody hands in under.

    login,name,address,number,group,02-sinusoidal
    ada,Ada Lovelace,ada@uni.example,12345,red,3
    bob,Bob King,bob@uni.example,12346,red,

Only `login` is needed; it is what grades.csv calls somebody. `number` is that by which
the platform knows a person in all assignments: Canvas's ID, Moodle's ID number, Brightspace's
OrgDefinedId. A column called as a unit has the days by which somebody's due date is later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd

from helpers.course import settings
from helpers.course.grading import worksheets
from helpers.course.intake import Submission
from helpers.course.intake.identify import student_of, with_digest
from helpers.course.intake.platforms import MOODLE
from helpers.course.settings import UNIT, CourseError

NAME = "roster.csv"
WHO = ("login", "number", "address", "name")  # the surest first
COLUMNS = [*WHO, "group"]
LONGEST = 1000  # days
MISSING = "nothing handed in"
FOR_GROUP = "handed in for the group by "
UNKNOWN = "not in the roster"
# People are found in it as in the table of a platform.
AS_TABLE = replace(MOODLE, logins=("login",), emails=("address",), full_names=(("name",),))


def settle(out: Path, file: Path | None, units: Collection[str]) -> pd.DataFrame:
    """Copy a file, if there is one, to OUT/roster.csv; return the roster that OUT has.

    Raises:
        CourseError: it cannot be read, or somebody in it has no login of their own.
    """
    found = _read(file) if file else read(out)
    if odd := [name for name in found if UNIT.fullmatch(name) and name not in units]:
        raise CourseError(
            f"{file or out / NAME}: no unit {', '.join(odd)}; there are {', '.join(units)}"
        )
    if file:
        settings.write(out / NAME, file.read_bytes())
    return found


def read(out: Path) -> pd.DataFrame:
    """Return the roster that OUT has; no rows where it has none."""
    path = out / NAME
    return _read(path) if path.exists() else pd.DataFrame(columns=COLUMNS, dtype=str)


def _read(path: Path) -> pd.DataFrame:
    table = worksheets.read(path).rename(columns=str.casefold)
    if "login" not in table:
        raise CourseError(f"{path} has no column login, but {', '.join(table)}")
    table = table.assign(**{name: "" for name in COLUMNS if name not in table}).map(str.strip)
    logins = table.login
    if odd := sorted({e for e in logins if student_of(e) != e} | {*logins[logins.duplicated()]}):
        raise CourseError(f"{path}: no login, or that of two rows: {', '.join(map(repr, odd))}")
    for unit in filter(UNIT.fullmatch, table):
        days = pd.to_numeric(table[unit].replace("", "0"), errors="coerce")
        if not days.between(0, LONGEST).all():
            raise CourseError(f"{path}: {unit} has days of 0 to {LONGEST}, such as 2 or 0.5")
        table[unit] = days
    return table


def complete(found: list[Submission], roster: pd.DataFrame, platform: str = "") -> list[Submission]:
    """Return submissions by login: one for each member of a group, and who is missing.

    Args:
        platform: that has given the names.
    """
    if roster.empty:
        return found
    known = {(each.unit, each.student): each for each in _by_login(found, roster, platform)}
    for unit in sorted({unit for unit, _ in known} - {""}):
        done = {who: each for (of, who), each in known.items() if of == unit and not each.problem}
        for person in roster.itertuples():
            group = roster.login[(roster.group == person.group) & (person.group != "")]
            mates = [done[login] for login in group if login in done]
            if person.login not in done and mates:
                known[unit, person.login] = _of_group(person.login, mates)
            elif person.login not in done and ("", person.login) not in known:
                missing = Submission(person.login, unit, problem=MISSING)
                known.setdefault((unit, person.login), missing)
            if unit in roster and (mine := known.get((unit, person.login))):
                days = timedelta(days=float(roster[unit][person.Index]))
                known[unit, person.login] = mine.but(extension=days)
    return sorted(known.values(), key=lambda each: (each.student, each.unit))


def _by_login(found: list[Submission], roster: pd.DataFrame, platform: str) -> Iterator[Submission]:
    """Call learners as the roster does; note who is not in it."""
    columns = ["student", "platform_id"]
    learners = pd.DataFrame({(e.student, e.platform_id) for e in found}, columns=columns)
    # Moodle and Brightspace number people anew in each assignment.
    table = replace(AS_TABLE, identifier="number" if platform == "canvas" else "")
    places, _ = worksheets.matched(table, roster, learners)
    logins = {student: roster.login[place] for place, student in places.items()}
    for each in found:
        if login := logins.get(each.student):
            yield each.but(student=login)
        else:
            taken = each.student in {*roster.login}
            student = with_digest(each.student) if taken else each.student
            yield each.but(UNKNOWN, student=student)


def _of_group(login: str, mates: list[Submission]) -> Submission:
    """Return what somebody of the group has handed in, the last of it, as this member's."""
    last = max(mates, key=lambda each: each.when or datetime.min)
    note = FOR_GROUP + last.student
    return last.but(note, student=login, platform_id="", return_as="", exchange={})


def aliases(out: Path, students: pd.Series) -> list[tuple[str, ...]]:
    """Return how else each of these is called, by the roster of OUT; the surest first."""
    rows = {row.login: row for row in read(out).itertuples()}
    known = [rows.get(student) for student in students]
    return [tuple(filter(None, (getattr(r, name) for name in WHO))) if r else () for r in known]
