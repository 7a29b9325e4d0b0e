"""Try every known mistake, every right answer in other words, and all generated mutants.

`python -m tests.mutants 02-sinusoidal` tries one unit, without a name all of them.
"""

import sys
from pathlib import Path

from helpers.course import settings
from tests.mutants import trial

course = settings.find(Path(__file__).parent)
sys.exit(trial.report(course, sys.argv[1:] or course.units()) > 0)
