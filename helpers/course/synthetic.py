"""Synthetic submissions: solved notebooks in which some answers are replaced by usual mistakes.

The demo grades a small class of them, the tests a large one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from nbformat import NotebookNode

from helpers.checks.engine import Written
from helpers.course.authoring.source import TRAINING


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
