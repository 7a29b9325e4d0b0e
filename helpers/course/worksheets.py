"""The tables of marks that platforms give and take, and whose row in them is a learner's."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.course.intake.people import plain
from helpers.course.settings import CourseError

FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")  # what makes a spreadsheet compute a cell
DIGEST = re.compile(r"-[0-9a-f]{8}\Z")  # which intake puts behind a name that no folder can have


@dataclass(frozen=True)
class Platform:
    """The form of a platform's table; columns are named as it does, in English.

    Args:
        title: what people call it.
        number: the column with the number that the name of a submission has too; or empty.
        logins, emails, names: other columns that tell who it is; a name may be in two of them.
        needs: other columns without which it takes no marks. shows: those to keep beside them.
        marks: whether a column has the marks of an assignment.
        most: the points that an assignment has there, from its column; None where it is not said.
        where: where in the platform the table is had.
    """

    title: str
    number: str
    logins: tuple[str, ...]
    emails: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    needs: tuple[str, ...]
    shows: tuple[str, ...]
    marks: Callable[[str], bool]
    most: Callable[[Table, int], float | None]
    where: str


@dataclass
class Table:
    """A worksheet: its first line, and the others."""

    header: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> int | None:
        """Its place; capitals make no difference."""
        found = [n for n, each in enumerate(self.header) if each.casefold() == name.casefold()]
        return found[0] if found else None

    def cell(self, row: list[str], name: str) -> str:
        """What a row has in a column; empty where it has none."""
        place = self.column(name)
        return row[place].strip() if place is not None else ""

    def words(self, row: list[str], names: tuple[str, ...]) -> str:
        """What it has in several columns, one after the other."""
        return " ".join(filter(None, (self.cell(row, each) for each in names)))

    def write(self, path: Path) -> None:
        """As a CSV file in which no cell is a formula."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerows(
                [[_harmless(each) for each in row] for row in (self.header, *self.rows)]
            )


def read(path: Path) -> Table:
    """A worksheet, with commas, semicolons or tabs.

    Raises:
        CourseError: it is none.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        separator = max(",;\t", key=text.split("\n", 1)[0].count)
        lines = [line for line in csv.reader(io.StringIO(text), delimiter=separator) if line]
    except (OSError, UnicodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read as CSV in UTF-8: {error}") from error
    if len(lines) < 2:
        raise CourseError(f"{path} holds no table of learners")
    width = len(lines[0])
    rows = [(line + [""] * width)[:width] for line in lines[1:]]
    return Table([each.strip() for each in lines[0]], rows)


def _harmless(cell: str) -> str:
    """The cell as text; a lone dash is what Moodle writes for no date."""
    return f"'{cell}" if FORMULA.match(cell) and cell != "-" else cell


def _points_possible(table: Table, place: int) -> float | None:
    """Canvas has a row for it."""
    return _number([row[place] for row in table.rows if "Points Possible" in row[0]])


def _in_rows(table: Table, _place: int) -> float | None:
    """Moodle says it beside each mark."""
    return _number([table.cell(row, "Maximum Grade") for row in table.rows])


def _in_header(table: Table, place: int) -> float | None:
    """Brightspace says it in the name of the column."""
    return _number(re.findall(r"MaxPoints:([0-9.]+)", table.header[place]))


def _number(said: list[str]) -> float | None:
    """What all of them say, if that is one number."""
    try:
        [number] = {float(each.replace(",", ".")) for each in said}
    except ValueError:
        return None
    return number


WHO = (
    "Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID",
    "Root Account", "Section",
)  # fmt: skip
COMPUTED = re.compile(r"(Current|Final|Override) (Score|Points|Grade|Status)")  # by Canvas itself
MOODLE = Platform(
    title="Moodle",
    number="Identifier",
    logins=("Username", "ID number"),
    emails=("Email address",),
    names=(("Full name",), ("First name", "Last name")),
    needs=("Identifier", "Grade", "Last modified (grade)"),
    shows=("Full name", "Email address", "Maximum Grade"),
    marks=lambda name: name.casefold() == "grade",
    most=_in_rows,
    where="the assignment's submissions: Download grading worksheet",
)
CANVAS = Platform(
    title="Canvas",
    number="ID",
    logins=("SIS Login ID", "SIS User ID"),
    emails=("SIS Login ID",),
    names=(("Student",), ("FirstName", "LastName")),
    needs=("ID", "Section"),
    shows=WHO,
    marks=lambda name: name not in WHO and not COMPUTED.search(name),
    most=_points_possible,
    where="Grades: Export, Export Entire Gradebook",
)
BRIGHTSPACE = Platform(
    title="Brightspace",
    number="",  # the number in the name of a submission stands in no table
    logins=("Username", "OrgDefinedId"),
    emails=("Email",),
    names=(("First Name", "Last Name"),),
    needs=("End-of-Line Indicator",),
    shows=("OrgDefinedId", "Username"),
    marks=lambda name: bool(re.search(r" Points Grade\b", name)),
    most=_in_header,
    where="Grades, Enter Grades: Export, with both key fields, names and e-mail",
)
PLATFORMS = {"moodle": MOODLE, "canvas": CANVAS, "brightspace": BRIGHTSPACE}


@dataclass(frozen=True)
class Learner:
    """Whose row is looked for; as grades.csv has them."""

    student: str
    platform_id: str
    email: str

    @property
    def names(self) -> set[str]:
        """What may be left of a name in `student`."""
        name = (
            self.student.removesuffix(f"-{self.platform_id}") if self.platform_id else self.student
        )
        return {name, DIGEST.sub("", name)}


def matched(
    platform: Platform, table: Table, learners: list[Learner]
) -> tuple[dict[int, str], dict[str, str]]:
    """Whose row is whose, by its place; and for the others why they have none."""
    by_key: dict[tuple[str, str], set[int]] = {}
    for place, row in enumerate(table.rows):
        for key in _keys(platform, table, row):
            by_key.setdefault(key, set()).add(place)
    found = {each.student: _places(platform, by_key, each) for each in learners}
    numbered = {each.student for each in learners if platform.number and each.platform_id}
    theirs = set().union(*(found[student] for student in numbered))
    for student in found.keys() - numbered:
        found[student] -= theirs  # a number is the platform's word, a name may be anybody's
    taken = Counter(place for places in found.values() for place in places if len(places) == 1)
    rows, without = {}, {}
    for student, places in found.items():
        if not places:
            without[student] = "no row is theirs"
        elif len(places) > 1:
            without[student] = f"{len(places)} rows may be theirs"
        elif taken[place := min(places)] > 1:
            without[student] = "somebody else's row is the same"
        else:
            rows[place] = student
    return rows, without


def _places(
    platform: Platform, by_key: dict[tuple[str, str], set[int]], learner: Learner
) -> set[int]:
    """All rows that may be a learner's: that with the number, or with login, address or name."""
    if platform.number and learner.platform_id:
        return by_key.get(("number", learner.platform_id), set())
    keys = [("login", learner.student.casefold()), ("email", learner.email.casefold())]
    keys += [("name", name) for name in learner.names]
    return set().union(*(by_key.get(key, set()) for key in keys))


def _keys(platform: Platform, table: Table, row: list[str]) -> Iterator[tuple[str, str]]:
    """By what a row can be found."""
    if number := re.search(r"[0-9]+\Z", table.cell(row, platform.number)):
        yield "number", number[0]
    for column in platform.logins:
        if login := table.cell(row, column).removeprefix("#"):
            yield "login", login.casefold()
    for column in platform.emails:
        if "@" in (address := table.cell(row, column)):
            yield "email", address.casefold()
    for columns in platform.names:
        if name := table.words(row, columns):
            last, comma, first = name.partition(", ")
            yield "name", plain(f"{first} {last}" if comma else name)
