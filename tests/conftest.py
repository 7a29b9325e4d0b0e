"""What several tests need: the course, and a small one to do harm to; and what was skipped."""

import os
from pathlib import Path

import pytest

from helpers.course import settings
from helpers.course.settings import Course
from tests.common import ROOT, tiny_course

# These begin.
SLOWEST = (
    "course/grading/hostile", "checks", "mutants", "saboteurs", "claims", "notebooks",
    "course/grading", "encodings", "training", "benchmarks",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, so that two workers end together."""

    def turn(item: pytest.Item) -> int:
        folders = [n for n, name in enumerate(SLOWEST) if f"tests/{name}/" in item.path.as_posix()]
        return min(folders, default=len(SLOWEST))

    items.sort(key=turn)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Note what was skipped in the file that `make test` names, for the end of all its runs."""
    place = os.environ.get("SKIPPED")
    if place and "PYTEST_XDIST_WORKER" not in os.environ:  # a worker's tests are told by all
        told = [each.longrepr[2] for each in terminalreporter.stats.get("skipped", [])]
        with Path(place).open("a", encoding="utf-8") as file:
            file.writelines(f"{reason.removeprefix('Skipped: ')}\n" for reason in told)


@pytest.fixture
def course() -> Course:
    """The course itself; only to be read."""
    return settings.find(ROOT)


@pytest.fixture
def tiny(tmp_path: Path) -> Course:
    """A course of one tiny unit, 01-tiny, in a folder of its own."""
    return tiny_course(tmp_path)
