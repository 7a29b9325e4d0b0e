"""What a learning platform gives, as nbgrader's folders submitted/STUDENT/UNIT/UNIT.ipynb.

nbgrader's own zip_collect wants a regular expression for each platform's names; `intake` knows
those names, opens archives in archives and tells a unit by its cells.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from helpers.course import intake
from helpers.course.intake import Submission
from helpers.course.settings import Course, CourseError

COLUMNS = ["student", "unit", "platform_id", "email", "notes"]


def collect(course: Course, archive: Path, out: Path, platform: str = "") -> pd.DataFrame:
    """Copy each notebook in ARCHIVE, a zip or folder, to OUT; return a row for everyone in it.

    Nothing is executed or repaired, and where there are several tries the newest is taken.

    Raises:
        CourseError: there is no notebook, or OUT is inside ARCHIVE.
    """
    if archive.resolve() in [out.resolve(), *out.resolve().parents]:
        raise CourseError(f"--out {out} is inside {archive}; name a folder beside it")
    rows = []
    with TemporaryDirectory(prefix="order-matters-") as unpacked:
        for found in intake.find(course, archive, Path(unpacked, "all"), platform=platform):
            notes = [*found.notes, *_copied(found, out / found.student / found.unit)]
            of_whom = [found.student, found.unit, found.platform_id, found.email]
            rows.append([*of_whom, "; ".join(notes)])
    return pd.DataFrame(rows, columns=COLUMNS)


def _copied(found: Submission, folder: Path) -> Iterator[str]:
    """Copy a notebook with what goes with it; say what cannot be, or what it replaces."""
    if found.problem:
        yield f"not collected: {found.problem}"
        return
    target = folder / f"{found.unit}.ipynb"
    if target.exists() and target.read_bytes() != found.path.read_bytes():
        yield "in the place of an earlier one"
    for name, path in {target.name: found.path, **found.files}.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            yield f"not collected: {name}, where an earlier try has another kind of file"
    if found.when:
        (folder / "timestamp.txt").write_text(found.when)
