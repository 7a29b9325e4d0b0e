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

from helpers.course.intake import Submission
from helpers.course.intake.people import EMAIL, student_of
from helpers.course.intake.reader import printable
from helpers.course.settings import CourseError


def spread(found: list[Submission], path: Path) -> list[Submission]:
    """Return what was handed in, with the members of a group in its place.

    What a member has handed in for the same unit does not count. Groups that handed in nothing are
    named on stderr.

    Raises:
        CourseError: the file cannot be read, or somebody is in two groups.
    """
    known = _known(found)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    named: dict[str, str] = {}
    for name, who in read(path).items():
        group = known.get(name, name)
        named.setdefault(group, name)
        groups[group] += [known.get(each, each) for each in who]
    groups.update({group: list(dict.fromkeys(members)) for group, members in groups.items()})
    counts = Counter(member for members in groups.values() for member in members)
    if twice := sorted(member for member, number in counts.items() if number > 1):
        raise CourseError(f"{path}: {', '.join(twice)} in two groups; each may be in one")
    students = {each.student for each in found}
    for group in [each for each in groups if each not in students]:
        told = f"{named[group]} handed in nothing; name groups as grades.csv or the platform does"
        print(printable(f"{path}: {told}"), file=sys.stderr)
    handed_in = {group: named[group] for group in groups if group in students}
    rows = {(each.student, each.unit): each for each in found if each.student not in handed_in}
    for each in found:
        for member in groups[each.student] if each.student in handed_in else ():
            note = printable(f"handed in by the group {handed_in[each.student]}")
            row = _of(member, each, found)
            rows[row.student, row.unit] = replace(row, notes=(note, *row.notes))
    return sorted(rows.values(), key=lambda each: (each.student, each.unit))


def read(path: Path) -> dict[str, list[str]]:
    """Return the students of each group.

    Raises:
        CourseError: the file cannot be read, or has other columns.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        head, *rows = csv.reader(
            io.StringIO(text), delimiter=";" if ";" in text.split("\n")[0] else ","
        )
        columns = [each.strip().lower() for each in head]
        group, student = columns.index("group"), columns.index("student")
        pairs = [(row[group].strip(), row[student].strip()) for row in rows if any(row)]
        if not all(all(pair) for pair in pairs):
            raise ValueError("an empty name")
    except (OSError, UnicodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}; save it as CSV in UTF-8") from error
    except (ValueError, IndexError) as error:
        wanted = "a first line group,student and two names in each other line"
        raise CourseError(f"{path} should have {wanted}") from error
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, member in dict.fromkeys(pairs):
        found[name].append(member)
    return found


def _known(found: list[Submission]) -> dict[str, str]:
    """Return who each name stands for, in the table or as the platform says it, if for one only."""
    called = defaultdict(set)
    for each in found:
        for name in {each.said, each.email} - {""}:
            called[name].add(each.student)
    alone = {name: min(students) for name, students in called.items() if len(students) == 1}
    return alone | {each.student: each.student for each in found}


def _of(member: str, each: Submission, found: list[Submission]) -> Submission:
    """Return a group's work as a member's, who may have handed in something too."""
    if member == each.student:
        return each
    theirs = [one for one in found if one.student == member]
    same = next((one for one in theirs if one.unit == each.unit), None)
    email = member if EMAIL.fullmatch(member) else ""
    who = next(iter(theirs), Submission(student_of(member), "", email=email, said=member))
    return replace(
        each,
        student=who.student,
        platform_id=who.platform_id,
        email=who.email,
        said=who.said,
        return_as=same.return_as if same else "",
    )
