"""Every saboteur loses points, wherever the text forbids what it does."""

import pytest

from helpers.course.settings import Course
from tests.common import UNITS
from tests.saboteurs import table


@pytest.mark.parametrize("unit", UNITS)
def test_no_saboteur_keeps_all_points(course: Course, unit: str) -> None:
    assert table.faults(list(table.rows(course, unit)), unit) == []
