"""What ordinary people hand in with right answers has all its points, each time it is graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.course import settings
from helpers.course.grading import grade
from tests import tiers
from tests.common import ISOLATED, ROOT
from tests.course.everyday import notebooks
from tests.course.everyday.rows import graded

pytestmark = [pytest.mark.usefixtures("warm_sandboxes"), pytest.mark.slow]
ALL = notebooks.ROWS
UNSTEADY = [each for each in ALL if "kernel" in each.name or "thread" in each.name]
CHOSEN = tiers.sample(ALL, 7)  # of make test; at night all
OTHERS = [each for each in ALL if each not in UNSTEADY]
AGAIN = tiers.sample(UNSTEADY, 4)[:5] + tiers.sample(OTHERS, 26)[:6]


def test_nobody_loses_a_point(tmp_path: Path) -> None:
    table = graded(CHOSEN, tmp_path)
    hurt = table[table.hurt].drop(columns="hurt")
    assert hurt.empty, f"{len(hurt)} of {len(CHOSEN)} hurt\n{hurt.to_string(max_colwidth=160)}"


def test_marks_are_the_same_each_time(tmp_path: Path) -> None:
    once, again = (graded(AGAIN, tmp_path / each) for each in ("once", "again"))
    columns = ["name", "score", "pending"]
    assert once[columns].equals(again[columns]), once[columns].compare(again[columns]).to_string()


@pytest.mark.parametrize("name", notebooks.ARCHIVES)
def test_everybody_in_a_platforms_zip_has_a_row(name: str, tmp_path: Path) -> None:
    archive = notebooks.ARCHIVES[name]
    (tmp_path / "class.zip").write_bytes(archive.content())
    groups = tmp_path / "groups.csv" if archive.groups else None
    if groups:
        groups.write_text(archive.groups, encoding="utf-8")
    course = settings.find(ROOT)
    table = grade.grade(
        course,
        tmp_path / "class.zip",
        tmp_path / "out",
        isolated=ISOLATED,
        groups=groups,
        platform=archive.platform,
    )
    assert set(table.student) == archive.students
    assert (table.score == table.max_score).all(), table.to_string()


def test_every_unit_has_its_notebooks() -> None:
    units = [each.unit for each in ALL]
    assert all(units.count(each[:2]) >= 4 for each in settings.find(ROOT).units())
    assert len({each.name for each in ALL}) == len(ALL) >= 140
