"""Grading a class: `course grade` beside the stock command of nbgrader, and otter-grader.

One run, the same notebooks, the same cores, a unit that imports torch. What counts is what one more
submission costs in a class: `course grade` on three hundred, the slope of time over submissions;
`nbgrader autograde` on twenty, before and after (a machine is not always as fast); `otter run` on a
few. Then the time to the first marks, and memory along the way.
Prints the targets and whether they are met; writes grading.json and .txt.
"""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import psutil
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from tqdm import tqdm

from helpers import results
from helpers.course import demo, settings
from helpers.course.authoring import build
from helpers.course.authoring.build import Built
from helpers.course.authoring.nbgrade import gradebook
from helpers.course.authoring.source import TRAINING
from helpers.course.grading import journal
from tests.checks import variants

UNIT = "02-sinusoidal"
FEW, MANY, BY_OTTER = 20, 300, 4
OTTER = Path("build/otter")  # its packages, which nothing else here needs
GRADE = [str(Path(sys.executable).with_name("course")), "grade"]
COURSE = settings.find(Path(__file__).parent)


def people(built: Built) -> list[NotebookNode]:
    """Honest submissions: perfect, blank, every mistake and every variant once.

    Without the cells that train, for which the others would wait. They run the rest of the lesson;
    `course grade` leaves out the cells that draw or show something, by their tags.
    """
    answers = [{}, *variants.mistaken(UNIT), *variants.in_submissions(UNIT)]
    solved = [demo.answered(built.solution, each) for each in answers]
    found = copy.deepcopy([built.released, *solved])
    for notebook in found:
        notebook.cells = [c for c in notebook.cells if TRAINING not in c.metadata.get("tags", [])]
    return found


def hand_in(notebooks: list[NotebookNode], number: int, folder: Path, unit: str = "") -> Path:
    """A class of `number` in a unit, `UNIT` by default, in nbgrader's tree."""
    unit = unit or UNIT
    for student, notebook in zip(range(number), cycle(notebooks), strict=False):
        path = folder / "submitted" / f"s{student:03}" / unit / f"{unit}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    return folder / "submitted"


def run(command: list[str], folder: Path, **environment: str) -> float:
    """Seconds of a command."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return time.perf_counter() - start


def stock(built: Built, notebooks: list[NotebookNode], folder: Path) -> float:
    """Seconds of `nbgrader autograde`, with nbgrader's own settings but for longer cells."""
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'order-matters'\n"
        "c.ExecutePreprocessor.timeout = 120\n"
    )
    source = folder / "source" / UNIT
    source.mkdir(parents=True)
    nbformat.write(built.instructor, source / f"{UNIT}.ipynb")
    hand_in(notebooks, FEW, folder)
    nbgrader = [sys.executable, "-m", "nbgrader"]
    run([*nbgrader, "generate_assignment", UNIT], folder)
    return run([*nbgrader, "autograde", UNIT], folder)


def marks(folder: Path) -> dict[str, float]:
    """Points by student in the gradebook of `folder`."""
    with Gradebook(gradebook(folder), "order-matters") as book:
        return {each.student.id: each.score for each in book.assignment_submissions(UNIT)}


def otter(built: Built, notebooks: list[NotebookNode], folder: Path) -> float:
    """Seconds of `otter run` without a container, per submission."""
    if not OTTER.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(OTTER)]
        run([*pip, "otter-grader==7.*"], COURSE.root)
    (folder / "out").mkdir(parents=True)
    tests = folder / "tests"
    tests.mkdir()
    for name, test in built.checks.items():
        call = f">>> check.{test.exercise}({test.answer}, seed={test.seed}).complete\nTrue"
        suite = {"cases": [{"code": call, "hidden": True}], "scored": True, "type": "doctest"}
        told = {"name": name, "points": test.load().points, "suites": [suite]}
        (tests / f"{name.replace('-', '_')}.py").write_text(f"OK_FORMAT = True\ntest = {told!r}\n")
    there = {"PYTHONPATH": f"{OTTER.resolve()}:{COURSE.root}"}
    command = [sys.executable, "-m", "otter"]
    run(
        [*command, "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"],
        folder,
        **there,
    )
    seconds = 0.0
    for number, notebook in enumerate(notebooks[:BY_OTTER]):
        file = folder / f"{number}.ipynb"
        nbformat.write(notebook, file)
        seconds += run(
            [*command, "run", "-a", "autograder.zip", "-o", "out", file.name], folder, **there
        )
    return seconds / BY_OTTER


def along(submissions: Path, out: Path) -> pd.DataFrame:
    """Notebooks graded and bytes held at each moment of one run of `course grade`."""
    start, rows = time.perf_counter(), []
    with subprocess.Popen(
        [*GRADE, str(submissions), "--out", str(out)],
        cwd=COURSE.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        held = psutil.Process(running.pid)
        while running.poll() is None:
            graded = len(journal.graded(out))
            try:
                held_now = held.memory_info().rss
            except psutil.NoSuchProcess:
                break
            rows.append({"second": time.perf_counter() - start, "n": graded, "bytes": held_now})
            time.sleep(0.2)
    if running.returncode:
        raise SystemExit("course grade failed")
    return pd.DataFrame(rows)


def main() -> None:
    """Measure, print and store."""
    rows: list[dict[str, Any]] = []
    lines: list[str] = []

    def say(met: bool, text: str) -> None:
        lines.append(f"{'met   ' if met else 'missed'} {text}")

    with tempfile.TemporaryDirectory() as name, tqdm(total=4, desc="grading") as bar:
        folder = Path(name)
        built = build.make(COURSE, UNIT, folder / "made")
        notebooks = people(built)
        run_of_many = pd.DataFrame()

        def many() -> float:
            nonlocal run_of_many
            run_of_many = along(hand_in(notebooks, MANY, folder / "many"), folder / "graded")
            return _pace(run_of_many, 10, MANY)

        steps: list[tuple[str, Callable[[], float]]] = [
            ("nbgrader autograde", lambda: stock(built, notebooks, folder / "before") / FEW),
            ("course grade", many),
            ("otter run", lambda: otter(built, notebooks[1:], folder / "otter")),
            ("nbgrader autograde", lambda: stock(built, notebooks, folder / "after") / FEW),
        ]
        for tool, step in steps:
            rows.append({"tool": tool, "seconds per submission": step()})
            bar.update()
        took = pd.DataFrame(rows).groupby("tool")["seconds per submission"].mean()
        for tool, least in (("nbgrader autograde", 10), ("otter run", 13)):
            ratio = took[tool] / took["course grade"]
            say(ratio >= least, f"{ratio:.1f} × {tool}, one more submission (at least {least})")
        theirs, here = marks(folder / "before"), marks(folder / "graded")
        same = theirs == {student: here[student] for student in theirs}
        say(same, f"the marks of {FEW} honest submissions are those of nbgrader's command")
    first = float(run_of_many[run_of_many.n > 0].second.min())
    say(first <= 10, f"first marks after {first:.1f} s (at most 10)")
    halves = [_pace(run_of_many, *half) for half in ((10, MANY // 2), (MANY // 2, MANY))]
    rows += [
        {"tool": f"course grade, half {n} of {MANY}", "seconds per submission": pace}
        for n, pace in enumerate(halves, 1)
    ]
    growth = halves[1] / halves[0] - 1
    say(
        abs(growth) <= 0.05,
        f"{halves[0]:.2f} s each in the first half of {MANY}, "
        f"{halves[1]:.2f} in the second ({growth:+.0%}; at most ±5 %)",
    )
    early, late = (float(run_of_many[run_of_many.n >= n].bytes.iloc[0]) for n in (30, MANY - 5))
    say(
        late <= 1.1 * early,
        f"{early / 2**20:.0f} MiB held after 30 submissions, "
        f"{late / 2**20:.0f} after {MANY - 5} (at most 10 % more)",
    )
    path = results.save("grading", pd.DataFrame(rows), "make bench")
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(pd.DataFrame(rows).round(2).to_string(index=False), "\n", *lines, sep="\n")


def _pace(rows: pd.DataFrame, begin: int, end: int) -> float:
    """Seconds per submission between two numbers of them, by a straight line."""
    part = rows[(rows.n >= begin) & (rows.n < end)]
    return float(np.polyfit(part.n, part.second, 1)[0])


if __name__ == "__main__":
    main()
