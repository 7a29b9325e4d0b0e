"""Sandboxes for the tests of a process, isolated and not."""

import sys
from collections.abc import Iterator

import pytest

from helpers.course.sandbox import process
from helpers.course.sandbox.process import Sandbox
from tests.common import needs_sandbox
from tests.course.sandbox.shown import LIMITS

SANDBOXED = pytest.param(True, marks=needs_sandbox)
BARE = "from helpers.course.sandbox import fork_server as server; server.main(server.SHELL)"


@pytest.fixture(scope="session")
def _warm_ones() -> Iterator[dict[bool, Sandbox]]:
    found: dict[bool, Sandbox] = {}
    yield found
    for each in found.values():
        each.close()


@pytest.fixture(params=[SANDBOXED, False], ids=["sandbox", "plain"])
def warm(request: pytest.FixtureRequest, _warm_ones: dict[bool, Sandbox]) -> Sandbox:
    """A sandbox that serves one test after another, unless one has ended it."""
    isolated = request.param
    if isolated not in _warm_ones or _warm_ones[isolated].process.poll() is not None:
        _warm_ones[isolated] = Sandbox(LIMITS, isolated)
    return _warm_ones[isolated]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sandboxes start in a second, without what lessons need: torch is imported by who needs it."""
    monkeypatch.setattr(process, "COMMAND", [sys.executable, "-c", BARE])
