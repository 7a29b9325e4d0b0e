"""Hungry submissions and honest ones, graded side by side: no neighbour loses anything."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import psutil
import pytest

from helpers.course.grading import grade
from helpers.course.sandbox.process import Limits, Sandbox, SandboxError
from tests.common import needs_sandbox
from tests.course.grading.hostile import limits, rows
from tests.course.grading.hostile.rows import POINTS, REAL, TINY, Row
from tests.tiers import sample

NAMES = ("allocates", "fork", "ignores", "leaves", "loops", "many", "writes")
HUNGRY = sample([row for row in limits.ROWS if row.name.startswith(NAMES)], 3)
LIMITS = Limits(cell_seconds=4, notebook_seconds=30, memory=1 << 30, files=256 << 20)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Two at a time: while one worker has a hungry notebook, the other has honest ones."""
    folder = tmp_path_factory.mktemp("neighbours")
    course = rows.course(folder / "course")
    for number, row in enumerate(HUNGRY):
        _hand_in(folder, f"{number:02d}-0-{row.name}", row.unit, row.file())
        for unit in (TINY, REAL):
            _hand_in(folder, f"{number:02d}-1-honest-{unit}", unit, rows.written(rows.worked(unit)))
    return grade.grade(course, folder / "in", folder / "out", workers=2, limits=LIMITS)


def _hand_in(folder: Path, student: str, unit: str, content: bytes) -> None:
    path = folder / "in" / student / unit / f"{unit}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


@needs_sandbox
@pytest.mark.rotating
class TestTwoWorkers:
    """What a hungry notebook takes is taken from nobody else."""

    def test_the_honest_get_all_their_points(self, table: pd.DataFrame) -> None:
        honest = table[table.student.str.contains("-honest-")]
        assert len(honest) == 2 * len(HUNGRY)
        assert (honest.score == honest.unit.map(POINTS)).all(), honest.to_string()
        assert (honest["status"] == "graded").all(), honest.to_string()
        assert not honest["flags"].any(), honest.to_string()

    @pytest.mark.parametrize("row", HUNGRY, ids=lambda row: row.name)
    def test_the_hungry_get_what_they_deserve(self, table: pd.DataFrame, row: Row) -> None:
        line = table[table.student.str.endswith(f"-0-{row.name}")].squeeze()
        assert line["score"] == row.marks, line.to_string()


@needs_sandbox  # only there are threads counted
def test_a_process_that_ends_as_it_is_counted_hides_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where processes come and go, one of them is always gone when it is asked for its threads."""

    def ended(process: psutil.Process) -> None:
        raise psutil.NoSuchProcess(process.pid)

    sandbox = Sandbox(replace(LIMITS, memory=1), isolated=True)
    try:
        sandbox.start()
        monkeypatch.setattr(psutil.Process, "ppid", ended)
        with pytest.raises(SandboxError, match="of memory"):
            sandbox.look()
    finally:
        sandbox.close()
