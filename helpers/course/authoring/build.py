"""source/ → build/source/ (instructor) → notebooks/ (learner) and solutions/ (executed)."""

from __future__ import annotations

import math
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade
from tqdm import tqdm

from helpers import checks
from helpers.checks.engine.report import Report, findings_in
from helpers.course.authoring import contents, released, source
from helpers.course.authoring.nbgrade import Grader
from helpers.course.authoring.notebook import instructor
from helpers.course.settings import Course, CourseError

WIDGET = "application/vnd.jupyter.widget-view+json"
ASKED = re.compile(r"^check\.(\w+)\([^#]*?\bseed=", re.MULTILINE)  # as judge.py reads it


@dataclass(frozen=True)
class Built:
    """The three notebooks of a unit: with everything, as released, and solved without hidden tests.

    The solution has not been executed.
    """

    instructor: NotebookNode
    released: NotebookNode
    solution: NotebookNode


def build(course: Course, units: list[str], execute: bool = True) -> None:
    """Build `units` into build/source, notebooks and solutions; all of a unit or nothing of it.

    Args:
        execute: run the solutions; without it they are left as they are.

    Raises:
        CourseError: a source is refused, a solution does not run or loses points, or someone has
            worked in a notebook that would be overwritten.
    """
    if not course.published:
        print(
            "No Colab badge: owner, repository, release and wheel in [tool.course] are not all set."
        )
    contents.write(course)  # first, since the solutions show titles
    for unit in tqdm(units, desc="building", unit="unit"):
        name = Path(unit) / f"{unit}.ipynb"
        _spare_work(course.notebooks / name)
        with _workshop() as folder:
            made = make(course, unit, folder)
            if execute:
                start = time.perf_counter()
                run(unit, made.solution, folder)
                tqdm.write(f"{unit}: its solution ran in {time.perf_counter() - start:.0f} s")
        finished = {
            course.root / "build" / "source" / name: made.instructor,
            course.notebooks / name: made.released,
        }
        if execute:
            finished[course.solutions / name] = made.solution
        _write(finished)


def make(course: Course, unit: str, folder: Path) -> Built:
    """Write source/ and release/ of `unit` under `folder`, and its row in the gradebook there.

    Raises:
        CourseError: a source is refused, or gives other points for an exercise than its check.
    """
    cells = source.read(course.text(unit))
    if faults := list(_other_points(unit, cells)):
        raise CourseError("\n".join(f"{course.text(unit)}:{each}" for each in faults))
    notebook = instructor(cells, unit, course)
    _write({folder / "source" / unit / f"{unit}.ipynb": notebook})
    Grader(course, folder).release(unit)
    handed_out = nbformat.read(folder / "release" / unit / f"{unit}.ipynb", as_version=4)
    handed_out.metadata[released.KEY] = released.digests(handed_out)
    return Built(notebook, handed_out, _solution(notebook))


def _other_points(unit: str, cells: list[source.Cell]) -> Iterator[str]:
    """Name the exercises that have other points than their checks: right answers would lose some.

    Raises:
        CourseError: the course has no checks of the unit.
    """
    tests = [cell for cell in cells if cell.kind == "test"]
    asked = [(cell, found[1]) for cell in tests if (found := ASKED.search(cell.text))]
    try:
        known = checks.exercises(unit) if asked else {}
    except ImportError as error:
        raise CourseError(f"{unit} asks for checks that cannot be imported: {error}") from error
    for cell, name in asked:
        written = cell.keys["points"]
        if name not in known:
            yield f"{cell.line}: {unit} has no check.{name}, but {', '.join(known)}"
        elif not math.isclose(parts := known[name].points, written):
            yield (
                f'{cell.line}: test="{cell.name}" has points={written:g}, but the parts of its '
                f"check add up to {parts:g}; write points={parts:g}, or change the parts in "
                f"{checks.package(unit).replace('.', '/')}"
            )


def _spare_work(path: Path) -> None:
    """Refuse to overwrite a notebook that is no longer as it was released: work may be in it."""
    if not path.exists():
        return
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:
        raise CourseError(
            f"{path} is no notebook ({type(error).__name__}); move it away"
        ) from error
    if not released.untouched(notebook):
        raise CourseError(f"{path} has been worked in; move it away, then build again")


def drift(course: Course, units: list[str], execute: bool = False) -> list[str]:
    """What is committed but does not follow from the sources, a line each.

    Args:
        execute: also run the solutions and compare what they print and draw, byte by byte.
    """
    lines = []
    for unit in tqdm(units, desc="checking", unit="unit"):
        with _workshop() as folder:
            made = make(course, unit, folder)
            if execute:
                run(unit, made.solution, folder)
        lines += _drift(course.notebooks / unit / f"{unit}.ipynb", made.released, outputs=True)
        lines += _drift(course.solutions / unit / f"{unit}.ipynb", made.solution, execute)
    for folder in (course.notebooks, course.solutions):
        known = set(course.units())
        there = sorted(folder.glob("[!.]*"))
        lines += [f"{path}: has no source" for path in there if path.name not in known]
    return lines + contents.drift(course)


def _drift(path: Path, expected: NotebookNode, outputs: bool) -> list[str]:
    """A line if the notebook at `path` is missing or another one, with or without its outputs."""
    if not path.exists():
        return [f"{path}: missing"]
    try:
        found = nbformat.read(path, as_version=4)
    except Exception as error:
        return [f"{path}: no notebook ({type(error).__name__})"]
    if not outputs:
        code = [cell for cell in found.cells if cell.cell_type == "code" and cell.source.strip()]
        if any(cell.execution_count is None for cell in code):
            return [f"{path}: not executed"]
        _clear(found)
    same = nbformat.writes(found) == nbformat.writes(expected)
    return [] if same else [f"{path}: not what its source says"]


def _clear(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def _solution(notebook: NotebookNode) -> NotebookNode:
    """A copy without hidden tests and without the marks around the answers."""
    copy, _ = ClearHiddenTests().preprocess(nbformat.from_dict(notebook), {})
    for cell in copy.cells:
        lines = cell.source.split("\n")
        marks = source.MARKERS["solution"]
        cell.source = "\n".join(line for line in lines if line.strip() not in marks)
    return copy


def run(unit: str, notebook: NotebookNode, folder: Path) -> None:
    """Execute in place, and keep of the outputs only what is the same each time.

    Raises:
        CourseError: a cell fails or writes to stderr, or a check finds something wrong.
    """
    environment = os.environ | {
        "PYTHONHASHSEED": "0",
        "ORDER_MATTERS_PROFILE": "quick",
        "TQDM_DISABLE": "1",  # a progress bar says how long each step took
    }
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # how a text is split into messages is a matter of luck
        extra_arguments=["--log-level=ERROR"],  # it warns of its local connection each time
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute(env=environment)
    except (CellExecutionError, DeadKernelError) as error:
        raise CourseError(f"a solution does not run:\n{error}") from error
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [_stable(output, cell) for output in cell.outputs]
    if lost := list(_lost(unit, notebook)):
        raise CourseError("\n".join(lost))


def _lost(unit: str, solution: NotebookNode) -> Iterator[str]:
    """Say which checks of an executed solution have found something wrong in it."""
    for cell in solution.cells:
        if is_grade(cell) and cell.cell_type == "code":
            name = cell.metadata.nbgrader.grade_id.removesuffix("-test")
            report = Report(name, findings_in(cell.outputs))
            if not report.complete:
                yield f"{unit}: a solution loses points; mend it or its check\n{report}"


def _stable(output: Any, cell: NotebookNode) -> Any:
    """The output without widgets, whose ids are random, and with one form of each picture."""
    if output.output_type == "stream" and output.name == "stderr":
        raise CourseError(f"a solution writes to stderr: {output.text}\nin the cell\n{cell.source}")
    if "data" in output:
        output.data.pop(WIDGET, None)
        if "text/html" in output.data:  # has the picture, as SVG
            output.data.pop("image/png", None)
            output.metadata.pop("image/png", None)
    return output


@contextmanager
def _workshop() -> Iterator[Path]:
    """A folder that is gone afterwards, so that nothing half-written remains."""
    with tempfile.TemporaryDirectory(prefix="order-matters-") as folder:
        yield Path(folder)


def _write(notebooks: dict[Path, NotebookNode]) -> None:
    """Write them all beside their places, then put each in its place in one step.

    A file is the old one or the new one, never half of one; a full disk changes none.
    """
    beside = {path: path.with_suffix(".new") for path in notebooks}
    try:
        for path, notebook in notebooks.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside[path].write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
        for path, new in beside.items():
            new.replace(path)
    finally:
        for new in beside.values():
            new.unlink(missing_ok=True)
