"""Sandboxes that wait for the next notebook, and a second try that takes none of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import MagicMock

import pytest
from nbformat import v4

from helpers.course.grading.execute import Job, execute
from helpers.course.sandbox import pool
from helpers.course.sandbox.process import Limits, Sandbox, SandboxDiedError
from helpers.course.settings import CourseError
from tests.common import ISOLATED

LIMITS = Limits(cell_seconds=17)  # nobody else's, so that nobody else's sandbox is taken


def test_a_fresh_one_has_had_no_kernel() -> None:
    taken = []
    for fresh in (False, False, True):
        with pool.taken(LIMITS, ISOLATED, fresh) as sandbox:
            taken.append(sandbox)
    pool.close()
    assert taken[0] is taken[1] is not taken[2]


def test_one_that_starts_while_all_are_given_up_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = MagicMock()

    def started(*_: object) -> MagicMock:
        pool.give_up()
        return sandbox

    monkeypatch.setattr(pool, "_started", started)
    try:
        with pytest.raises(CourseError, match="stopped"), pool.taken(LIMITS, ISOLATED):
            pass
    finally:
        pool._given_up.clear()
    sandbox.close.assert_called_once()


def test_where_a_sandbox_died_a_fresh_one_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one learner left in a sandbox is then no other learner's end."""
    tries = []

    @contextmanager
    def dies(_limits: Limits, _isolated: bool, fresh: bool) -> Iterator[Sandbox]:
        tries.append(fresh)
        raise SandboxDiedError("the sandbox ended")
        yield

    monkeypatch.setattr(pool, "taken", dies)
    with pytest.raises(CourseError, match="the sandbox ended, twice"):
        execute(Job(v4.new_notebook(), {}, LIMITS))
    assert tries == [False, True]
