"""A course whose submissions are looked through."""

import pytest

from helpers.course.settings import Course
from tests.common import LESSON, tiny_course


@pytest.fixture(scope="session")
def two_units(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """01-tiny and 02-small; nobody changes them."""
    course = tiny_course(tmp_path_factory.mktemp("course"))
    course.text("02-small").parent.mkdir()
    text = LESSON.replace("double", "twofold").replace("check.twofold", "check.double")
    course.text("02-small").write_text(text)
    return course
