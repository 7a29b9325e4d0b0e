"""What all tests of grading need."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.course.sandbox import pool
from helpers.course.settings import Course
from tests.course.judged import Desk
from tests.course.pages.entered import Classroom


@pytest.fixture(scope="session")
def _ended() -> Iterator[None]:
    yield
    pool.close()


@pytest.fixture
def warm_sandboxes(_ended: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sandboxes serve the tests of a process one after another: each takes seconds to get warm."""
    monkeypatch.setattr(pool, "close", pool._given_up.clear)  # after Ctrl-C there are more tests


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """`course grade` without kernels."""
    return Desk(tmp_path, monkeypatch)


@pytest.fixture
def classroom(tiny: Course, tmp_path: Path) -> Classroom:
    """The tiny unit with an essay, and nobody's notebook."""
    return Classroom(tiny, tmp_path / "out")
