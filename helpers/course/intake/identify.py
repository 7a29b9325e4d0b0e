"""Who handed in: read from the outermost name, never from what is inside it.

Without a platform, a folder or zip is in nbgrader's layout STUDENT/UNIT/UNIT.ipynb, or has a file
or folder for each learner. With one, names are those that it gives.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from helpers.course.intake import platforms
from helpers.course.intake.platforms import PLATFORMS, plain
from helpers.course.intake.upload import NOTEBOOK, File, listed
from helpers.course.settings import CourseError

WRAPPERS = ("submitted", "submissions")  # beside the name of the archive: a folder around all
BYTES = 230  # of a name; a folder's may have 255
EMAIL = re.compile(r"\w[\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")


@dataclass(frozen=True)
class Person:
    """Somebody who handed in.

    Args:
        student: a name that nbgrader can use as a folder, and nobody else's.
        said: the name as it was given.
        platform_id: the number by which the platform knows the person, where it has one.
        note: what is unusual about the name.
        files: what was handed in, which grows as it is found.
    """

    student: str
    said: str
    platform_id: str = ""
    note: str = ""
    files: list[File] = field(default_factory=list)

    @property
    def email(self) -> str:
        """The address, where that is the name."""
        return self.said if EMAIL.fullmatch(self.said) else ""


def people(place: Path, units: Collection[str], platform: str = "") -> list[Person]:
    """Return everyone in a folder or a zip, with what they handed in, by `student`.

    Raises:
        CourseError: it is neither, there is nobody, the names are another platform's, or two
            people would have the same.
    """
    files = listed(place)
    inner = _unwrapped(files, lambda top: not any(e.match(top) for e in PLATFORMS.values()))
    likely = platforms.likely({each.parts[0] for each in inner})
    if likely and likely != platform:
        title = PLATFORMS[likely].title
        raise CourseError(f"these look like {title}'s names: say --platform {likely}")
    if platform:
        known = PLATFORMS[platform]
        files = _unwrapped(files, lambda top: not known.match(top))
        if files and not any(known.match(each.parts[0]) for each in files):
            title = known.title
            raise CourseError(f"nothing in {place} is named as {title} does: omit --platform")
    else:
        files = _unwrapped(files, lambda top: top in {*WRAPPERS, place.name, place.stem})
    found: dict[tuple[str, str], Person] = {}
    for each in files:
        if who := _by_platform(each, platform) if platform else _by_name(each, units):
            person, file = who
            # By number, where there is one: a name may be changed.
            key = (person.platform_id, "" if person.platform_id else person.said)
            found.setdefault(key, person).files.append(file)
    if not found:
        raise CourseError(
            f"no notebook in {place}: it should hold STUDENT/UNIT/UNIT.ipynb, "
            "for example submissions/ada/02-sinusoidal/02-sinusoidal.ipynb"
        )
    named: dict[str, Person] = {}
    for person in found.values():
        if (other := named.setdefault(person.student, person)) is not person:
            both = f"{other.said} and {person.said}"
            raise CourseError(f"{both} would both be called {person.student}: rename one of them")
    return [named[student] for student in sorted(named)]


def _unwrapped(files: list[File], is_around: Callable[[str], bool]) -> list[File]:
    """Return files without the folders that are around all of them."""
    tops = {each.parts[0] for each in files}
    inside = [replace(each, parts=each.parts[1:]) for each in files if len(each.parts) > 1]
    wrapped = len(tops) == 1 and inside and is_around(min(tops))
    return _unwrapped(inside, is_around) if wrapped else files


def _by_platform(file: File, platform: str) -> tuple[Person, File] | None:
    """Return who has handed something in, by a name that the platform gave, and what it is."""
    name, *below = file.parts
    known = PLATFORMS[platform]
    if not (found := known.match(name)):
        if not below and file.is_file and not _holds_work(name):
            return None  # a list of the class, or the like
        note = f"{known.title} gives no such name, so nobody's number is in it"
        said = name if below else NOTEBOOK.sub("", name).removesuffix(".zip")
        # What could be somebody's name with their number is not left so.
        student = _with_digest(said) if re.search(r"-[0-9]+\Z", said) else student_of(said)
        return Person(student, said, note=note), _of_owner(file)
    told = found.groupdict(default="")
    own = name[found.end() :].removeprefix(" - ")
    own = re.sub(r"-\d+(?=\.py\Z)", "", own)  # Canvas counts tries; Python imports no -
    parts = (own or name,) if not below and file.is_file else tuple(below)
    order = (platforms.order(told.get("time", "")), file.order[1])
    said, number = found["student"], told.get("number", "")
    student = f"{plain(said)}-{number}" if number else student_of(said)
    return Person(student, said, number), replace(
        file, parts=parts, order=order, return_as=known.return_as(found)
    )


def _by_name(file: File, units: Collection[str]) -> tuple[Person, File] | None:
    """Return who has handed something in, by the name of a folder or file, and what it is."""
    name, *below = file.parts
    if below or not file.is_file:
        return Person(student_of(name), name), _of_owner(file)
    if not _holds_work(name):
        return None
    stem = NOTEBOOK.sub("", name).removesuffix(".zip")
    unit = next((each for each in units if each in stem), "")
    said = (stem.replace(unit, "").strip(" _-") if unit else stem) or stem
    return Person(student_of(said), said), file


def _of_owner(file: File) -> File:
    """Return a file with its path from its owner's folder on."""
    is_loose = len(file.parts) == 1 and file.is_file
    return file if is_loose else replace(file, parts=file.parts[1:])


def _holds_work(name: str) -> bool:
    """Return whether a file of this name is a notebook or an archive of them."""
    return bool(NOTEBOOK.search(name)) or name.lower().endswith(".zip")


def student_of(said: str) -> str:
    """Return a name as it is where it can be a folder's, else what is left and a digest.

    It depends on nobody else's.
    """
    whole = plain(said, BYTES)
    return whole if said == whole and len(whole.encode()) <= BYTES else _with_digest(said)


def _with_digest(said: str) -> str:
    digest = hashlib.sha256(repr(said).encode(errors="surrogatepass")).hexdigest()
    return f"{plain(said)}-{digest[:8]}"
