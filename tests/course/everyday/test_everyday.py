"""What ordinary people hand in with right answers has all its points, each time it is graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tiers
from tests.common import UNITS
from tests.course.everyday.rows import ROWS, graded

pytestmark = [pytest.mark.usefixtures("warm_sandboxes"), pytest.mark.slow]
UNSTEADY = [each for each in ROWS if "kernel" in each.name or "thread" in each.name]
CHOSEN = tiers.sample(ROWS, 4)  # of make test; at night all
OTHERS = [each for each in ROWS if each not in UNSTEADY]
AGAIN = tiers.sample(UNSTEADY, 3)[:4] + tiers.sample(OTHERS, 15)[:4]


def test_nobody_loses_a_point(tmp_path: Path) -> None:
    table = graded(CHOSEN, tmp_path)
    hurt = table[table.hurt].drop(columns="hurt")
    assert hurt.empty, f"{len(hurt)} of {len(CHOSEN)} hurt\n{hurt.to_string(max_colwidth=160)}"


@pytest.mark.rotating
def test_marks_are_the_same_each_time(tmp_path: Path) -> None:
    once, again = (graded(AGAIN, tmp_path / each) for each in ("once", "again"))
    columns = ["name", "score", "pending"]
    assert once[columns].equals(again[columns]), once[columns].compare(again[columns]).to_string()


def test_every_unit_has_its_notebooks() -> None:
    assert {each.unit for each in ROWS} == {each[:2] for each in UNITS}
