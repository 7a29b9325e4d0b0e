"""Marks and feedback of a graded class in the form in which a platform takes them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from helpers.course import worksheets
from helpers.course.authoring import nbgrade
from helpers.course.grading import grades_csv
from helpers.course.grading.gradebook import ClassGradebook
from helpers.course.grading.journal import exclusive_lock
from helpers.course.grading.lateness import NOT_KNOWN
from helpers.course.intake import platforms
from helpers.course.intake.platforms import PLATFORMS, Platform
from helpers.course.pages.page import number
from helpers.course.settings import Course, CourseError


def export(out: Path, to: str, worksheet: Path, unit: str, column: str) -> list[str]:
    """Write OUT/export/UNIT-PLATFORM.csv and UNIT-PLATFORM-feedback.zip: marks as they are now.

    What a person should know of it is returned, a line each.

    Args:
        to: the platform, of `PLATFORMS`.
        worksheet: its own table; its rows are kept, and only marks are put in.
        column: of the worksheet, for the marks; else Moodle's, or that with the unit's name.

    Raises:
        CourseError: nothing has been graded, or it cannot be told what goes where.
    """
    platform = PLATFORMS[to]
    rows = _of_unit(grades_csv.read(out), out, unit)
    returned = [name for each in rows.return_as if (name := platforms.likely([f"{each}x"]))]
    if returned and to not in returned:
        title = PLATFORMS[returned[0]].title
        raise CourseError(f"these were handed in at {title}; export them --to {returned[0]}")
    rows = _current(rows, out)
    waiting = {row.student: why for row in rows.itertuples() if (why := _unfinished(row))}
    done = rows[~rows.student.isin(waiting)]
    if done.empty:
        raise CourseError(f"nobody in {out} has a mark in this unit yet")
    table, said = _merged(platform, worksheet, column, rows, done)
    said += [f"without a mark: {who} ({why})" for who, why in waiting.items()]
    if unknown := [row.student for row in done.itertuples() if NOT_KNOWN in row.late]:
        said.append(f"not known whether late, so without a penalty: {', '.join(unknown)}")
    (out / "export").mkdir(exist_ok=True)
    unit = rows.unit.iloc[0]
    grades = out / "export" / f"{unit}-{to}.csv"
    worksheets.write(table, grades)
    feedback = grades.with_name(f"{unit}-{to}-feedback.zip")
    said += _zipped(out, platform, feedback, done)
    said.append(f"Upload them in {platform.title}: {platform.upload}.")
    return [*said, f"marks: {grades}", f"feedback: {feedback}"]


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
    graded = rows[rows.status.str.startswith("graded")]
    keys = zip(graded.index, graded.student, graded.unit, strict=True)
    with exclusive_lock(out), closing(ClassGradebook(out, nbgrade.settings(Course(out)))) as book:
        found = {index: book.now(*of_whom) for index, *of_whom in keys}
    rows = rows.astype(object)
    rows.update(pd.DataFrame.from_dict(found, orient="index"))
    return rows


def _unfinished(row: Any) -> str:
    """Why a row has no mark yet; empty where it has one."""
    if not row.status.startswith("graded"):
        return str(row.status)
    pending = float(row.pending)
    return f"{number(pending)} points wait for a person" if pending else ""


def _merged(
    platform: Platform, path: Path, column: str, rows: pd.DataFrame, done: pd.DataFrame
) -> tuple[pd.DataFrame, list[str]]:
    """Return the platform's table with the marks of those who are `done`; other cells stay."""
    table, unit = worksheets.read(path), rows.unit.iloc[0]
    place = _marks_column(platform, table, path, unit, column)
    here, there = max(map(float, done.max_score)), worksheets.maximum(table, place)
    if there not in (None, here):
        raise CourseError(
            f"{place} has {number(there or 0)} points in {path}, {unit} has {number(here)}: "
            f"give it {number(here)} in {platform.title} and fetch the table again"
        )
    found, without = worksheets.matched(platform, table, rows)
    marks = {r.student: number(float(r.score) - float(r.penalty)) for r in done.itertuples()}
    for row, student in found.items():
        table.loc[row, place] = marks.get(student, table.loc[row, place])
    said = [f"not in {path.name}: {who} ({why})" for who, why in without.items()]
    shown = [each.casefold() for each in (*platform.shows, *platform.needs)]
    return table[[n for n in table if n == place or n.casefold() in shown]], said


def _marks_column(
    platform: Platform, table: pd.DataFrame, path: Path, unit: str, column: str
) -> str:
    """Return the column where the marks go."""
    there = {each.casefold() for each in table}
    places = [each for each in table if platform.marks.fullmatch(each)]
    if not places or not {each.casefold() for each in platform.needs} <= there:
        needed = ", ".join(platform.needs)
        raise CourseError(
            f"{path} is not a table of {platform.title}'s in English: it needs {needed} and a "
            f"column for the marks. Get it at {platform.where}"
        )
    sure = platform.of_one and len(places) == 1
    fits = [each for each in places if (each == column if column else sure or unit in each)]
    if len(fits) != 1:
        names = ", ".join(places)
        raise CourseError(f"which column of {path} is {unit}? Name it with --column: {names}")
    return fits[0]


def _zipped(out: Path, platform: Platform, target: Path, done: pd.DataFrame) -> Iterator[str]:
    """Write the pages of those who have a mark, each under the name that the platform knows."""
    pages: dict[str, Path] = {}
    for row in done.itertuples():
        page = out / "feedback" / row.student / row.unit / f"{row.unit}.html"
        if not row.return_as:
            yield f"no feedback in the zip: {row.student} (the platform gave the file no name)"
        elif not page.exists():
            yield f"no feedback in the zip: {row.student} (there is no page)"
        else:
            pages[f"{row.return_as}{row.unit}.html"] = page
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in pages.items():
            archive.writestr(zipfile.ZipInfo(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
        if platform.listed:
            links = [f'<li><a href="{quote(each)}">{escape(each)}</a></li>' for each in pages]
            archive.writestr(zipfile.ZipInfo("index.html"), f"<ul>{''.join(links)}</ul>")
