"""Hungry submissions and honest ones, graded side by side: no neighbour loses anything."""

from pathlib import Path

import pandas as pd
import pytest

from helpers.course.grading import grade
from helpers.course.sandbox.process import Limits
from tests.common import needs_sandbox
from tests.course.grading.hostile import limits, rows
from tests.course.grading.hostile.rows import ALL, UNIT, Row
from tests.tiers import sample

NAMES = ("allocates", "fills", "fork", "ignores", "leaves", "loops", "many")
HUNGRY = sample([row for row in limits.ROWS if row.name.startswith(NAMES)], 3)
LIMITS = Limits(cell_seconds=4, notebook_seconds=30, memory=1 << 30, files=256 << 20)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Two at a time: while one worker has a hungry notebook, the other has honest ones."""
    folder = tmp_path_factory.mktemp("neighbours")
    course = rows.course(folder / "course")
    for number, row in enumerate(HUNGRY):
        _hand_in(folder, f"{number:02d}-0-{row.name}", row.file())
        for honest in range(2):
            _hand_in(folder, f"{number:02d}-1-honest-{honest}", rows.written(rows.solved()))
    return grade.grade(course, folder / "in", folder / "out", workers=2, limits=LIMITS)


def _hand_in(folder: Path, student: str, content: bytes) -> None:
    path = folder / "in" / student / UNIT / f"{UNIT}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


@needs_sandbox
@pytest.mark.rotating
class TestTwoWorkers:
    """What a hungry notebook takes is taken from nobody else."""

    def test_the_honest_get_all_their_points(self, table: pd.DataFrame) -> None:
        honest = table[table.student.str.contains("-honest-")]
        assert len(honest) == 2 * len(HUNGRY)
        assert (honest.score == ALL).all(), honest.to_string()
        assert (honest["status"] == "graded").all(), honest.to_string()
        assert not honest["flags"].any(), honest.to_string()

    @pytest.mark.parametrize("row", HUNGRY, ids=lambda row: row.name)
    def test_the_hungry_get_what_they_deserve(self, table: pd.DataFrame, row: Row) -> None:
        line = table[table.student.str.endswith(f"-0-{row.name}")].squeeze()
        assert line["score"] == row.marks, line.to_string()
