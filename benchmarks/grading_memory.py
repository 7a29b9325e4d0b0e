"""What the grader holds in memory along a class of 150, in a small unit: `course grade` in one run.

Prints the bytes held when 10, 50, 100 and 150 notebooks were graded; writes grading_memory.json.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.grading import COURSE, along, hand_in
from helpers import results
from helpers.course.authoring import build

UNIT = "00-start-here"
AT = (10, 50, 100, 150)


def main() -> None:
    """Measure, print and store."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = build.make(COURSE, UNIT, folder / "made")
        class_of = hand_in([built.solution, built.released], max(AT), folder, UNIT)
        held = along(class_of, folder / "graded")
    table = pd.DataFrame({"notebooks": AT, "MiB held": [at(held, number) for number in AT]})
    results.save("grading_memory", table, "python -m benchmarks.grading_memory")
    print(table.round(1).to_string(index=False))


def at(held: pd.DataFrame, number: int) -> float:
    """MiB at the first look after so many were graded, or at the last one of all."""
    looks = held[held.n >= number]
    return float((looks if len(looks) else held[-1:]).bytes.iloc[0]) / 2**20


if __name__ == "__main__":
    main()
