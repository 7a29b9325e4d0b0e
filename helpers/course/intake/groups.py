"""A row for each member of a group that handed in together, by the instructor's groups.csv.

    group,student
    Team Blue,ada
    Team Blue,bob

A group is named as grades.csv or the platform names who handed in; so is a student who is known.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

from helpers.course.intake import Submission, printable
from helpers.course.intake.identify import EMAIL, student_of
from helpers.course.settings import CourseError


def spread(found: list[Submission], path: Path) -> list[Submission]:
    """Return what was handed in, with the members of a group in its place.

    What a member has handed in for the same unit does not count. Groups that handed in nothing are
    named on stderr, and so is whoever has no row of their own any more.

    Raises:
        CourseError: the file cannot be read, or somebody is in two groups.
    """
    pairs = read(path)
    known = _known(found)
    named = {known.get(group, group): group for group, _ in reversed(pairs)}
    members = dict.fromkeys((known.get(g, g), known.get(m, m)) for g, m in pairs)
    twice = Counter(member for _, member in members)
    if several := sorted(member for member, number in twice.items() if number > 1):
        raise CourseError(f"{path}: {', '.join(several)} in two groups; each may be in one")
    students = {each.student for each in found}
    for group in named.keys() - students:
        hint = f"{named[group]} handed in nothing; name groups as grades.csv or the platform does"
        print(printable(f"{path}: {hint}"), file=sys.stderr)
    rows = {(each.student, each.unit): each for each in found if each.student not in named}
    for group, member in members:
        for each in found:
            if each.student == group:
                note = printable(f"handed in by the group {named[group]}")
                row = _of(member, each, found)
                rows[row.student, row.unit] = replace(row, notes=(note, *row.notes))
    students -= {student for student, _ in rows}
    for one in sorted(students):
        hint = "handed in for others and is no student of the file, so has no row"
        print(printable(f"{path}: {one} {hint}"), file=sys.stderr)
    return sorted(rows.values(), key=lambda each: (each.student, each.unit))


def read(path: Path) -> list[tuple[str, str]]:
    """Return pairs of a group and a student.

    Raises:
        CourseError: the file cannot be read, or has other columns.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        sign = ";" if ";" in text.split("\n")[0] else ","
        head, *lines = csv.reader(io.StringIO(text), delimiter=sign)
        columns = [each.strip().lower() for each in head]
        group, student = columns.index("group"), columns.index("student")
        pairs = [(line[group].strip(), line[student].strip()) for line in lines if any(line)]
        if not all(map(all, pairs)):
            raise ValueError("an empty name")
        return pairs
    except FileNotFoundError as error:
        raise CourseError(f"there is no file {path}") from error
    except (OSError, UnicodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}; save it as CSV in UTF-8") from error
    except (ValueError, IndexError) as error:
        wanted = "a first line group,student and two names in each other line"
        raise CourseError(f"{path} should have {wanted}") from error


def _known(found: list[Submission]) -> dict[str, str]:
    """Return whom each name stands for, in the table or as the platform gives it, if one only."""
    called = defaultdict(set)
    for each in found:
        called[each.said].add(each.student)
    alone = {name: min(students) for name, students in called.items() if len(students) == 1}
    return alone | {each.student: each.student for each in found}


def _of(member: str, each: Submission, found: list[Submission]) -> Submission:
    """Return a group's work as a member's, who may have handed in something too."""
    if member == each.student:
        return each
    theirs = [one for one in found if one.student == member]
    email = member if EMAIL.fullmatch(member) else ""
    who = next(iter(theirs), Submission(student_of(member), "", email=email, said=member))
    return replace(
        each,
        student=who.student,
        platform_id=who.platform_id,
        email=who.email,
        said=who.said,
        return_as=next((one.return_as for one in theirs if one.unit == each.unit), ""),
        uploaded_as=each.return_as,
    )
