"""What all tests of grading need."""

from collections.abc import Iterator

import pytest

from helpers.course.sandbox import pool
from helpers.course.sandbox.session import Session


@pytest.fixture(scope="session")
def _ended() -> Iterator[None]:
    yield
    pool.close()


@pytest.fixture
def warm_sandboxes(_ended: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sandboxes serve the tests of a process one after another: each takes seconds to get warm."""
    monkeypatch.setattr(pool, "close", pool._given_up.clear)  # after Ctrl-C there are more tests


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test that fails leaves its session connected, and to collect that would take for ever."""
    begun: list[Session] = []
    connect = Session._connect

    def connected(session: Session) -> None:
        begun.append(session)
        connect(session)

    monkeypatch.setattr(Session, "_connect", connected)
    yield
    for each in begun:
        each._disconnect()
