"""The benchmark of a large class: a dry run, on a real worker."""

from pathlib import Path

import nbformat
import pandas as pd
import pytest

from benchmarks import grading as small
from benchmarks import ten_thousand as bench
from helpers.course.sandbox import bubblewrap
from helpers.course.settings import Course
from tests.common import ISOLATED
from tests.course.pages.entered import UNIT


@pytest.mark.rotating
def test_a_dry_run(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "COURSE", tiny)
    monkeypatch.setattr(small, "people", lambda built: [built.solution, built.released])
    monkeypatch.setattr(small, "UNIT", UNIT)
    monkeypatch.setattr(bubblewrap, "available", lambda: "" if ISOLATED else "none")
    [row] = bench.study(1, 4, [1], tmp_path).to_dict("records")
    assert (row["workers"], row["notebooks"]) == (1, 4)
    graded = tmp_path / "1-4" / "out" / "autograded" / "s001" / UNIT / f"{UNIT}.ipynb"
    assert nbformat.read(graded, as_version=4).cells


def test_what_one_more_costs_is_what_ten_thousand_cost(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small, "people", lambda built: [built.solution])
    monkeypatch.setattr(
        bench, "timed", lambda _, n, *__: pd.Series({"seconds": 9 + 0.36 * n, "CPU": 0.006 * n})
    )
    [row] = bench.study(10, 20, [1], tmp_path).to_dict("records")
    assert row["seconds, one more"] == pytest.approx(0.36)
    assert row["hours for 10,000 here"] == pytest.approx(1)
    assert row["minutes for 10,000, at the least"] == pytest.approx(1)
