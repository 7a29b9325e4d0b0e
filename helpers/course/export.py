"""Marks and feedback of a graded class in the form in which a platform takes them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from helpers.course import worksheets
from helpers.course.authoring.nbgrade import Grader
from helpers.course.grading import marking
from helpers.course.grading.lateness import NOT_KNOWN
from helpers.course.grading.regrade import rows_of
from helpers.course.intake.people import platform as platform_of
from helpers.course.pages.page import number
from helpers.course.settings import Course, CourseError
from helpers.course.worksheets import PLATFORMS, Learner, Platform, Table

UPLOAD = {
    "moodle": "the assignment's submissions: Upload grading worksheet, then Upload multiple "
    "feedback files in a zip; both are feedback types in the assignment's settings",
    "canvas": "Grades: Import; then upload submissions, in the menu of the assignment's column",
    "brightspace": "Grades, Enter Grades: Import; then the assignment: Add Feedback Files",
}


@dataclass(frozen=True)
class Marks:
    """The marks of a unit, which is what a platform calls an assignment.

    Args:
        most: points. of: who is finished, and what they have. learners: all who handed in.
    """

    unit: str
    most: float
    of: dict[str, str]
    learners: list[Learner]


@dataclass(frozen=True)
class Exported:
    """What was written, and in words what a person should know of it."""

    grades: Path
    feedback: Path
    said: list[str]


def export(out: Path, to: str, worksheet: Path | None, unit: str, column: str) -> Exported:
    """Write OUT/export/UNIT-PLATFORM.csv and UNIT-PLATFORM-feedback.zip: marks as they are now.

    Args:
        to: the platform, of `PLATFORMS`.
        worksheet: its own table; its rows and columns are kept, and only marks are put in.
        column: of the worksheet, for the marks; else the only one, or that with the unit's name.

    Raises:
        CourseError: nothing has been graded, or it cannot be told what goes where.
    """
    rows = _of_unit(rows_of(out), out, unit)
    rows = _current(_of_platform(rows, to), out)
    waiting = {row.student: why for row in rows.itertuples() if (why := _unfinished(row))}
    done = rows[~rows.student.isin(waiting)]
    if done.empty:
        raise CourseError(f"nobody in {out} has a mark in this unit yet")
    marks = Marks(
        rows.unit.iloc[0],
        max(map(float, done.max_score)),
        {r.student: number(float(r.score) - float(r.penalty)) for r in done.itertuples()},
        [Learner(r.student, r.platform_id, r.email) for r in rows.itertuples()],
    )
    made = _merged(PLATFORMS[to], worksheet, column, marks) if worksheet else _made(to, marks)
    table, said = made
    said += [f"without a mark: {who} ({why})" for who, why in waiting.items()]
    if unknown := [row.student for row in done.itertuples() if NOT_KNOWN in row.late]:
        said.append(f"not known whether late, so without a penalty: {', '.join(unknown)}")
    (out / "export").mkdir(exist_ok=True)
    grades = out / "export" / f"{marks.unit}-{to}.csv"
    table.write(grades)
    feedback = grades.with_name(f"{marks.unit}-{to}-feedback.zip")
    said += _zipped(out, to, feedback, done)
    said.append(f"Upload them in {PLATFORMS[to].title}: {UPLOAD[to]}.")
    return Exported(grades, feedback, said)


def _of_unit(rows: pd.DataFrame, out: Path, unit: str) -> pd.DataFrame:
    """The rows of one unit, and of those whose notebook is none of a unit."""
    units = sorted(set(rows.unit) - {""})
    if not unit and len(units) == 1:
        unit = units[0]
    if unit not in units:
        raise CourseError(
            f"{out} has {', '.join(units) or 'no unit'}: name one of them with --unit"
        )
    chosen = rows[rows.unit == unit]
    return pd.concat([chosen, rows[(rows.unit == "") & ~rows.student.isin(chosen.student)]])


def _current(rows: pd.DataFrame, out: Path) -> pd.DataFrame:
    """Put the marks into the rows that the gradebook has now: a person may have given some since.

    Raises:
        CourseError: it has none of somebody who was graded.
    """
    if not (out / "gradebook.db").exists():
        raise CourseError(f"{out} holds no gradebook.db; `course grade` writes it")
    grader = Grader(Course(out), out)
    graded = rows[rows.status.str.startswith("graded")]
    keys = zip(graded.index, graded.student, graded.unit, strict=True)
    found = {index: marking.now(grader, out, *of_whom) for index, *of_whom in keys}
    rows = rows.astype(object)
    rows.update(pd.DataFrame.from_dict(found, orient="index"))
    return rows


def _of_platform(rows: pd.DataFrame, to: str) -> pd.DataFrame:
    """The rows, without numbers that may be those of another platform."""
    platforms = rows.return_as.map(platform_of)
    others = sorted({*platforms} - {"", to})
    if others and not (platforms == to).any():
        title = PLATFORMS[others[0]].title
        raise CourseError(f"these were handed in at {title}; export them --to {others[0]}")
    ours = ~platforms.isin(others)  # one odd name is no reason to keep all others waiting
    told = ("platform_id", "email", "return_as")
    return rows.assign(**{name: rows[name].where(ours, "") for name in told})


def _unfinished(row: Any) -> str:
    """Why a row has no mark yet; empty where it has one."""
    if not row.status.startswith("graded"):
        return str(row.status)
    pending = float(row.pending)
    return f"{number(pending)} points wait for a person" if pending else ""


def _merged(platform: Platform, path: Path, column: str, marks: Marks) -> tuple[Table, list[str]]:
    """The platform's table with the marks in it; where there is none, a cell stays as it is."""
    given = worksheets.read(path)
    place = _marks_column(platform, given, path, marks.unit, column)
    most = platform.most(given, place)
    if most not in (None, marks.most):
        here, there = number(marks.most), number(most or 0)
        raise CourseError(
            f"{given.header[place]} has {there} points in {path}, {marks.unit} has {here}: "
            f"give it {here} in {platform.title} and fetch the table again"
        )
    found, without = worksheets.matched(platform, given, marks.learners)
    for at, student in found.items():
        given.rows[at][place] = marks.of.get(student, given.rows[at][place])
    said = [f"not in {path.name}: {who} ({why})" for who, why in without.items()]
    absent = [_name(platform, given, row) for n, row in enumerate(given.rows) if n not in found]
    if absent := list(filter(None, absent)):
        said.append(f"in {path.name}, but with nothing handed in here: {', '.join(absent)}")
    shown = [each.casefold() for each in (*platform.shows, *platform.needs)]
    kept = [n for n, name in enumerate(given.header) if n == place or name.casefold() in shown]
    lines = [[row[n] for n in kept] for row in (given.header, *given.rows)]
    return Table(lines[0], lines[1:]), said


def _name(platform: Platform, table: Table, row: list[str]) -> str:
    """Who a row is, in words; empty for a row that is nobody's."""
    tellers = [*platform.names, (platform.number,), *((each,) for each in platform.logins)]
    told = next(filter(None, (table.words(row, each) for each in tellers)), "")
    return "" if told == "Points Possible" else told


def _marks_column(platform: Platform, table: Table, path: Path, unit: str, column: str) -> int:
    """Where the marks go."""
    places = [n for n, name in enumerate(table.header) if platform.marks(name)]
    if not places or any(table.column(each) is None for each in platform.needs):
        needed = ", ".join(platform.needs)
        raise CourseError(
            f"{path} is not a table of {platform.title}'s in English: it needs {needed} and a "
            f"column for the marks. Get it at {platform.where}"
        )
    if column or len(places) > 1:
        names = ", ".join(table.header[n] for n in places)
        fits = (lambda name: name == column) if column else (lambda name: unit in name)
        places = [n for n in places if fits(table.header[n])]
        if len(places) != 1:
            raise CourseError(f"which column of {path} is {unit}? Name it with --column: {names}")
    return places[0]


def _made(to: str, marks: Marks) -> tuple[Table, list[str]]:
    """A table of those whose number is known."""
    platform = PLATFORMS[to]
    if not platform.number:
        raise CourseError(
            f"{platform.title} knows people by names that submissions do not have: give its own "
            f"table with --worksheet. Get it at {platform.where}"
        )
    known = [each for each in marks.learners if each.platform_id]
    said = [
        f"not in the table: {each.student} (no number of {platform.title}'s is known)"
        for each in marks.learners
        if not each.platform_id
    ]
    most, of = number(marks.most), marks.of
    if to == "moodle":
        header = ["Identifier", "Email address", "Grade", "Maximum Grade", "Last modified (grade)"]
        rows = [
            [f"Participant {each.platform_id}", each.email, of.get(each.student, ""), most, "-"]
            for each in known
        ]
        return Table(header, rows), said
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", marks.unit]
    rows = [["    Points Possible", "", "", "", "", most]]
    rows += [[e.student, e.platform_id, "", "", "", of.get(e.student, "")] for e in known]
    return Table(header, rows), said


def _zipped(out: Path, to: str, target: Path, done: pd.DataFrame) -> Iterator[str]:
    """Write the pages of those who have a mark, each under the name that the platform knows."""
    pages: dict[str, Path] = {}
    for row in done.itertuples():
        page = out / "feedback" / row.student / row.unit / f"{row.unit}.html"
        if platform_of(row.return_as) != to:
            yield f"no feedback in the zip: {row.student} (the platform gave the file no name)"
        elif not page.exists():
            yield f"no feedback in the zip: {row.student} (there is no page)"
        else:
            between = "" if to == "canvas" else "/"
            pages[f"{row.return_as}{between}{row.unit}.html"] = page
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in pages.items():
            archive.writestr(zipfile.ZipInfo(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
        if to == "brightspace":  # whose own zips have such a list
            links = [f'<li><a href="{quote(each)}">{escape(each)}</a></li>' for each in pages]
            archive.writestr(zipfile.ZipInfo("index.html"), f"<ul>{''.join(links)}</ul>")
