"""`course try`: a learner has a notebook graded as a class is, for a page; no mark is kept."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from helpers.course import settings
from helpers.course.settings import Course, CourseError

FIRST = "00-start-here"
WHO = "you"


def main(course: Course, options: argparse.Namespace) -> int:
    """Grade one notebook into a folder that is removed again; return 0 if it could be graded."""
    from helpers.course.grading import grade, journal
    from helpers.course.grading.gradebook import NO_UNIT
    from helpers.course.sandbox import bubblewrap

    path = options.notebook or course.work / FIRST / f"{FIRST}.ipynb"
    if not path.is_file():
        raise CourseError(f"there is no notebook {path}; name one: course try NOTEBOOK")
    with tempfile.TemporaryDirectory(prefix="order-matters-") as folder:
        place, out = Path(folder) / "submitted" / WHO, Path(folder) / "graded"
        place.mkdir(parents=True)
        for each in (path, *path.parent.glob("*.py")):
            shutil.copy(each, place)
        # It is the learner's own code, as in JupyterLab: without bubblewrap it runs as there.
        table = grade.grade(course, place.parent, out, isolated=not bubblewrap.available())
        [row] = table.itertuples()
        unit = row.unit or NO_UNIT
        page = path.with_name(f"{path.stem}-feedback.html")
        settings.write(page, (out / "feedback" / WHO / unit / f"{unit}.html").read_bytes())
    print(journal.as_text(table))
    print(f"\nfeedback: {page}\nNobody else has seen this, and no mark is kept.")
    return int(not row.status.startswith("graded"))
