"""What several tests need: the course, and a small one to do harm to."""

import shutil
from pathlib import Path

import pytest

from helpers.course import settings
from helpers.course.settings import Course
from tests.common import LESSON, ROOT


@pytest.fixture
def course() -> Course:
    """The course itself; only to be read."""
    return settings.find(ROOT)


@pytest.fixture
def tiny(tmp_path: Path) -> Course:
    """A course of one tiny unit, 01-tiny, in a folder of its own."""
    (tmp_path / "source" / "01-tiny").mkdir(parents=True)
    (tmp_path / "source" / "01-tiny" / "01-tiny.py").write_text(LESSON)
    (tmp_path / "pyproject.toml").write_text("[tool.course]\n")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return settings.find(tmp_path)
