"""The glossary: where a unit's link to it leads, and its copy for those who have no checkout."""

from __future__ import annotations

from pathlib import Path

from helpers.course.settings import Course

PAGE = "docs/glossary.md"


def address(course: Course) -> str:
    """Where a unit finds it: on GitHub once the course is published, as Colab has no files of ours.

    Otherwise the path from the folder of a unit.
    """
    if not course.published:
        return f"../../{PAGE}"
    return f"https://github.com/{course.owner}/{course.repository}/blob/{course.release}/{PAGE}"


def copy(course: Course, folder: Path) -> None:
    """Put it below a folder in which units lie side by side, and where JupyterLab begins.

    JupyterLab shows nothing outside that folder, and takes the path of `address` to lead into it.
    """
    text = (course.root / PAGE).read_text(encoding="utf-8")
    (folder / PAGE).parent.mkdir(parents=True, exist_ok=True)
    (folder / PAGE).write_text(text.replace("](../notebooks/", "](../"), encoding="utf-8")
