"""What a learner's kernel knows beside an answer: how far one is, and whether the newest cell ran.

It is told to the learner alone. Grading judges in another process, and asks nothing of this.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from helpers.checks.engine.report import Report, points

if TYPE_CHECKING:
    from helpers.checks.engine.exercise import Exercise

NOTICE = (
    "The newest cell that defines {} has a syntax error, so Python did not run it. This report "
    "is on the version before it: correct that cell, run it, and check again."
)

_best: dict[str, dict[str, float]] = {}  # points by unit and exercise, since the kernel began


def package(unit: str) -> str:
    """Name of the package that checks a unit, as 02-sinusoidal."""
    above = __name__.removesuffix(".engine.session")
    return f"{above}.{unit.split('-', 1)[1].replace('-', '_')}"


@lru_cache(maxsize=1)
def _contents() -> dict[str, Any]:
    """What `course build` has written of each unit, by its name."""
    text = resources.files(__package__).joinpath("contents.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def noted(report: Report, exercise: Exercise, answer: Any) -> Report:
    """The report with the exercise's title, the points of the unit so far, and a notice."""
    notice = NOTICE.format(name) if (name := _unread(answer)) else ""
    unit = next(
        (each for each in _contents() if exercise.module.startswith(f"{package(each)}.")), ""
    )
    if not unit:
        return replace(report, notice=notice)
    told, best = _contents()[unit], _best.setdefault(unit, {})
    best[report.exercise] = max(report.earned, best.get(report.exercise, 0))
    so_far = f"This unit so far: {sum(best.values()):g} of {points(told['points'])}"
    if told["by_hand"]:
        so_far += f"; {told['by_hand']:g} of them are given by a person"
    title = told["titles"].get(report.exercise, "")
    return replace(report, title=title, notice=notice, so_far=so_far)


def _unread(answer: Any) -> str:
    """The name of the answer, where the newest cell that defines it is no Python; else nothing."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    if find is None or (shell := find()) is None:
        return ""
    cells = [str(each) for each in reversed(shell.user_ns.get("In", []))]
    for name in (n for n, v in shell.user_ns.items() if v is answer and not n.startswith("_")):
        word = re.escape(name)
        defined = rf"(?:def|class) +{word}\b"
        # A cell with a magic command holds its lines in a string, so they are looked for anywhere.
        may = rf"{defined}|\b{word}\s*[:=]|import .*(?:\b{word}\b|\*)|magic\('run'"
        does = rf"^(?:async )?{defined}|^{word} *=[^=]"
        newest = next((cell for cell in cells if re.search(may, cell)), "")
        if re.search(does, newest, re.MULTILINE) and not _is_python(newest):
            return name
    return ""


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
