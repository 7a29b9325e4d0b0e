"""Marks and feedback of a graded class in the form in which a platform takes them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from helpers.course.grading import roster, worksheets
from helpers.course.grading.gradebook import NO_UNIT, refresh
from helpers.course.grading.lateness import NOT_KNOWN
from helpers.course.intake import platforms
from helpers.course.intake.platforms import PLATFORMS, Platform
from helpers.course.pages.page import number
from helpers.course.settings import CourseError


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
    rows = _of_unit(refresh(out), out, unit)
    rows["aliases"] = roster.aliases(out, rows.student)
    returned = [name for each in rows.return_as if (name := platforms.likely([f"{each}x"]))]
    if returned and to not in returned:
        title = PLATFORMS[returned[0]].title
        raise CourseError(f"these were handed in at {title}; export them --to {returned[0]}")
    waiting = {row.student: why for row in rows.itertuples() if (why := _unfinished(row))}
    done = rows[~rows.student.isin(waiting)]
    if done.empty:
        raise CourseError(f"nobody in {out} has a mark in this unit yet")
    table, said, names = _merged(platform, worksheet, column, rows, done)
    said += [f"without a mark: {who} ({why})" for who, why in waiting.items()]
    if unknown := [row.student for row in done.itertuples() if NOT_KNOWN in row.late]:
        said.append(f"not known whether late, so without a penalty: {', '.join(unknown)}")
    (out / "export").mkdir(exist_ok=True)
    unit = rows.unit.iloc[0]
    grades = out / "export" / f"{unit}-{to}.csv"
    worksheets.write(table, grades)
    feedback = grades.with_name(f"{unit}-{to}-feedback.zip")
    unread = rows.status.str.startswith("graded") & ~rows.student.isin(done.student)
    unread |= rows.status.str.endswith(roster.MISSING)
    said += _zipped(out, platform, feedback, rows[~unread], names)
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


def _unfinished(row: Any) -> str:
    """Why a row has no mark yet; empty where it has one."""
    if not row.status.startswith("graded"):
        return str(row.status)
    pending = float(row.pending)
    return f"{number(pending)} points wait for a person" if pending else ""


def _merged(
    platform: Platform, path: Path, column: str, rows: pd.DataFrame, done: pd.DataFrame
) -> tuple[pd.DataFrame, list[str], dict[str, str]]:
    """Return the platform's table with the marks of those who are `done`; other cells stay.

    With it come what to say, and what it tells of the names of files, by learner.
    """
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
    kept = table[[n for n in table if n == place or n.casefold() in shown]]
    return kept, said, worksheets.file_names(platform, table, found)


def _marks_column(
    platform: Platform, table: pd.DataFrame, path: Path, unit: str, column: str
) -> str:
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


def _zipped(
    out: Path, platform: Platform, target: Path, rows: pd.DataFrame, names: dict[str, str]
) -> Iterator[str]:
    """Write pages, each under the name that came with the notebook, or that of `names`."""
    pages: dict[str, Path] = {}
    for row in rows.itertuples():
        unit = row.unit or NO_UNIT
        page = out / "feedback" / row.student / unit / f"{unit}.html"
        return_as = row.return_as or names.get(row.student)
        if not return_as:
            yield f"no feedback in the zip: {row.student} (the platform gave the file no name)"
        elif not page.exists():
            yield f"no feedback in the zip: {row.student} (there is no page)"
        else:
            pages[f"{return_as}{unit}.html"] = page
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in pages.items():
            archive.writestr(zipfile.ZipInfo(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
        if platform.listed:
            links = [f'<li><a href="{quote(each)}">{escape(each)}</a></li>' for each in pages]
            archive.writestr(zipfile.ZipInfo("index.html"), f"<ul>{''.join(links)}</ul>")
