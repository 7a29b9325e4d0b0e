"""What all tests of grading need."""

from collections.abc import Iterator

import pytest

from helpers.course.sandbox import pool


@pytest.fixture(scope="session")
def _ended() -> Iterator[None]:
    yield
    pool.close()


@pytest.fixture
def warm_sandboxes(_ended: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sandboxes serve the tests of a process one after another: each takes seconds to get warm."""
    monkeypatch.setattr(pool, "close", pool._given_up.clear)  # after Ctrl-C there are more tests
