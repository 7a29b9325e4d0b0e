"""Print exercise × kind of probe: `python -m tests.probes [UNIT …]`."""

import sys
from pathlib import Path

from helpers.course import settings
from tests.probes import table

course = settings.find(Path(__file__).parent)
wrong = 0
for unit in sys.argv[1:] or course.units():
    found = list(table.tried(course, unit))
    wrong += sum(len(each.faults) for each in found)
    print(f"\n{unit}\n{table.shown(found)}", flush=True)
sys.exit(wrong > 0)
