"""The benchmark of grading hands in whom it says, and measures what it says."""

import sys
from pathlib import Path

import pandas as pd
import pytest
from nbformat import v4

from benchmarks import grading as bench
from benchmarks import grading_memory


def test_a_class_is_as_large_as_asked_and_nobody_is_there_twice(tmp_path: Path) -> None:
    notebooks = [v4.new_notebook(cells=[v4.new_code_cell(text)]) for text in "ab"]
    folder = bench.hand_in(notebooks, 5, tmp_path)
    texts = [path.read_text() for path in sorted(folder.glob(f"*/{bench.UNIT}/*.ipynb"))]
    assert ['"a"' in text for text in texts] == [True, False, True, False, True]


def test_seconds_are_those_of_the_command_and_a_failure_is_told(tmp_path: Path) -> None:
    wait = [sys.executable, "-c", "import time; time.sleep(0.3)"]
    assert 0.3 <= bench.run(wait, tmp_path) < 30
    with pytest.raises(SystemExit, match="it broke"):
        bench.run([sys.executable, "-c", "raise SystemExit('it broke')"], tmp_path)


def test_pace_is_the_slope_between_two_numbers() -> None:
    rows = pd.DataFrame(
        {"n": range(100), "second": [n * (0.5 if n < 50 else 2) for n in range(100)]}
    )
    assert bench._pace(rows, 10, 50) == pytest.approx(0.5)
    assert bench._pace(rows, 50, 100) == pytest.approx(2)


def test_memory_is_that_of_the_first_look_after_so_many_notebooks() -> None:
    held = pd.DataFrame({"n": [0, 9, 12, 149], "bytes": [1 << 20, 2 << 20, 3 << 20, 4 << 20]})
    assert [grading_memory.at(held, number) for number in (10, 150)] == [3, 4]
