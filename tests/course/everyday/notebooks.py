"""Everyday notebooks, the rows of rows.toml, and what platforms give of a class."""

from __future__ import annotations

# ruff: noqa: E501
from collections.abc import Callable
from typing import NamedTuple

from tests.course.everyday.rows import of_table
from tests.course.everyday.work import Work, zipped

ROWS = of_table()


class Archive(NamedTuple):
    """A platform's zip: what is in it, who has handed in, and the list of groups, if any."""

    content: Callable[[], bytes]
    students: set[str]
    platform: str = ""
    groups: str = ""


def _platforms(*paths: str) -> bytes:
    """Return a zip of perfect notebooks of unit 00, each at a path."""
    content = next(iter(Work("00").files("").values()))
    return zipped(dict.fromkeys(paths, content))


ARCHIVES = {
    "names of an old program": Archive(
        lambda: _platforms("Ivan-Petrov_77_assignsubmission_file_/00-start-here.ipynb").replace(b"Ivan-Petrov", "Иван Петров".encode("cp866")),
        {"Иван-Петров-77"},
        "moodle",
    ),
    "paths of Windows": Archive(
        lambda: _platforms("ada\\00-start-here\\00-start-here.ipynb", "bob\\00-start-here\\00-start-here.ipynb"),
        {"ada", "bob"},
    ),
    "a group": Archive(
        lambda: _platforms("Team Blue_9_assignsubmission_file_/00-start-here.ipynb", "zoe_5_assignsubmission_file_/00-start-here.ipynb"),
        {"ada", "bob", "zoe-5"},
        "moodle",
        "group,student\nTeam Blue,ada\nTeam Blue,bob\n",
    ),
}  # fmt: skip
