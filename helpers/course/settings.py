"""Where the course's folders are, and what `[tool.course]` in pyproject.toml says."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "ORDER_MATTERS_COURSE"
UNIT = re.compile(r"\d\d-[a-z0-9-]+")
TRIED = ((3, 11), (3, 13))  # the versions of Python that CI tries, from and to
LONGEST = 300  # characters of a reason or a note
# At the beginning of a cell, also where a table is read whose cells another sign parts.
FORMULA = re.compile(r"""(^|[;,|])(?=[\s"']*[=+@\uff1d\uff0b\uff0d\uff20-])""")
WINDOWS = """\
Grading does not run on Windows itself; it does on Linux, and so in WSL 2 (`wsl --install`, then the
same commands in its terminal). Everything that a learner does runs on Windows."""


class CourseError(Exception):
    """Something that the person at the keyboard can mend; its text says how."""


def printable(text: object) -> str:
    """Return a learner's text as a terminal may have it: what would move or colour is spelt out."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode()
        for each in str(text)
    )


def table_text(text: str) -> str:
    """Return a text safe for a terminal and, as no formula, for a table."""
    return FORMULA.sub(r"\1'", printable(text[:LONGEST]))


def is_root() -> bool:
    """Return whether root has started this program."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def write(path: Path, content: str | bytes) -> None:
    """Write a file, and its folder, in one step: it is the old one or the new one, never half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@dataclass(frozen=True)
class Course:
    """A checkout of the course.

    Args:
        root: the folder with pyproject.toml.
        owner, repository: where the course is published, for the Colab badge; may be empty.
        release: the tag that Colab takes notebooks and helpers from; may be empty.
        wheel: the helpers' file in that release and its checksum, as pip reads it.
    """

    root: Path
    owner: str = ""
    repository: str = ""
    release: str = ""
    wheel: str = ""

    @property
    def source(self) -> Path:
        """The only text that anyone edits."""
        return self.root / "source"

    @property
    def notebooks(self) -> Path:
        """Learners' notebooks, as released."""
        return self.root / "notebooks"

    @property
    def solutions(self) -> Path:
        """Worked and executed notebooks."""
        return self.root / "solutions"

    @property
    def work(self) -> Path:
        """A learner's own copies of what is in `notebooks`; git does not look at them."""
        return self.root / "work"

    @property
    def published(self) -> bool:
        """True where a Colab badge can be made."""
        return all((self.owner, self.repository, self.release, self.wheel))

    def units(self, chosen: Collection[str] = ()) -> list[str]:
        """Return the names of the units that have a source, in order; all, or those chosen.

        Raises:
            CourseError: there is none, or not all of those chosen.
        """
        found = [path.name for path in self.source.glob("*/") if self.text(path.name).exists()]
        names = sorted(name for name in found if UNIT.fullmatch(name))
        if not names:
            raise CourseError(f"no unit in {self.source}; a unit is source/NN-name/NN-name.py")
        if unknown := sorted({*chosen} - {*names}):
            raise CourseError(f"no unit {', '.join(unknown)}; there are {', '.join(names)}")
        return [name for name in names if not chosen or name in chosen]

    def text(self, unit: str) -> Path:
        """Return the unit's source."""
        return self.source / unit / f"{unit}.py"

    def refuse_places(self, submissions: Path, out: Path) -> None:
        """See that what is graded into OUT touches neither the course nor the submissions.

        Raises:
            CourseError: it would, or there are no submissions.
        """
        places = [out.resolve(), submissions.resolve()]
        if self.root in places or places[0] in [places[1], *places[1].parents, self.source]:
            raise CourseError(
                f"--out {out} holds the course or the submissions; name another folder"
            )
        if places[1] in places[0].parents:
            raise CourseError(f"--out {out} is inside {submissions}; name a folder beside it")
        if not submissions.exists():
            raise CourseError(f"{submissions} is neither a folder nor a zip")


def find(start: Path | None = None) -> Course:
    """Return the checkout around `start` (the current folder, else the variable's).

    Raises:
        CourseError: there is none, or its `[tool.course]` cannot be read or has an unknown key.
    """
    named = [] if start else [Path(os.environ.get(VARIABLE, "")).resolve()]
    start = (start or Path.cwd()).resolve()
    for root in (start, *start.parents, *named):
        project = root / "pyproject.toml"
        if project.exists() and (root / "source").is_dir():
            try:
                tables = tomllib.loads(project.read_text(encoding="utf-8")).get("tool", {})
                return Course(root, **tables.get("course", {}))
            except (ValueError, AttributeError, TypeError) as error:
                raise CourseError(f"{project}: [tool.course] cannot be read: {error}") from error
    raise CourseError(
        f"{start} is not inside a checkout of the course; name one: --course DIR, or {VARIABLE}"
    )
