"""What several tests need: the course, and a small one to do harm to."""

from pathlib import Path

import pytest

from helpers.course import settings
from helpers.course.settings import Course
from tests.common import ROOT, tiny_course


@pytest.fixture
def course() -> Course:
    """The course itself; only to be read."""
    return settings.find(ROOT)


@pytest.fixture
def tiny(tmp_path: Path) -> Course:
    """A course of one tiny unit, 01-tiny, in a folder of its own."""
    return tiny_course(tmp_path)
