"""Print exercise × saboteur: `python -m tests.saboteurs [UNIT …]`."""

import sys
from pathlib import Path

from helpers.course import settings
from tests.mutants import trial
from tests.saboteurs import table

course = settings.find(Path(__file__).parent)
wrong = 0
for unit in sys.argv[1:] or course.units():
    tried, found = [], []
    for solution in trial.solutions(course, unit):
        excused = table.harmless(unit).get(solution.exercise, [])
        rows = table.rows(solution.check.load(), solution.answer(), excused)
        tried += rows
        found += table.faults(rows, excused)
    wrong += len(found)
    print(f"\n{unit}\n{table.shown(tried)}", *found, sep="\n")
sys.exit(wrong > 0)
