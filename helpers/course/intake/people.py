"""Who handed in: told by the outermost name that the platform gave, never by what is inside it.

A folder may be nbgrader's STUDENT/UNIT/UNIT.ipynb, or hold notebooks as a person or a learning
platform named them; a zip may be what Moodle, Canvas or Brightspace give. Only the names are looked
at here; what is inside is read by `parcel`, in a process of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from helpers.course.intake import times
from helpers.course.intake.archive_names import is_work, path_of, split
from helpers.course.settings import CourseError

# Some browsers and mail programs add an ending.
NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?\Z", re.IGNORECASE)
WRAPPERS = ("submitted", "submissions")  # beside the name of the archive: a folder around all
BYTES = 230  # of a name; a folder's may have 255
LONGEST = 40  # characters of one that a number or a digest follows; a letter has up to four bytes

# As the platforms write it, a learner's name and number come first: what follows in the name of a
# file is the learner's own.
MOODLE = re.compile(  # "Ada Lovelace_123456_assignsubmission_file_…"
    r"(?P<student>.+?)_(?P<number>[0-9]{1,20})_assignsubmission_(?:file|onlinetext)", re.DOTALL
)
DATE = r"[A-Z][a-z]{2} [0-9]{1,2}, [0-9]{4} [0-9]{3,4} [AP]M"
BRIGHTSPACE = re.compile(  # "123-456 - Ada Lovelace - Nov 21, 2026 1011 AM"
    r"(?P<number>[0-9]{1,20})-[0-9]+ - (?P<student>.+?) - "
    rf"(?P<time>{DATE})",
    re.DOTALL,
)
CANVAS = re.compile(  # "lovelaceada_LATE_12345_67890_name-1.ipynb", which is always a file
    r"(?P<student>(?:(?!_[0-9]+_).)+?)_"  # Canvas takes _digits_ out of a name
    r"(?P<late>LATE_)?(?P<number>[0-9]{1,20})_(?P<time>[0-9]{1,20})_.",
    re.DOTALL,
)
HIDDEN = re.compile(  # "anon_LATE_vHq3z_67890_name.ipynb", where Canvas says no names
    r"(?P<student>anon_(?:LATE_)?[A-Za-z0-9]{1,20})_(?P<time>[0-9]{1,20})_.", re.DOTALL
)
EMAIL = re.compile(r"\w[\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
SAFE = re.compile(r"\w(?:[\w.@+-]*\w)?")
RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)  # by Windows


@dataclass(frozen=True)
class Source:
    """Something that a person handed in: a file or a folder, or members of the platform's zip.

    Args:
        place: the file or folder, or the zip. parts: what of its path tells of the unit.
        members: which entries of the zip, by number. order: larger for what came later.
        loose: it is a file that the platform named, in no folder of the person's.
        return_as: what the name of a file begins with that the platform takes back for the person.
    """

    place: Path
    parts: tuple[str, ...] = ()
    members: list[int] | None = None
    order: float = 0.0
    return_as: str = ""
    loose: bool = False


@dataclass(frozen=True)
class Person:
    """Somebody who handed in.

    Args:
        said: the name as it was given; together with `platform_id` nobody else's.
        student: the same as a name that nbgrader can use as a folder; nobody else's either.
        platform_id: the number by which the platform knows the person, where it has one.
        doubtful: whether `said` may hold what is another's.
    """

    said: str
    student: str = ""
    platform_id: str = ""
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    sources: list[Source] = field(default_factory=list, compare=False)

    @property
    def email(self) -> str:
        """The address, where the name is or holds one."""
        found = None if self.doubtful else EMAIL.search(self.said)
        return found[0] if found else ""


def people(submissions: Path, units: list[str]) -> list[Person]:
    """Everyone in a folder or a platform's zip, with what they handed in, by `student`.

    Raises:
        CourseError: it is neither, or there is nobody.
    """
    if not submissions.exists():
        raise CourseError(f"{submissions} is neither a folder nor a zip")
    listed = _in_folder if submissions.is_dir() else _in_zip
    found: dict[Person, Person] = {}
    for parts, is_file, source in listed(submissions.absolute(), units):
        owner, *below = parts
        loose = is_file and not below
        if told := _person(owner, loose, units):
            person, order, return_as = told
            mine = found.setdefault(person, person).sources
            source = replace(source, order=order, return_as=return_as, loose=loose)
            last = mine[-1] if mine else None
            if last and last.members and replace(last, members=source.members) == source:
                last.members.extend(source.members or ())
            else:
                mine.append(source)
    if not found:
        raise CourseError(
            f"no notebook in {submissions}: it should hold STUDENT/UNIT/UNIT.ipynb, "
            "for example submissions/ada/02-sinusoidal/02-sinusoidal.ipynb"
        )
    return _named(list(found))


Listed = tuple[tuple[str, ...], bool, Source]  # the path from its owner on; whether it is a file


def _in_folder(folder: Path, units: list[str]) -> Iterator[Listed]:
    entries = _visible(folder)
    if len(entries) == 1 and _is_wrapper(entries[0].name, folder) and _is_folder(entries[0]):
        entries = _visible(Path(entries[0].path))
    by_unit = _by_unit((each.name for each in entries if _is_folder(each)), units)
    for each in entries:
        inside = _visible(Path(each.path)) if each.name in by_unit and _is_folder(each) else None
        for one in [each] if inside is None else inside:
            # What a folder holds has paths of its own; a file's name is all there is to a file.
            unit = () if inside is None else (each.name,)
            is_file = one.is_file(follow_symlinks=False) or _holds_work(one.name)
            is_file = is_file and not _is_folder(one)
            source = Source(Path(one.path), unit if _is_folder(one) else (*unit, one.name))
            yield (one.name,), is_file, source


def _visible(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((e for e in entries if is_work(e.name)), key=lambda each: each.name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _holds_work(name: str) -> bool:
    return bool(NOTEBOOK.search(name)) or name.lower().endswith(".zip")


def _is_wrapper(name: str, submissions: Path) -> bool:
    """Whether a folder around all has a name that says so; one of another name is a person's."""
    return name in (*WRAPPERS, submissions.name, submissions.stem)


def _in_zip(archive: Path, units: list[str]) -> Iterator[Listed]:
    """Each member by itself; those of one folder are put together by `people`."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = [path_of(each) for each in opened.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise CourseError(f"{archive} cannot be unpacked: {error}") from error
    # A sign that a learner may have in a name parts it only if it parts all of them, as some
    # programs of Windows write them.
    windows = not any("/" in each or (_holds_work(each) and "\\" not in each) for each in names)
    separators = "/\\" if windows else "/"
    members = [(split(each, separators), each.endswith(tuple(separators))) for each in names]
    paths = [parts for parts, _ in members if parts and is_work(parts[0])]
    tops = {parts[0] for parts in paths}
    around = len(tops) == 1 and _is_wrapper(min(tops), archive) and any(len(p) > 1 for p in paths)
    paths = [parts[around:] for parts in paths]
    by_unit = _by_unit({parts[0] for parts in paths if len(parts) > 1}, units)
    for number, (parts, is_folder) in enumerate(members):
        parts = parts[around:]
        parts = parts[1:] if len(parts) > 1 and parts[0] in by_unit else parts
        if parts and is_work(parts[0]):
            yield parts, not is_folder, Source(archive, members=[number])


def _by_unit(folders: Iterable[str], units: list[str]) -> set[str]:
    """Folders around all that was handed in for a unit; a person may be called like one.

    So they are no such folders where others are as many.
    """
    others = {*folders}
    found = others & {*units}
    others -= found
    return found if len(found) > len(others) else set()


def _person(name: str, is_file: bool, units: list[str]) -> tuple[Person, float, str] | None:
    """Who has a name like this, when they handed in and what they are returned as, if anybody."""
    patterns = (MOODLE, BRIGHTSPACE, CANVAS) if is_file else (MOODLE, BRIGHTSPACE)
    ways = [found for each in patterns if (found := each.match(name))]
    hidden = HIDDEN.match(name) if is_file else None
    if hidden and all(each.re is CANVAS for each in ways):
        return Person(hidden["student"]), times.of_platform(hidden["time"]), ""
    if ways:
        found = ways[0]
        if hidden or len(ways) > 1 or _two_ways(name, found):
            note = "the name can be read in two ways, so no number of the platform is taken from it"
            return Person(name, notes=(note,), doubtful=True), 0.0, ""
        order = times.of_platform(found.groupdict().get("time") or "0")
        return Person(found["student"], platform_id=found["number"]), order, _return_as(found)
    if not is_file:
        return Person(name), 0.0, ""
    if not _holds_work(name):
        return None  # a list of the class, or the like
    stem = without_ending(name)
    unit = next((each for each in units if each in stem), "")
    said = (stem.replace(unit, "").strip(" _-") if unit else stem) or stem
    return Person(said, doubtful=not EMAIL.fullmatch(said)), 0.0, ""


def _two_ways(name: str, found: re.Match[str]) -> bool:
    """Whether one who may choose a name or a file's name could pass for somebody else."""
    after = name[found.end("number") :]
    if found.re is CANVAS:  # "eve_8_66_902_name": is she eve_8, or is 8 her number?
        return not found["late"] and bool(re.match(r"_[0-9]+_[0-9]+_", after))
    dated = found.re is BRIGHTSPACE and re.search(f" - {DATE}", name[found.end() :])
    return bool(dated or found.re.search(name, found.end("number")))


def _return_as(found: re.Match[str]) -> str:
    """What the platform goes by when it takes feedback back: its numbers, or the whole name."""
    if found.re is BRIGHTSPACE:
        whole = found[0]
        return whole if whole.isprintable() and not set(whole) & set("/\\") else ""
    name = plain(found["student"].replace("_", "-"))  # they split the name at each _
    if found.re is MOODLE:
        return f"{name}_{found['number']}_assignsubmission_file_"
    # Canvas takes a name that is a number for its own, and "anon" for nobody's.
    return f"for-{name}_{found['late'] or ''}{found['number']}_{found['time']}_"


def platform(return_as: str) -> str:
    """Whose way of naming files it is: "moodle", "brightspace", "canvas", or empty."""
    patterns = {"moodle": MOODLE, "brightspace": BRIGHTSPACE, "canvas": CANVAS}
    return next((name for name, each in patterns.items() if each.match(return_as + "x")), "")


def own(name: str) -> str:
    """Return the learner's own name of a file that a platform named; Python can import it."""
    for pattern, between in {MOODLE: "_", BRIGHTSPACE: " - ", CANVAS: "", HIDDEN: ""}.items():
        if found := pattern.match(name):
            rest = name[found.end() - (not between) :].removeprefix(between)
            return re.sub(r"-\d+(?=\.py\Z)", "", rest)  # Canvas counts tries
    return name


def without_ending(name: str) -> str:
    """The name of a notebook or an archive without what makes it one."""
    return NOTEBOOK.sub("", name) if NOTEBOOK.search(name) else Path(name).stem


def student_of(said: str) -> str:
    """Return the name that somebody has in all tables whom no platform knows by number."""
    return _folder(Person(said))


def _named(found: list[Person]) -> list[Person]:
    """With names that are folders and do not depend on who else is there."""
    short = {person: _folder(person) for person in found}
    shared = Counter(short.values())
    return sorted(
        (
            # A name that is chosen to be like another's makes way.
            replace(each, student=name if shared[name] == 1 or name != each.said else _digest(each))
            for each, name in short.items()
        ),
        key=lambda each: each.student,
    )


def plain(said: str) -> str:
    """What is left of a name in a folder's; no table takes it for a formula."""
    whole = unicodedata.normalize("NFC", said)
    return re.sub(r"[^\w.@+-]+", "-", whole)[:LONGEST].strip("-.@+") or "unnamed"


def _folder(person: Person) -> str:
    """The name as it is where it can be a folder's, else what is left of it and a digest."""
    if person.platform_id:
        return f"{_left(person)}-{person.platform_id}"
    return person.said if _safe(person.said) else _digest(person, 8)


def _digest(person: Person, digits: int = 64) -> str:
    """What is left of the name and a digest, which is nobody else's."""
    of_whom = repr((person.said, person.platform_id)).encode(errors="surrogatepass")
    return f"{_left(person)}-{hashlib.sha256(of_whom).hexdigest()[:digits]}"


def _left(person: Person) -> str:
    return "_" * bool(RESERVED.fullmatch(name := plain(person.said))) + name


def _safe(name: str) -> bool:
    """Whether every file system and every table can have such a name."""
    usual = SAFE.fullmatch(name) and not RESERVED.fullmatch(name)
    return bool(usual) and unicodedata.is_normalized("NFC", name) and len(name.encode()) <= BYTES
