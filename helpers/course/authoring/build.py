"""source/ → build/source/ (instructor) → notebooks/ (learner) and solutions/ (executed)."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode, from_dict
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade
from tqdm import tqdm

import helpers
from helpers.checks.engine.report import Report, findings_in
from helpers.course import settings
from helpers.course.authoring import check_call, contents, nbgrade, notebook, source
from helpers.course.authoring.check_call import Check
from helpers.course.settings import Course, CourseError

HELPERS = Path(helpers.__file__).parent
OTHERS = """\
`course` came with {}, and the checks in {} are others. In that folder,
write `python -m helpers.course` for `course`."""
WIDGET = "application/vnd.jupyter.widget-view+json"
# Every viewer shows a PNG that stands alone. Beside HTML it may not be looked at: viewers made of
# nbconvert prefer that, and some, as GitHub, then take scripts and addresses of SVG images out of
# it. All pass over a type that they do not know, under which Altair, too, stores a chart beside its
# PNG. So the HTML, whose picture is an SVG, is kept under this one, for the site.
FIGURE_HTML = "application/vnd.order-matters.figure"
NO_BADGE = "No Colab badge: owner, repository, release and wheel in [tool.course] are not all set."
QUIET = {  # what a solution shows is the same each time
    "PYTHONHASHSEED": "0",
    "ORDER_MATTERS_PROFILE": "quick",
    "TQDM_DISABLE": "1",  # a progress bar says how long each step took
}


@dataclass(frozen=True)
class Built:
    """The three notebooks of a unit: with everything, as released, and solved without hidden tests.

    The solution has not been executed.

    Args:
        checks: what its graded code cells ask, by grade_id.
    """

    instructor: NotebookNode
    released: NotebookNode
    solution: NotebookNode
    checks: dict[str, Check]

    @cached_property
    def digest(self) -> str:
        """A digest of all that decides about marks."""
        return hashlib.sha256(repr((self.released.cells, self.checks)).encode()).hexdigest()


def main(course: Course, options: argparse.Namespace) -> int:
    """Run `course build`; return 1 where --check finds something."""
    units = course.units(options.units)
    if not options.check:
        build(course, units, execute=not options.no_execute)
        return 0
    drifted = drift(course, units)
    remedy = "Run `make build` and commit what it changes." if drifted else "no drift"
    print(*drifted, remedy, sep="\n")
    return int(bool(drifted))


def build(course: Course, units: list[str], execute: bool = True) -> None:
    """Build `units` into build/source, notebooks and solutions, and what follows from all sources.

    Args:
        execute: run the solutions; without it they are left as they are.

    Raises:
        CourseError: a source is refused, a solution does not run or loses points, or someone has
            worked in a notebook that would be overwritten. Nothing of this unit is written.
    """
    if not course.published:
        print(NO_BADGE)
    # First, since the solutions import the checks and show titles.
    for path, text in contents.written(course).items():
        settings.write(path, text)
    for unit in tqdm(units, desc="building", unit="unit"):
        path = course.notebooks / unit / f"{unit}.ipynb"
        if path.exists() and not notebook.untouched(notebook.read(path)):
            raise CourseError(f"{path} has been worked in; move it away, then build again")
        with tempfile.TemporaryDirectory(prefix="order-matters-") as folder:
            made = make(course, unit, Path(folder))
            if execute:
                start = time.perf_counter()
                run(unit, made.solution, Path(folder))
                tqdm.write(f"{unit}: its solution ran in {time.perf_counter() - start:.0f} s")
        notebook.write(course.root / "build" / "source" / unit / path.name, made.instructor)
        notebook.write(path, made.released)
        if execute:
            notebook.write(course.solutions / unit / path.name, made.solution)


def digest(folder: Path) -> str:
    """Return a digest of helpers: the modules, and the hints beside them."""
    files = sorted(each for each in folder.rglob("*") if each.suffix in (".py", ".toml"))
    return hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()


def make(course: Course, unit: str, folder: Path) -> Built:
    """Write source/ and release/ of `unit` under `folder`.

    Raises:
        CourseError: a source is refused, or gives other points for an exercise than its check;
            or the checks of the checkout are not those that run.
    """
    own = course.root / HELPERS.name
    if (own / "__init__.py").exists() and digest(own) != digest(HELPERS):
        raise CourseError(OTHERS.format(HELPERS.parent, course.root))
    cells = source.read(course.text(unit))
    checks, faults = _checks(unit, cells)
    if faults:
        raise CourseError("\n".join(f"{course.text(unit)}:{each}" for each in faults))
    complete = notebook.instructor(cells, unit, course)
    released = nbgrade.release(complete, nbgrade.settings(course))
    released.metadata[notebook.DIGESTS] = notebook.digests(released)
    notebook.write(folder / "source" / unit / f"{unit}.ipynb", complete)
    notebook.write(folder / "release" / unit / f"{unit}.ipynb", released)
    solution, _ = ClearHiddenTests().preprocess(from_dict(complete), {})
    for cell in solution.cells:
        lines = cell.source.split("\n")
        marks = source.MARKERS["solution"]
        cell.source = "\n".join(line for line in lines if line.strip() not in marks)
    return Built(complete, released, solution, checks)


def _checks(unit: str, cells: list[source.Cell]) -> tuple[dict[str, Check], list[str]]:
    """Return the checks by grade_id, and which cells are none or have other points than theirs."""
    checks, faults = {}, []
    for cell in [cell for cell in cells if cell.kind == "test"]:
        try:
            checks[f"{cell.name}-test"] = check = check_call.read(unit, cell.text)
            parts, written = check.load().points, cell.keys["points"]
        except CourseError as error:
            faults.append(f'{cell.line}: test="{cell.name}": {error}')
            continue
        if not math.isclose(parts, written):
            faults.append(
                f'{cell.line}: test="{cell.name}" has points={written:g}, but the parts of its '
                f"check add up to {parts:g}; write points={parts:g}, or change the parts in "
                f"{check.module.replace('.', '/')}"
            )
    return checks, faults


def drift(course: Course, units: list[str]) -> list[str]:
    """Return what is committed but does not follow from the sources, a line each.

    What solutions print and draw is not looked at.

    Raises:
        CourseError: a source is refused, or what is committed is no notebook.
    """
    lines = []
    for unit in tqdm(units, desc="checking", unit="unit"):
        with tempfile.TemporaryDirectory(prefix="order-matters-") as workshop:
            made = make(course, unit, Path(workshop))
        lines += _drift(course.notebooks / unit / f"{unit}.ipynb", made.released)
        lines += _drift(course.solutions / unit / f"{unit}.ipynb", made.solution, executed=True)
    known = course.units()
    for folder in (course.notebooks, course.solutions):
        there = sorted(folder.glob("[!.]*"))
        lines += [f"{path}: has no source" for path in there if path.name not in known]
    lines += [
        f"{path}: not what the sources say"
        for path, text in contents.written(course).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    return lines


def _drift(path: Path, expected: NotebookNode, executed: bool = False) -> list[str]:
    """Return a line if the notebook at `path` is another one; outputs of an executed one may be."""
    if not path.exists():
        return [f"{path}: missing"]
    found = notebook.read(path)
    code = [cell for cell in found.cells if cell.cell_type == "code"]
    if executed:
        if any(cell.execution_count is None for cell in code if cell.source.strip()):
            return [f"{path}: not executed"]
        for cell in code:
            cell.outputs, cell.execution_count = [], None
    same = nbformat.writes(found) == nbformat.writes(expected)
    return [] if same else [f"{path}: not what its source says"]


def run(unit: str, solution: NotebookNode, folder: Path) -> None:
    """Execute in place, and keep of the outputs only what is the same each time.

    Raises:
        CourseError: a cell fails or writes to stderr, or a check finds something wrong.
    """
    client = NotebookClient(
        solution,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # how a text is split into messages is a matter of luck
        extra_arguments=["--log-level=ERROR"],  # it warns of its local connection each time
        resources={"metadata": {"path": str(folder)}},
    )
    places = [str(HELPERS.parent), os.environ.get("PYTHONPATH", "")]  # the helpers that run here
    mine = {"PYTHONPATH": os.pathsep.join(filter(None, places))}
    try:
        client.execute(env=os.environ | QUIET | mine)
    except (CellExecutionError, DeadKernelError) as error:
        raise CourseError(f"a solution does not run:\n{strip_ansi(str(error))}") from error
    solution.metadata.pop("widgets", None)
    solution.metadata["language_info"] = {"name": "python"}
    lost = []
    for cell in [cell for cell in solution.cells if cell.cell_type == "code"]:
        cell.outputs = [_stable(output, cell) for output in cell.outputs]
        if is_grade(cell):
            name = cell.metadata.nbgrader.grade_id.removesuffix("-test")
            report = Report(name, findings_in(cell.outputs))
            lost += [] if report.complete else [str(report)]
    if lost:
        raise CourseError(
            "\n".join([f"{unit}: a solution loses points; mend it or its check", *lost])
        )


def _stable(output: Any, cell: NotebookNode) -> Any:
    """Return the output without widgets, whose ids are random, and with figures as PNG.

    Raises:
        CourseError: it is one of stderr.
    """
    if output.output_type == "stream" and output.name == "stderr":
        raise CourseError(f"a solution writes to stderr: {output.text}\nin the cell\n{cell.source}")
    if "data" in output:
        output.data.pop(WIDGET, None)
        if {"image/png", "text/html"} <= output.data.keys():
            output.data[FIGURE_HTML] = output.data.pop("text/html")
    return output
