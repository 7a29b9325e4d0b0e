"""Every sentence that asks for something has a case that fails where it is not held."""

import pytest

from helpers.course.settings import Course
from tests.common import UNITS
from tests.promises import table


@pytest.mark.parametrize("unit", UNITS)
def test_every_promise_has_a_case(course: Course, unit: str) -> None:
    assert table.faults(course, unit) == []
