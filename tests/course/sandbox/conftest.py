"""A sandbox for the tests of a file, and one without walls."""

from collections.abc import Iterator

import pytest

from helpers.course.sandbox.process import Sandbox
from tests.common import needs_sandbox
from tests.course.sandbox.shown import LIMITS

SANDBOXED = pytest.param(True, marks=needs_sandbox)


@pytest.fixture(scope="module", params=[SANDBOXED, False], ids=["sandbox", "plain"])
def warm(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    made = Sandbox(LIMITS, request.param)
    yield made
    made.close()
