"""Print exercise × kind of probe, and what got the wrong marks: `python -m tests.probes [UNIT …]`.

A *mistake* must lose exactly its parts and get its own hint, a *right answer* keep all points. A
*mutant* of the solution and a *saboteur*, which breaks one thing of it, must lose points, unless a
file says why the text does not forbid it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from helpers.course import settings
from helpers.course.settings import Course
from tests.checks import variants
from tests.probes import mutate, trial


def probes(course: Course, unit: str) -> Iterator[tuple[str, str, int, list[str]]]:
    """Yield exercise, kind, how many answers were tried, and a line for each fault."""
    for solution in trial.solutions(course, unit):
        exercise, name = solution.check.load(), solution.exercise
        wrong = {each.name: trial.mistake_fault(exercise, each) for each in exercise.mistakes}
        yield name, "mistakes", len(wrong), [f"{n}: {fault}" for n, fault in wrong.items() if fault]
        answers = variants.of(unit)[name]
        right = {each.name: trial.variant_fault(exercise, each) for each in answers}
        told = [f"{n}: {fault}" for n, fault in right.items() if fault]
        yield name, "right answers", len(right), told
        mutants, equivalent = mutate.mutants(solution.cell), trial.equivalents(course, unit)
        told = trial.faults(solution, mutants, equivalent.get(name, set()))
        yield name, "mutants", len(mutants), told
        sabotaged = trial.sabotaged(exercise, solution.answer())
        excused = trial.equivalents(course, unit, "saboteurs").get(name, set())
        yield name, "saboteurs", len(sabotaged), trial.holes(sabotaged, excused)


def main(units: list[str]) -> int:
    """Print a table for each unit, or for all; 0 where every answer gets its marks."""
    course, wrong = settings.find(Path(__file__).parent), 0
    for unit in units or course.units():
        found = list(probes(course, unit))
        numbers = pd.DataFrame([each[:3] for each in found]).pivot_table(2, 0, 1, sort=False)
        numbers.loc["in all"] = numbers.sum()
        shown = numbers.astype(int).rename_axis(index=None, columns=None).to_string()
        faults = [f"{name}: {fault}" for name, *_, told in found for fault in told]
        print(f"\n{unit}", shown, *faults, sep="\n", flush=True)
        wrong += len(faults)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
