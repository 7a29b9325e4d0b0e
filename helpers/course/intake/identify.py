"""Who handed in: read from the outermost name, never from what is inside it.

Without a platform, a folder or zip is in nbgrader's layout STUDENT/UNIT/UNIT.ipynb, an exchange's
inbound/, or has a file or folder for each learner. With one, names are those that it gives.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from helpers.course.intake import platforms
from helpers.course.intake.platforms import PLATFORMS, plain
from helpers.course.intake.upload import NOTEBOOK, File, Upload, listed
from helpers.course.settings import CourseError

WRAPPERS = ("submitted", "submissions")  # beside the name of the archive: a folder around all
BYTES = 230  # of a name; a folder's may have 255
# "ada+02-sinusoidal+2026-11-29 20:33:29.123456 UTC+bF3x…", as nbgrader submit names a folder
INBOUND = re.compile(
    r"(?P<student>.+)\+(?P<unit>[^+]+)\+(?P<time>20[0-9-]+ [0-9:.]+ \+?[^+]+)(\+[\w=-]+)?"
)


def people(place: Path, units: Collection[str], platform: str = "") -> list[Upload]:
    """Return everyone in a folder or a zip, with what they handed in, by `student`.

    Raises:
        CourseError: it is neither, there is nobody, the names are another platform's, or the
            folders those of units.
    """
    files = listed(place)
    bare = _unwrapped(files, lambda top: top in {*WRAPPERS, place.name, place.stem})
    tops = {each.parts[0] for each in bare}
    inside = {each.parts[1] for each in bare if len(each.parts) > 1}
    likely = platforms.likely(tops) or platforms.likely(inside if len(tops) == 1 else ())
    if likely and likely != platform:
        title = PLATFORMS[likely].title
        raise CourseError(f"these look like {title}'s names: say --platform {likely}")
    if platform:
        known = PLATFORMS[platform]
        files = _unwrapped(files, lambda top: not known.name.match(top))
        if files and not any(known.name.match(each.parts[0]) for each in files):
            title = known.title
            raise CourseError(f"nothing in {place} is named as {title} does: omit --platform")
    else:
        files = bare
        folders = {each.parts[0] for each in files if each.is_folder or len(each.parts) > 1}
        if len(folders & {*units}) * 2 > len(folders):
            raise CourseError(
                f"{place} has a folder for each unit: use STUDENT/UNIT/UNIT.ipynb, or grade each "
                "unit's folder alone"
            )
    found: dict[tuple[str, str], Upload] = {}
    for each in files:
        if who := _person(each, units, platform):
            person, file = who
            # By number, where there is one: a name may be changed.
            key = (person.platform_id, "" if person.platform_id else person.said)
            found.setdefault(key, person).listed.append(file)
    if not found:
        raise CourseError(
            f"no notebook in {place}: it should hold STUDENT/UNIT/UNIT.ipynb, "
            "for example submissions/ada/02-sinusoidal/02-sinusoidal.ipynb"
        )
    named: dict[str, Upload] = {}
    # Who is called what another is given makes way, whoever comes first.
    for person in sorted(found.values(), key=lambda each: each.student == each.said):
        while person.student in named:
            person.student = with_digest(person.student)
        named[person.student] = person
    return [named[student] for student in sorted(named)]


def _unwrapped(files: list[File], is_around: Callable[[str], bool]) -> list[File]:
    """Return files without the folders that are around all of them."""
    tops = {each.parts[0] for each in files}
    inside = [replace(each, parts=each.parts[1:]) for each in files if len(each.parts) > 1]
    wrapped = len(tops) == 1 and inside and is_around(min(tops))
    return _unwrapped(inside, is_around) if wrapped else files


def _person(file: File, units: Collection[str], platform: str) -> tuple[Upload, File] | None:
    """Return who has handed something in, if anybody, and what it is."""
    name, *below = file.parts
    is_loose = not below and file.open is not None
    if platform and (found := PLATFORMS[platform].name.match(name)):
        own = name[found.end() :].removeprefix(" - ")
        own = re.sub(r"-\d+(?=\.py\Z)", "", own)  # Canvas counts tries; Python imports no -
        parts = (own or name,) if is_loose else tuple(below)
        order = (platforms.order(found.groupdict().get("time", "")), file.order[1])
        return_as = PLATFORMS[platform].return_as(found)
        number = found["number"] or ""
        student = f"{plain(found['student'])}-{number}".removesuffix("-")
        person = Upload(student, found["student"], number)
        return person, replace(file, parts=parts, order=order, return_as=return_as)
    if is_loose and not (NOTEBOOK.search(name) or name.lower().endswith(".zip")):
        return None  # a list of the class, or the like
    said, inside = name, replace(file, parts=tuple(below))
    if is_loose:
        said, inside = NOTEBOOK.sub("", name).removesuffix(".zip"), file
        unit = next((each for each in units if each in said), "")
        said = (said.replace(unit, "").strip(" _-") if unit and not platform else said) or said
    if not platform:
        if submitted := INBOUND.fullmatch(name):  # one of several that this student may have
            said, unit, time, _ = submitted.groups()
            when = platforms.of_nbgrader(time.encode(errors="replace"), None)
            order = (0.0, when.replace(tzinfo=UTC).timestamp() if when else file.order[1])
            inside = replace(file, parts=(unit, name, *below), order=order)
        return Upload(student_of(said), said), inside
    # What could be somebody's name with their number is not left so.
    student = with_digest(said) if re.search(r"-[0-9]+\Z", said) else student_of(said)
    note = f"{PLATFORMS[platform].title} gives no such name, so nobody's number is in it"
    return Upload(student, said, note=note), inside


def student_of(said: str) -> str:
    """Return a name as it is where it can be a folder's, else what is left and a digest.

    It depends on nobody else's.
    """
    whole = plain(said, BYTES)
    return whole if said == whole and len(whole.encode()) <= BYTES else with_digest(said)


def with_digest(said: str) -> str:
    """Return what a folder can have of a name, and a digest of the whole."""
    digest = hashlib.sha256(repr(said).encode(errors="surrogatepass")).hexdigest()
    return f"{plain(said)}-{digest[:8]}"
