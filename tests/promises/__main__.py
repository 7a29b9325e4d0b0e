"""Print exercise → promises → cases: `python -m tests.promises [UNIT …]`."""

import sys
from pathlib import Path

from helpers.course import settings
from tests.promises import table

course = settings.find(Path(__file__).parent)
units = sys.argv[1:] or course.units()
print(*(table.shown(course, unit) for unit in units), sep="\n")
found = [fault for unit in units for fault in table.faults(course, unit)]
print(*found, sep="\n")
sys.exit(bool(found))
