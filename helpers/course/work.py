"""A learner's own copies of the units, in work/: made once, and renewed without losing a line.

Nobody works in notebooks/, so that what a newer release brings never meets what a learner wrote.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import shutil
from collections import defaultdict
from pathlib import Path

from nbformat import NotebookNode, v4

from helpers.course import settings
from helpers.course.authoring import notebook, published
from helpers.course.settings import Course, CourseError

BACKUP = "backup"  # folder in work/ with notebooks as they were before they were renewed


def main(course: Course, options: argparse.Namespace) -> None:
    """Run `course work`."""
    chosen = course.units(options.units)
    for unit in begin(course):
        print(f"{unit}: copied to {course.work / unit}")
    units = [unit for unit in outdated(course) if unit in chosen]
    for unit in units:
        print("\n  ".join([f"{unit}: renewed", *renew(course, unit)]))
    print("Reload what is open in JupyterLab." if units else "All copies are of this release.")


def begin(course: Course) -> list[str]:
    """Copy the units that are not in work/ yet; return their names. No file there is changed.

    Raises:
        CourseError: there is nothing to copy.
    """
    if not any(course.notebooks.glob("*/*.ipynb")):
        raise CourseError(f"{course.notebooks} holds no notebooks; make them with: course build")
    made = []
    for unit, mine, theirs in _pairs(course):
        if not mine.exists():
            settings.write(mine, theirs.read_bytes())
            made.append(unit)
    text = (course.root / published.GLOSSARY).read_text(encoding="utf-8")
    settings.write(course.work / published.GLOSSARY, text.replace("](../notebooks/", "](../"))
    return made


def outdated(course: Course) -> list[str]:
    """Return the units whose copies are not of the release in notebooks/, or cannot be read."""
    return [
        unit
        for unit, mine, theirs in _pairs(course)
        if mine.exists() and _stamp(mine) != _stamp(theirs)
    ]


def _stamp(path: Path) -> object:
    """Return which release a notebook is a copy of; None where it cannot be read."""
    try:
        return notebook.read(path).metadata.get(notebook.DIGESTS, {})
    except CourseError:
        return None


def _pairs(course: Course) -> list[tuple[str, Path, Path]]:
    """Return each unit that is released, with the paths of the learner's copy and the release."""
    names = [(unit, Path(unit) / f"{unit}.ipynb") for unit in course.units()]
    pairs = [(unit, course.work / name, course.notebooks / name) for unit, name in names]
    return [each for each in pairs if each[2].exists()]


def renew(course: Course, unit: str) -> list[str]:
    """Bring the newer release of a unit into work/; return what was done, a line each.

    What was there before lies in work/backup/ afterwards.

    Raises:
        CourseError: the copy is no notebook.
    """
    path = course.work / unit / f"{unit}.ipynb"
    release = notebook.read(course.notebooks / unit / path.name)
    renewed, lines = merged(notebook.read(path), release)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    backup = course.work / BACKUP / f"{unit}-{digest}.ipynb"
    backup.parent.mkdir(exist_ok=True)
    shutil.copy2(path, backup)
    notebook.write(path, renewed)
    return [*lines, f"as it was before: {backup}"]


def merged(mine: NotebookNode, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Return a release with all that a learner wrote in a copy of another, and what that was."""
    from helpers.course.intake import repair

    base = mine.metadata.get(notebook.DIGESTS)
    base = base if isinstance(base, dict) else notebook.digests(release)

    def written(cell: NotebookNode) -> bool:
        return base.get(cell.id) != notebook.digest(cell.source)

    graded = {c.metadata.nbgrader.grade_id: c for c in release.cells if "nbgrader" in c.metadata}
    locked = {cell.id for cell in graded.values() if cell.metadata.nbgrader.locked}
    by_name, _ = repair.matched(mine.cells, graded)
    by_id = {cell.id: cell for cell in mine.cells}
    found = {c.id: by_id[c.id] for c in release.cells if c.id in by_id and c.id not in graded}
    found |= {graded[name].id: cell for name, cell in by_name.items()}

    place = {id(cell): name for name, cell in found.items()}
    own: dict[str, list[NotebookNode]] = defaultdict(list)  # by the released cell before them
    before = ""
    for cell in mine.cells:
        before = place.get(id(cell), before)
        if id(cell) not in place and written(cell):
            own[before].append(cell)

    cells, answers, changed, others = [*own[""]], [], [], sum(map(len, own.values()))
    for released in release.cells:
        cell, theirs = copy.deepcopy(released), found.get(released.id, released)
        if written(theirs) and theirs is not released and released.id not in locked:
            cell.source = theirs.source
            if released.id in graded:
                answers.append(released.id)
                changed += [released.id] if written(released) else []
            else:
                others += 1
        if (theirs.source, theirs.cell_type) == (cell.source, cell.cell_type):
            shown = ("outputs", "execution_count", "attachments")
            cell.update({name: theirs[name] for name in shown if name in theirs})
        cells += [cell, *own[released.id]]
    for cell in cells:
        cell.metadata.pop("id", None)
    lines = {
        "your answers": ", ".join(answers),
        "cells of your own, or changed by you": others,
        "answers whose given lines have changed, to compare with notebooks/": ", ".join(changed),
    }
    merged = v4.new_notebook(cells=cells, metadata=release.metadata)
    return merged, [f"{what}: {each}" for what, each in lines.items() if each]
