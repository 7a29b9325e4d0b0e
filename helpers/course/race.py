"""The command `course race`: an encoding of one's own beside none, RoPE and the best so far."""

from __future__ import annotations

import argparse

from helpers.course.settings import Course, CourseError
from helpers.race import FULL, QUICK, EntrantError, race


def main(_course: Course, options: argparse.Namespace) -> None:
    """Run the race and say where the card is."""
    budget = FULL if options.full else QUICK
    try:
        card = race(options.encoding, budget, options.out)
    except EntrantError as error:
        raise CourseError(str(error)) from error
    print(*(f"card: {options.out / card.name}.{kind}" for kind in ("html", "md", "json")), sep="\n")
