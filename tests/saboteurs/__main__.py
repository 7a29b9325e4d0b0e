"""Print exercise × saboteur: `python -m tests.saboteurs [UNIT …]`."""

import sys
from pathlib import Path

from helpers.course import settings
from tests.saboteurs import table

course = settings.find(Path(__file__).parent)
wrong = 0
for unit in sys.argv[1:] or course.units():
    tried = list(table.rows(course, unit))
    found = table.faults(tried, unit)
    wrong += len(found)
    print(f"\n{unit}\n{table.shown(tried)}", *found, sep="\n")
sys.exit(wrong > 0)
