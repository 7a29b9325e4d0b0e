"""`make demo`: build the notebooks, train two encoders, grade a synthetic class."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
from nbformat import NotebookNode

from helpers import checks, plots
from helpers.corpora import LagLanguage
from helpers.course import synthetic
from helpers.course.authoring import build
from helpers.course.settings import Course
from helpers.training.experiments import race

UNIT = "02-sinusoidal"
TYPICAL = (  # exercise and wrong version of six learners
    ("wavelengths", "wavelengths are frequencies"),
    ("table", "table halves concatenated"),
    ("table", "table base forgotten"),
    ("any_width", "width one column short"),
    ("shift", "shift rotates backwards"),
    ("module", "positions along the batch"),
)


def demo(course: Course, out: Path) -> int:
    """Run all three; 0 only if the perfect submission has full marks and the blank one none."""
    print("1. Building the notebooks from their sources")
    built = build.make(course, UNIT, out / "notebooks")
    print(f"   with solutions: {out / 'notebooks' / 'source'}")
    print(f"   as released: {out / 'notebooks' / 'release'}")

    print("\n2. Training on the lag-3 language: each token follows from the one three before it")
    picture = _race(out)

    print("\n3. Grading a synthetic class")
    from helpers.course.grading import grade  # which cannot be imported on Windows
    from helpers.course.grading import table as marks
    from helpers.course.pages import report
    from helpers.course.sandbox import bubblewrap

    for student, notebook in _class(built).items():
        target = out / "class" / student / UNIT / f"{UNIT}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)
    missing = bubblewrap.available()
    if missing:
        print(f"{missing}\nThis class is the course's own, so it is graded without.\n")
    table = grade.grade(course, out / "class", out / "graded", isolated=not missing)
    print(marks.as_text(table))
    print(f"\nreport: {report.write(course, out / 'graded')}")
    return _verdict(table, picture, out)


def _race(out: Path) -> Path:
    names, seeds = ("none", "sinusoidal"), (0, 1, 2)
    table = race(LagLanguage(), names, seeds, steps=1000, lengths=(24, 48))
    summary = table.groupby(["encoding", "length"])[["loss", "limit"]]
    print(summary.agg(["mean", "std"]).round(3).drop(columns=("limit", "std")))
    figure, ax = plt.subplots()
    plots.race(ax, table, "three seeds, trained at T = 24")
    path = out / "lag3.png"
    path.write_bytes(plots.png(figure))
    return path


def _class(built: build.Built) -> dict[str, NotebookNode]:
    notebooks = {"perfect": built.solution, "blank": built.released}
    exercises = checks.exercises(UNIT)
    for exercise, name in TYPICAL:
        mistake = next(m for m in exercises[exercise].mistakes if m.name == name)
        student = name.replace(" ", "-")
        notebooks[student] = synthetic.answered(built.solution, {exercise: mistake.answer})
    return notebooks


def _verdict(table: pd.DataFrame, picture: Path, out: Path) -> int:
    rows = table.set_index("student")
    full = rows.loc["perfect", "score"] == rows.loc["perfect", "max_score"] > 0
    none = rows.loc["blank", "score"] == 0 and rows.loc["blank", "status"] == "graded"
    print(f"\nfigure: {picture}\nmarks: {out / 'graded' / 'grades.csv'}")
    for page in sorted((out / "graded" / "feedback").glob("*/*/*.html")):
        print(f"feedback: {page}")
    print(f"perfect has full marks: {full}; blank has none: {none}")
    return 0 if full and none else 1
