"""What ordinary people hand in with right answers has all its points."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tiers
from tests.common import UNITS
from tests.course.everyday.rows import ROWS, graded

pytestmark = [pytest.mark.usefixtures("warm_sandboxes"), pytest.mark.slow]
CHOSEN = tiers.sample(ROWS, 4)  # of make test; at night all


def test_nobody_loses_a_point(tmp_path: Path) -> None:
    table = graded(CHOSEN, tmp_path)
    hurt = table[table.hurt].drop(columns="hurt")
    assert hurt.empty, f"{len(hurt)} of {len(CHOSEN)} hurt\n{hurt.to_string(max_colwidth=160)}"


def test_every_unit_has_its_notebooks() -> None:
    assert {each.unit for each in ROWS} == {each[:2] for each in UNITS}
