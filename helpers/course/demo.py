"""`course demo`: build the notebooks, train two encoders, grade a synthetic class."""

from __future__ import annotations

import argparse
import ast
import copy
from collections.abc import Mapping
from pathlib import Path

import matplotlib.pyplot as plt
from nbformat import NotebookNode

from helpers import checks, plots
from helpers.checks.engine import Written
from helpers.corpora import LagLanguage
from helpers.course.authoring import build, notebook
from helpers.course.authoring.source import TRAINING
from helpers.course.settings import Course
from helpers.training.experiments import race

UNIT = "02-sinusoidal"
TYPICAL = (  # exercise and wrong version of six learners
    ("wavelengths", "are frequencies"),
    ("table", "halves concatenated"),
    ("table", "base forgotten"),
    ("any_width", "one column short"),
    ("shift", "rotates backwards"),
    ("module", "positions along the batch"),
)


def main(course: Course, options: argparse.Namespace) -> int:
    """Run all three; return 0 only if the perfect submission has all points and the blank none."""
    out = options.out
    print("1. Building the notebooks from their sources")
    built = build.make(course, UNIT, out / "notebooks")
    print(f"   with solutions: {out / 'notebooks' / 'source'}")
    print(f"   as released: {out / 'notebooks' / 'release'}")

    print("\n2. Training on the lag-3 language: each token follows from the one three before it")
    _race(out / "lag3.png")

    print("\n3. Grading a synthetic class")
    from helpers.course import report
    from helpers.course.grading import grade, journal  # which Windows cannot import
    from helpers.course.sandbox import bubblewrap

    notebooks = {"perfect": built.solution, "blank": built.released}
    for exercise, name in TYPICAL:
        mistakes = checks.exercises(UNIT)[exercise].mistakes
        answer = next(each for each in mistakes if each.name == name)
        learner = name.replace(" ", "-")
        notebooks[learner] = answered(built.solution, {exercise: answer})
    for learner, handed_in in notebooks.items():
        notebook.write(out / "class" / learner / UNIT / f"{UNIT}.ipynb", handed_in)
    if missing := bubblewrap.available():
        print(f"{missing}\nThis class is the course's own, so it is graded without.\n")
    table = grade.grade(course, out / "class", out / "graded", isolated=not missing)
    print(journal.as_text(table))
    print(f"\nreport: {report.write(course, out / 'graded', table)}")
    print(f"marks: {out / 'graded' / 'grades.csv'}\nfeedback: {out / 'graded' / 'feedback'}")
    rows = table.set_index("student")
    full = rows.loc["perfect", "score"] == rows.loc["perfect", "max_score"] > 0
    none = rows.loc["blank", "score"] == 0 and rows.loc["blank", "status"] == "graded"
    print(f"perfect has full marks: {full}; blank has none: {none}")
    return int(not (full and none))


def answered(solution: NotebookNode, answers: Mapping[str, Written]) -> NotebookNode:
    """Return the solution with some answers replaced, without the cells that train a model.

    Nothing graded depends on those cells, and a learner may delete them too.
    """
    notebook = copy.deepcopy(solution)
    notebook.cells = [c for c in notebook.cells if TRAINING not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in answers:
            body = ast.parse(cell.source).body
            wanted = next(n.name for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef))
            answer = answers[name]
            same = "" if wanted == answer.defines else f"\n{wanted} = {answer.defines}"
            cell.source = answer.text + same
    return notebook


def _race(path: Path) -> None:
    """Train with and without an encoding, print the losses, and draw them into PATH."""
    names, seeds = ("none", "sinusoidal"), (0, 1, 2)
    table = race(LagLanguage(), names, seeds, steps=1000, lengths=(24, 48))
    summary = table.groupby(["encoding", "length"])[["loss", "limit"]]
    print(summary.agg(["mean", "std"]).round(3).drop(columns=("limit", "std")))
    figure, ax = plt.subplots()
    plots.race(ax, table, "three seeds, trained at T = 24")
    path.write_bytes(plots.png(figure))
    print(f"   figure: {path}")
