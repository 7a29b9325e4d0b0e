"""The learning platforms: how each names what was handed in, and the columns of its worksheet.

Who handed in is read from the part of a name that the platform writes: a learner's name comes
first, then numbers; what follows in the name of a file is the learner's own. Where a learner's
name or file could be read as somebody else's number, the name fits no pattern.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timezone, tzinfo

from dateutil import parser

LONGEST = 45  # characters of a name that a number or a digest follows
TIMESTAMP = 100  # bytes of a timestamp.txt
DATE = r"[A-Z][a-z]{2} [0-9]{1,2}, [0-9]{4} [0-9]{3,4} [AP]M"
CLOCK = "%b %d, %Y %I%M %p"


@dataclass(frozen=True)
class Platform:
    """What grading knows of a platform; columns are named as it does, in English.

    Args:
        title: what people call it.
        name: pattern of the beginning of the names it gives; what `returned` makes must fit it too,
            with more behind it.
        returned: what the name of a file begins with that it takes back as feedback.
        identifier: the column with the number that a submission's name has too; or empty.
        logins, emails, full_names: other columns that tell who it is; a name may be in two.
        needs: columns without which it takes no marks. shows: those to keep beside them.
        marks: pattern of the columns that have the marks of an assignment.
        where: where in the platform its worksheet is found. upload: where the export goes.
        of_one: whether a worksheet has the marks of one assignment.
        listed: whether its zips have a list of their files, index.html.
    """

    title: str
    name: re.Pattern[str]
    returned: str
    identifier: str
    logins: tuple[str, ...]
    emails: tuple[str, ...]
    full_names: tuple[tuple[str, ...], ...]
    needs: tuple[str, ...]
    shows: tuple[str, ...]
    marks: re.Pattern[str]
    where: str
    upload: str
    of_one: bool = False
    listed: bool = False

    def return_as(self, found: re.Match[str]) -> str:
        """Return how the platform knows a submission again; empty where no file may be named so."""
        told, whole = found.groupdict(default=""), found[0]
        if not told["number"] or not whole.isprintable() or set(whole) & set("/\\"):
            return ""
        # Both Moodle and Canvas split a name at each _.
        student = plain(told.pop("student").replace("_", "-"))
        return self.returned.format(student=student, whole=whole, **told)


MOODLE = Platform(
    title="Moodle",
    # "Ada Lovelace_123456_assignsubmission_file_…"; it writes a space for a _ in a learner's name
    name=re.compile(r"(?P<student>[^_]+)_(?P<number>[0-9]{1,20})_assignsubmission_[a-z]+_?"),
    returned="{student}_{number}_assignsubmission_file_/",
    identifier="Identifier",
    logins=("Username", "ID number"),
    emails=("Email address",),
    full_names=(("Full name",), ("First name", "Last name")),
    needs=("Identifier", "Grade", "Last modified (grade)"),
    shows=("Full name", "Email address", "Maximum Grade"),
    marks=re.compile("grade", re.IGNORECASE),
    where="the assignment's submissions: Download grading worksheet",
    upload="the assignment's submissions: Upload grading worksheet, then Upload multiple feedback "
    "files in a zip; both are feedback types in the assignment's settings",
    of_one=True,
)
CANVAS_WHO = (
    "Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID",
    "Root Account", "Section",
)  # fmt: skip
CANVAS = Platform(
    title="Canvas",
    # "lovelaceada_LATE_12345_67890_name-1.ipynb"; it takes _digits_ out of a learner's name.
    # "anon_LATE_vHq3z_67890_name.ipynb", where it is to say no names
    name=re.compile(
        r"(?P<student>(?P<anon>anon_(?:LATE_)?[A-Za-z0-9]{1,20})|(?:(?!_[0-9]+_).)+?)_"
        r"(?(anon)|(?P<late>LATE_)?(?P<number>[0-9]{1,20})_)(?P<time>[0-9]{1,20})_(?=.)"
        r"(?(anon)|(?(late)|(?![0-9]+_)))",
        re.DOTALL,
    ),
    # It takes a name that is a number for its own, and "anon" for nobody's.
    returned="for-{student}_{late}{number}_{time}_",
    identifier="ID",
    logins=("SIS Login ID", "SIS User ID"),
    emails=("SIS Login ID",),
    full_names=(("Student",), ("FirstName", "LastName")),
    needs=("ID", "Section"),
    shows=CANVAS_WHO,
    marks=re.compile(  # the others Canvas computes
        rf"(?!(?:{'|'.join(CANVAS_WHO)})\Z)"
        r"(?!.*(?:Current|Final|Override) (?:Score|Points|Grade|Status)).*"
    ),
    where="Grades: Export, Export Entire Gradebook",
    upload="Grades: Import; then upload submissions, in the menu of the assignment's column",
)
BRIGHTSPACE = Platform(
    title="Brightspace",
    # "123-456 - Ada Lovelace - Nov 21, 2026 1011 AM"
    name=re.compile(
        rf"(?P<number>[0-9]{{1,20}})-[0-9]+ - (?P<student>.+?) - (?P<time>{DATE})", re.DOTALL
    ),
    returned="{whole}/",
    identifier="",  # the number in the name of a submission stands in no table
    logins=("Username", "OrgDefinedId"),
    emails=("Email",),
    full_names=(("First Name", "Last Name"),),
    needs=("End-of-Line Indicator",),
    shows=("OrgDefinedId", "Username"),
    marks=re.compile(r".* Points Grade\b.*"),
    where="Grades, Enter Grades: Export, with both key fields, names and e-mail",
    upload="Grades, Enter Grades: Import; then the assignment: Add Feedback Files",
    listed=True,
)
PLATFORMS = {"moodle": MOODLE, "canvas": CANVAS, "brightspace": BRIGHTSPACE}


def likely(names: Collection[str]) -> str:
    """Return the platform that gives names like more than half of these; else empty."""
    counts = {name: sum(map(bool, map(each.name.match, names))) for name, each in PLATFORMS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] * 2 > len(names) else ""


def order(time: str) -> float:
    """Return a number that is larger for what came later: Canvas's own, or seconds of a date."""
    if time.isdecimal():
        return float(time)
    found = clock(time)
    return found.replace(tzinfo=UTC).timestamp() if found else 0.0


def clock(text: str) -> datetime | None:
    """Return a date like "Nov 21, 2026 105 PM", which is five past one; None if it is none."""
    try:
        return datetime.strptime(re.sub(r"\b(\d{3}) (?=[AP]M$)", r"0\1 ", text), CLOCK)
    except ValueError:
        return None


def in_utc(moment: datetime) -> datetime:
    """Return it as nbgrader's tables have it: in UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def of_nbgrader(content: bytes, zone: tzinfo | None) -> datetime | None:
    """Return the time in a timestamp.txt, in UTC; None where it or its time zone is not known.

    nbgrader itself would open the file that is named in the place of a time zone.

    Args:
        zone: of the class; its abbreviations are known, as are UTC and numbers like -03.
    """
    year = [datetime(datetime.now(UTC).year, month, 1, tzinfo=zone) for month in (1, 7)]
    offsets = {each.tzname(): each.utcoffset() for each in year}
    known = {name: timezone(offset) for name, offset in offsets.items() if offset is not None}
    try:
        text = content[: TIMESTAMP + 1].decode("ascii").strip()
        moment = parser.parse(text, tzinfos=known) if len(text) <= TIMESTAMP else None
        if moment and not moment.tzinfo:
            return None if text[-1].isalpha() else moment
        return in_utc(moment) if moment else None
    except (ValueError, ArithmeticError):  # of its decimal numbers, too
        return None


def plain(name: str, longest: int = LONGEST) -> str:
    """Return what is left of a name in a folder's; no table takes it for a formula."""
    whole = unicodedata.normalize("NFC", name)
    safe = re.sub(r"[^\w.@+-]+", "-", whole)[:longest].strip("-.@+")
    return safe or "unnamed"
