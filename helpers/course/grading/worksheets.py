"""The tables of marks that platforms give and take, and whose row in them is a learner's."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.course.intake.platforms import Platform, plain
from helpers.course.settings import CourseError

FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")  # what makes a spreadsheet compute a cell
DIGEST = re.compile(r"-[0-9a-f]{8}\Z")  # which intake puts behind a name that no folder can have


def read(path: Path) -> pd.DataFrame:
    """Return a worksheet, with commas, semicolons or tabs.

    Raises:
        CourseError: it is none.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        sign = max(",;\t", key=text.split("\n", 1)[0].count)
        table = pd.read_csv(
            io.StringIO(text), sep=sign, dtype=str, keep_default_na=False, index_col=False
        )
    except (OSError, UnicodeError, ValueError) as error:
        raise CourseError(f"{path} holds no table as CSV in UTF-8: {error}") from error
    return table.rename(columns=str.strip).fillna("")


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file in which no cell is a formula."""
    table.map(_harmless).rename(columns=_harmless).to_csv(path, index=False, lineterminator="\r\n")


def _harmless(cell: str) -> str:
    """Return the cell as text; a lone dash is what Moodle writes for no date."""
    return f"'{cell}" if FORMULA.match(cell) and cell != "-" else cell


def column(table: pd.DataFrame, name: str) -> pd.Series:
    """Return what a column has, empty where there is none; capitals make no difference."""
    found = [each for each in table if each.casefold() == name.casefold()]
    return table[found[0]].str.strip() if found else pd.Series("", index=table.index)


def words(table: pd.DataFrame, names: tuple[str, ...]) -> pd.Series:
    """Return what several columns have, one after the other."""
    empty = pd.Series("", index=table.index)
    return sum((column(table, each) + " " for each in names), empty).str.strip()


def maximum(table: pd.DataFrame, place: str) -> float | None:
    """Return the points that an assignment has there; None where that is not said.

    Moodle says it beside each mark, Canvas in a row for it, Brightspace in the column's name.
    """
    said = [
        *re.findall(r"MaxPoints:([0-9.]+)", place),
        *column(table, "Maximum Grade"),
        *table[place][table.iloc[:, 0].str.contains("Points Possible")],
    ]
    try:
        [number] = {float(each.replace(",", ".")) for each in said if each}
    except ValueError:
        return None
    return number


def matched(
    platform: Platform, table: pd.DataFrame, learners: pd.DataFrame
) -> tuple[dict[int, str], dict[str, str]]:
    """Return whose row is whose, by its place; and for the others why they have none.

    Args:
        learners: rows of grades.csv; `aliases` are how else somebody is called, the surest first.
    """
    by_key: dict[tuple[str, str], set[int]] = {}
    for place, key in _keys(platform, table):
        by_key.setdefault(key, set()).add(place)
    found = {each.student: _places(platform, by_key, each) for each in learners.itertuples()}
    numbered = set(learners.student[(learners.platform_id != "") & (platform.identifier != "")])
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


def file_names(platform: Platform, table: pd.DataFrame, found: dict[int, str]) -> dict[str, str]:
    """Return what files of those who are found begin with; only Moodle's table tells it."""
    if not platform.of_one:
        return {}
    numbers = column(table, platform.identifier).str.extract(r"([0-9]+)\Z")[0].fillna("")
    return {
        student: platform.returned.format(student=student.replace("_", "-"), number=numbers[place])
        for place, student in found.items()
        if numbers[place]
    }


def _places(platform: Platform, by_key: dict[tuple[str, str], set[int]], learner: Any) -> set[int]:
    """Return all rows that may be a learner's: by number, or by login, address or name."""
    if platform.identifier and learner.platform_id:
        return by_key.get(("number", learner.platform_id), set())
    for alias in getattr(learner, "aliases", ()):
        low = alias.casefold()
        keys = [("login", low), ("email", low), ("name", plain(alias))]
        keys += [("number", alias)] * (not platform.of_one)  # Moodle's is of one assignment
        if places := set().union(*(by_key.get(key, set()) for key in keys)):
            return places
    name = learner.student.removesuffix(f"-{learner.platform_id}")
    keys = [("login", learner.student.casefold()), ("email", name.casefold())]
    keys += [("name", name), ("name", DIGEST.sub("", name))]
    return set().union(*(by_key.get(key, set()) for key in keys))


def _keys(platform: Platform, table: pd.DataFrame) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield places, and by what each can be found."""
    addresses = [column(table, each).str.casefold() for each in platform.emails]
    full_names = [words(table, each) for each in platform.full_names]
    kinds = [
        ("number", column(table, platform.identifier).str.extract(r"([0-9]+)\Z")[0].fillna("")),
        *(("login", column(table, n).str.lstrip("#").str.casefold()) for n in platform.logins),
        *(("email", each.where(each.str.contains("@"), "")) for each in addresses),
        # "Lovelace, Ada" is Ada Lovelace
        *(
            ("name", each.str.replace(r"^(.*?), (.*)$", r"\2 \1", regex=True))
            for each in full_names
        ),
    ]
    for kind, texts in kinds:
        for place, text in enumerate(texts):
            if text:
                yield place, (kind, plain(text) if kind == "name" else text)
