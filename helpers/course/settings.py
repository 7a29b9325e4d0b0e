"""Where the course's folders are, and what `[tool.course]` in pyproject.toml says."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

UNIT = re.compile(r"\d\d-[a-z0-9-]+")
KEYS = ("owner", "repository", "release", "wheel")
WINDOWS = """\
Grading does not run on Windows itself; it does on Linux, and so in WSL 2 (`wsl --install`, then the
same commands in its terminal). Everything that a learner does runs on Windows."""


class CourseError(Exception):
    """Something that the person at the keyboard can mend; its text says how."""


def printable(text: object) -> str:
    """A text of learners' as a terminal may have it: what would move or colour it is spelt out."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode()
        for each in str(text)
    )


@dataclass(frozen=True)
class Course:
    """A checkout of the course.

    Args:
        root: the folder with pyproject.toml.
        owner, repository: where the course is published, for the Colab badge; may be empty.
        release: the tag that Colab takes notebooks and helpers from; may be empty.
        wheel: the helpers' file in that release and its checksum, as `course release` prints it.
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
        """nbgrader's release directory."""
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

    def units(self) -> list[str]:
        """Names of the units that have a source, in order.

        Raises:
            CourseError: there is none.
        """
        found = [path.name for path in self.source.glob("*/") if self.text(path.name).exists()]
        names = sorted(name for name in found if UNIT.fullmatch(name))
        if not names:
            raise CourseError(f"no unit in {self.source}; a unit is source/NN-name/NN-name.py")
        return names

    def text(self, unit: str) -> Path:
        """The unit's source."""
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
    """The checkout around `start` (the current folder).

    Raises:
        CourseError: there is none, or `[tool.course]` has an unknown key.
    """
    start = (start or Path.cwd()).resolve()
    for root in (start, *start.parents):
        if (root / "pyproject.toml").exists() and (root / "source").is_dir():
            return _read(root)
    raise CourseError(f"{start} is not inside a checkout of the course; change into one first")


def _read(root: Path) -> Course:
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        values = dict(project.get("tool", {}).get("course", {}))
    except (tomllib.TOMLDecodeError, AttributeError, ValueError) as error:
        raise CourseError(f"{root / 'pyproject.toml'} cannot be read: {error}") from error
    unknown = set(values) - set(KEYS)
    if unknown:
        raise CourseError(f"[tool.course] in pyproject.toml has {sorted(unknown)}; it knows {KEYS}")
    return Course(root, **values)
