"""A learner's own copies of the units, in work/: made once, and renewed without losing a line.

Nobody works in notebooks/, so that what a newer release brings never meets what a learner wrote.
"""

from __future__ import annotations

import copy
import hashlib
import shutil
from collections import defaultdict
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from helpers.course.authoring import glossary, released
from helpers.course.settings import Course, CourseError

BACKUP = "backup"  # folder in work/ with notebooks as they were before they were renewed


def begin(course: Course) -> list[str]:
    """Copy the units that are not in work/ yet, and name them; a notebook that is there is kept.

    Raises:
        CourseError: there is nothing to copy.
    """
    if not any(course.notebooks.glob("*/*.ipynb")):
        raise CourseError(f"{course.notebooks} holds no notebooks; make them with: course build")
    made = []
    for unit in _units(course):
        mine = _mine(course, unit)
        if not mine.exists():
            mine.parent.mkdir(parents=True, exist_ok=True)
            half = mine.with_suffix(".new")
            shutil.copyfile(_theirs(course, unit), half)
            half.replace(mine)
            made.append(unit)
    glossary.copy(course, course.work)
    return made


def outdated(course: Course) -> list[str]:
    """Units in work/ whose copies are not of the release in notebooks/, or cannot be read."""
    return [
        unit
        for unit in _units(course)
        if (mine := _mine(course, unit)).exists() and _stamp(mine) != _stamp(_theirs(course, unit))
    ]


def _stamp(path: Path) -> object:
    """Which release a notebook is a copy of; None where it cannot be read."""
    try:
        return _read(path).metadata.get(released.KEY, {})
    except CourseError:
        return None


def renew(course: Course, unit: str) -> list[str]:
    """Bring the newer release of a unit into work/; what was done, a line each.

    What was there before lies in work/backup/ afterwards.

    Raises:
        CourseError: the copy is no notebook.
    """
    path = _mine(course, unit)
    notebook, told = renewed(_read(path), _read(_theirs(course, unit)))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    backup = course.work / BACKUP / f"{unit}-{digest}.ipynb"
    backup.parent.mkdir(exist_ok=True)
    shutil.copy2(path, backup)
    half = path.with_suffix(".new")
    nbformat.write(notebook, half)
    half.replace(path)
    return [*told, f"as it was before: {backup}"]


def renewed(mine: NotebookNode, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """A release with all that a learner wrote in the copy of another one, and what that was."""
    from helpers.course.intake import repair

    graded = {c.metadata.nbgrader.grade_id: c for c in release.cells if "nbgrader" in c.metadata}
    found, _ = repair.matched(mine.cells, graded)
    by_id = {cell.id: cell for cell in mine.cells}
    plain = {c.id: by_id[c.id] for c in release.cells if c.id in by_id and c.id not in graded}
    pairs = {graded[name].id: cell for name, cell in found.items()} | plain
    place = {id(cell): name for name, cell in pairs.items()}

    given = mine.metadata.get(released.KEY)
    given = given if isinstance(given, dict) else released.digests(release)
    own: dict[str, list[NotebookNode]] = defaultdict(list)  # by the released cell before them
    before = ""
    for cell in mine.cells:
        before = place.get(id(cell), before)
        if id(cell) not in place and _written(cell, given):
            own[before].append(cell)

    cells, told = list(own[""]), _told(release, pairs, own, given)
    for cell in release.cells:
        cells += [_filled(cell, pairs.get(cell.id), given), *own[cell.id]]
    for cell in cells:
        cell.metadata.pop("id", None)
    return nbformat.v4.new_notebook(cells=cells, metadata=release.metadata), told


def _written(cell: NotebookNode, given: dict[str, str]) -> bool:
    """Whether the learner wrote something in a cell, or all of it."""
    return given.get(cell.id) != released.digest(cell.source)


def _locked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("locked"))


def _filled(cell: NotebookNode, mine: NotebookNode | None, given: dict[str, str]) -> NotebookNode:
    """A cell of the release with what the learner wrote there, and what it showed."""
    cell = copy.deepcopy(cell)
    if mine is None:
        return cell
    if not _locked(cell) and _written(mine, given):
        cell.source = mine.source
        if "attachments" in mine and cell.cell_type == "markdown":
            cell.attachments = mine.attachments
    if cell.cell_type == mine.cell_type == "code" and cell.source == mine.source:
        cell.outputs, cell.execution_count = mine.outputs, mine.execution_count
    return cell


def _told(
    release: NotebookNode,
    pairs: dict[str, NotebookNode],
    own: dict[str, list[NotebookNode]],
    given: dict[str, str],
) -> list[str]:
    """What was taken over, and what the learner should look at, a line each."""
    kept = [c for c in release.cells if c.id in pairs and _written(pairs[c.id], given)]
    answers = [c.id for c in kept if "nbgrader" in c.metadata and not _locked(c)]
    checks = [c.id for c in kept if _locked(c)]
    changed = [c.id for c in kept if c.id in answers and _written(c, given)]
    ours = sum(map(len, own.values()))
    lines = {
        "your answers": ", ".join(answers),
        "given cells that you changed": len(kept) - len(answers) - len(checks),
        "cells of your own": ours,
        "checks that were changed, put back": ", ".join(checks),
        "answers whose given lines have changed, to compare with notebooks/": ", ".join(changed),
    }
    return [f"{what}: {each}" for what, each in lines.items() if each]


def _units(course: Course) -> list[str]:
    return [unit for unit in course.units() if _theirs(course, unit).exists()]


def _mine(course: Course, unit: str) -> Path:
    return course.work / unit / f"{unit}.ipynb"


def _theirs(course: Course, unit: str) -> Path:
    return course.notebooks / unit / f"{unit}.ipynb"


def _read(path: Path) -> NotebookNode:
    """A notebook, each cell with the id that it was released with.

    Raises:
        CourseError: it is none.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # whatever is in the file
        raise CourseError(
            f"{path} is no notebook ({type(error).__name__}); move it away"
        ) from error
    for cell in notebook.cells:  # Colab puts the id elsewhere
        cell.id = str(cell.metadata.get("id") or cell.get("id", ""))
    return notebook
