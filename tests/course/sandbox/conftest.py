"""Sandboxes for the tests of a process; where there is no bubblewrap they are not isolated."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from helpers.course.sandbox import process
from helpers.course.sandbox.process import Limits, Sandbox
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED

LIMITS = Limits(cell_seconds=3, notebook_seconds=60, memory=1 << 30, output=20_000)
BARE = "from helpers.course.sandbox import fork_server as server; server.main(server.SHELL)"


@pytest.fixture(scope="session")
def _warm_ones() -> Iterator[list[Sandbox]]:
    found: list[Sandbox] = []
    yield found
    for each in found:
        each.close()


@pytest.fixture
def warm(_warm_ones: list[Sandbox]) -> Sandbox:
    """A sandbox that serves one test after another, unless one has ended it."""
    if not _warm_ones or _warm_ones[-1].process.poll() is not None:
        _warm_ones.append(Sandbox(LIMITS, ISOLATED))
    return _warm_ones[-1]


@pytest.fixture
def kernel(warm: Sandbox) -> Iterator[Session]:
    session = Session(warm)
    yield session
    session.close()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sandboxes start in a second, without what lessons need: torch is imported by who needs it."""
    monkeypatch.setattr(process, "COMMAND", [sys.executable, "-c", BARE])


@contextmanager
def begun() -> Iterator[Session]:
    """A kernel in a sandbox that nobody else uses."""
    with closing(Sandbox(LIMITS)) as made, closing(Session(made)) as session:
        yield session


def text_of(session: Session, code: str, seconds: float = 10) -> str:
    """All that is shown by `code`, the kind and the text of an error among it."""
    return "".join(
        output.get("text")
        or output.get("data", {}).get("text/plain", "")
        or f"{output.get('ename', '')}: {output.get('evalue', '')}"
        for output in session.run(code, seconds)
    )
