"""What all tests of grading need."""

from collections.abc import Iterator

import pytest

from helpers.course.sandbox.session import Session


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
