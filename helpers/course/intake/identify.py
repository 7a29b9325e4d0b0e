"""Who handed in: read from the outermost name, never from what is inside it.

Without a platform, a folder or zip is in nbgrader's layout STUDENT/UNIT/UNIT.ipynb, or has a file
or folder for each learner. With one, names are those that it gives.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from helpers.course.intake import platforms, tree
from helpers.course.intake.platforms import PLATFORMS, plain
from helpers.course.intake.tree import Item, Parts
from helpers.course.settings import CourseError

WRAPPERS = ("submitted", "submissions")  # beside the name of the archive: a folder around all
BYTES = 230  # of a name; a folder's may have 255
EMAIL = re.compile(r"\w[\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")


@dataclass(frozen=True)
class Person:
    """Somebody who handed in.

    Args:
        said: the name as it was given; together with `platform_id` nobody else's.
        student: the same as a name that nbgrader can use as a folder; nobody else's either.
        platform_id: the number by which the platform knows the person, where it has one.
    """

    said: str
    platform_id: str = ""
    notes: tuple[str, ...] = ()
    student: str = ""
    items: list[Item] = field(default_factory=list, compare=False)

    @property
    def email(self) -> str:
        """The address, where that is the name."""
        return self.said if EMAIL.fullmatch(self.said) else ""


def people(submissions: Path, units: list[str], platform: str = "") -> list[Person]:
    """Return everyone in a folder or a zip, with what they handed in, by `student`.

    Raises:
        CourseError: it is neither, there is nobody, or the names are another platform's.
    """
    around = {*WRAPPERS, submissions.name, submissions.stem}
    owned = list(_owned(tree.listed(submissions), units, around))
    names = {parts[0] for parts, _, _ in owned}
    inside = {parts[1] for parts, _, _ in owned if len(parts) > 1} if len(names) == 1 else set()
    likely = platforms.likely(names) or platforms.likely(inside)
    if likely and likely != platform:
        title = PLATFORMS[likely].title
        raise CourseError(f"these look like {title}'s names: say --platform {likely}")
    if platform and not any(map(PLATFORMS[platform].match, names)):
        if not any(map(PLATFORMS[platform].match, inside)):
            title = PLATFORMS[platform].title
            raise CourseError(f"nothing in {submissions} is named as {title} does: omit --platform")
        # The one folder around all has another name than the archive, which was renamed.
        owned = [(parts[1:], unit, each) for parts, unit, each in owned if parts[1:]]
    found: dict[Person | str, Person] = {}  # by number, where there is one: a name may be changed
    for parts, unit, each in owned:
        if who := _person(parts, each, units, platform):
            person, item = who
            same = found.setdefault(person.platform_id or person, person)
            same.items.append(item._replace(parts=(*unit, *item.parts)))
    if not found:
        raise CourseError(
            f"no notebook in {submissions}: it should hold STUDENT/UNIT/UNIT.ipynb, "
            "for example submissions/ada/02-sinusoidal/02-sinusoidal.ipynb"
        )
    return _named(list(found.values()))


def student_of(said: str) -> str:
    """Return the name that somebody has in all tables whom no platform knows by number."""
    return _folder(Person(said))


def _owned(
    listed: list[Item], units: list[str], around: set[str]
) -> Iterator[tuple[Parts, Parts, Item]]:
    """Yield the path of each thing from its owner on, and the unit in whose folder it stands."""
    tops = {each.parts[0] for each in listed}
    wrapped = len(tops) == 1 and tops < around and any(len(each.parts) > 1 for each in listed)
    paths = [each.parts[wrapped:] for each in listed]
    # Folders of units stand around all where others are fewer: a person may be called like a unit.
    folders = {parts[0] for parts in paths if len(parts) > 1}
    of_units = folders & {*units}
    of_units = of_units if len(of_units) * 2 > len(folders) else set()
    for parts, each in zip(paths, listed, strict=True):
        inside = parts[:1] if parts and parts[0] in of_units else ()
        if parts[len(inside) :]:
            yield parts[len(inside) :], inside, each


def _person(
    parts: Parts, each: Item, units: list[str], platform: str
) -> tuple[Person, Item] | None:
    """Return who has handed something in, if anybody, and what it is."""
    name, *below = parts
    is_file = not below and each.is_file
    notes: tuple[str, ...] = ()
    if platform:
        known = PLATFORMS[platform]
        if found := known.match(name):
            told = found.groupdict(default="")
            own = name[found.end() :].removeprefix(" - ")
            own = re.sub(r"-\d+(?=\.py\Z)", "", own)  # Canvas counts tries; Python imports no -
            mine = (own or name,) if is_file else tuple(below)
            order, return_as = platforms.order(told.get("time", "")), known.return_as(found)
            person = Person(found["student"], told.get("number", ""))
            return person, each._replace(parts=mine, order=order, return_as=return_as)
        notes = (f"{known.title} gives no such name, so nobody's number is in it",)
    if not is_file:
        return Person(name, notes=notes), each._replace(parts=tuple(below))
    if not tree.holds_work(name):
        return None  # a list of the class, or the like
    stem = tree.NOTEBOOK.sub("", name).removesuffix(".zip")
    unit = next((each for each in units if each in stem), "")
    said = stem.replace(unit, "").strip(" _-") if unit and not notes else stem
    return Person(said or stem, notes=notes), each._replace(parts=(name,))


def _named(found: list[Person]) -> list[Person]:
    """Name people by names that are folders and do not depend on who else is there."""
    short = {person: _folder(person) for person in found}
    shared = Counter(short.values())
    named = [
        # A name that is chosen to be like another's makes way.
        replace(each, student=name if shared[name] == 1 or name != each.said else _folder(each, 64))
        for each, name in short.items()
    ]
    return sorted(named, key=lambda each: each.student)


def _folder(person: Person, digits: int = 0) -> str:
    """Return the name as it is where it can be a folder's, else what is left and a digest."""
    left, whole = plain(person.said), plain(person.said, BYTES)
    if person.platform_id:
        return f"{left}-{person.platform_id}"
    if person.said == whole and len(whole.encode()) <= BYTES and not digits:
        return whole
    digest = hashlib.sha256(repr(person.said).encode(errors="surrogatepass")).hexdigest()
    return f"{left}-{digest[: digits or 8]}"
