"""What several tests need: the course, and a small one to do harm to; and what was skipped."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from helpers.course import settings
from helpers.course.settings import Course
from tests.common import ROOT, WHOLE, tiny_course

# These begin. The first file of the site builds it, for which others would have to wait.
SLOWEST = (
    "tests/course/grading/hostile/", "tests/browser/test_units.py", "tests/web/test_site.py",
    "tests/claims/", "tests/browser/", "tests/checks/", "tests/mutants/", "tests/saboteurs/",
    "solutions/", "tests/notebooks/", "tests/course/grading/", "tests/encodings/",
    "tests/training/", "tests/benchmarks/", "tests/web/",
)  # fmt: skip

# Tests that share nothing with the others of their file: each goes to whoever is free.
APART = tuple(
    f"tests/{name}"
    for name in ("checks/test_mistakes", "course/grading/test_class", "mutants/",
                 "notebooks/test_learner", "saboteurs/", "training/")
)  # fmt: skip


class FilesOrTests(LoadFileScheduling):  # type: ignore[misc]
    """A file's tests go to one process, which sets them up once; those `APART` go singly."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(APART) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesOrTests:
    """Share the tests out so that no process waits long for the other."""
    return FilesOrTests(config, log)


class Notebooks:
    """The solutions, which nbval runs: at a desk all training in them ends after a few steps."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Say so to the kernel that a notebook's first cell starts."""
        with pytest.MonkeyPatch.context() as patch:
            if item.path.suffix == ".ipynb" and not WHOLE:
                patch.setenv("ORDER_MATTERS_PROFILE", "dry")
            return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Also for what is not below this folder."""
    config.pluginmanager.register(Notebooks())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, so that all workers end together."""

    def turn(item: pytest.Item) -> int:
        within = [n for n, name in enumerate(SLOWEST) if item.nodeid.startswith(name)]
        return min(within, default=len(SLOWEST))

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
