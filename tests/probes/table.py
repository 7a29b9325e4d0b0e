"""Exercise × kind of probe: how many answers were tried, and which got the wrong marks.

A *mistake* must lose exactly its parts and get its own hint, a *right answer* keep all points. A
*mutant* of the solution and a *saboteur*, which breaks one thing of it, must lose points, unless a
file says why the text does not forbid it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from helpers.course.settings import Course
from tests.checks import variants
from tests.mutants import mutate, trial
from tests.saboteurs import table as saboteurs


@dataclass(frozen=True)
class Tried:
    """All probes of one kind at one exercise: their number, and a line for each fault."""

    exercise: str
    kind: str
    number: int
    faults: list[str]


def tried(course: Course, unit: str) -> Iterator[Tried]:
    """Try all probes of a unit."""
    equivalents = trial.equivalents(course, unit)
    harmless = trial.equivalents(course, unit, "saboteurs")
    right_answers = variants.of(unit)
    for solution in trial.solutions(course, unit):
        exercise, name = solution.check.load(), solution.exercise
        wrong = {m.name: trial.mistake_fault(exercise, m) for m in exercise.mistakes}
        yield Tried(name, "mistakes", len(wrong), _lines(name, wrong))
        right = {w.name: trial.variant_fault(exercise, w) for w in right_answers[name]}
        yield Tried(name, "right answers", len(right), _lines(name, right))
        equivalent = equivalents.get(name, set())
        mutants = mutate.mutants(solution.cell)
        found = trial.faults(solution, mutants, equivalent)
        yield Tried(name, "mutants", len(mutants), _named(name, found))
        excused = harmless.get(name, set())
        rows = saboteurs.rows(exercise, solution.answer(), excused)
        yield Tried(name, "saboteurs", len(rows), saboteurs.faults(rows, excused))


def _lines(exercise: str, faults: dict[str, str]) -> list[str]:
    return _named(exercise, [f"{name}: {fault}" for name, fault in faults.items() if fault])


def _named(exercise: str, faults: list[str]) -> list[str]:
    return [f"{exercise}: {fault}" for fault in faults]


def shown(found: list[Tried]) -> str:
    """Return the table and the faults in words."""
    rows = pd.DataFrame([(each.exercise, each.kind, each.number) for each in found])
    table = rows.pivot_table(index=0, columns=1, values=2, sort=False)
    table.loc["in all"] = table.sum()
    numbers = table.astype(int).rename_axis(index=None, columns=None).to_string()
    return "\n".join([numbers, *(fault for each in found for fault in each.faults)])
