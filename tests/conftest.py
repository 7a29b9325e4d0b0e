"""What several tests need: the course, a small one to do harm to; which tests run, and when."""

import os
import time
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from helpers.course import settings
from helpers.course.settings import Course
from tests import changed
from tests.common import ROOT, UNITS, tiny_course
from tests.tiers import CHANGED, NIGHTLY, TIER, rotated, sample, sample_seed
from tests.web import figures

# A slow machine is no fault of what is tested.
hypothesis_settings.register_profile(
    "course", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("course")

# These begin. The first file of the site builds it, for which others would have to wait.
SLOWEST = (
    "tests/course/grading/hostile/", "tests/browser/test_units.py", "tests/web/test_site.py",
    "tests/claims/", "tests/browser/", "tests/checks/", "tests/probes/",
    "solutions/", "tests/notebooks/", "tests/course/grading/", "tests/encodings/",
    "tests/training/", "tests/benchmarks/", "tests/web/",
)  # fmt: skip

# Where one of these has changed, the whole site is built and read.
SITE = ("web/", "docs/", "source/")

# Tests that share nothing with the others of their file: each goes to whoever is free.
APART = tuple(
    f"tests/{name}"
    for name in ("checks/test_mistakes", "course/grading/test_class", "notebooks/test_learner",
                 "probes/", "training/")
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
    """The solutions, which nbval runs: but for the night all training ends after a few steps."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Say so to the kernel that a notebook's first cell starts."""
        with pytest.MonkeyPatch.context() as patch:
            if item.path.suffix == ".ipynb" and not NIGHTLY:
                patch.setenv("ORDER_MATTERS_PROFILE", "dry")
            return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Give each process one thread, as several test side by side, and nbval our hooks."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    config.pluginmanager.register(Notebooks())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a tier leaves out; long tests first, so that all workers end together."""
    left_out = _left_out(items)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]
    if TIER == "quick":  # what is nearest to the change stands first
        return

    def turn(item: pytest.Item) -> int:
        within = [n for n, name in enumerate(SLOWEST) if item.nodeid.startswith(name)]
        return min(within, default=len(SLOWEST))

    items.sort(key=turn)


def _left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the slow tests and the solutions that this tier does not try."""
    if TIER == "nightly":
        return set()
    group = {item: _group(item) for item in items if item.get_closest_marker("rotating")}
    if TIER == "quick":
        return {*group} | {item for item in items if item.get_closest_marker("slow")}
    paths = changed.paths()
    tried = rotated(list(dict.fromkeys(group.values())))
    tried += ["site"] if any(path.startswith(SITE) for path in paths) else []
    tried += [group[item] for item in group if item.nodeid.partition("::")[0] in paths]
    units = {*sample(UNITS, len(UNITS)), *changed.units(paths)}
    solutions = {item for item in items if item.path.suffix == ".ipynb"}
    return {item for item in group if group[item] not in tried} | {
        item for item in solutions if item.path.stem not in units
    }


def _group(item: pytest.Item) -> str:
    """Return the group that a rotating test's mark names, else its file and function or class."""
    mark = item.get_closest_marker("rotating")
    named = "::".join(item.nodeid.partition("[")[0].split("::")[:2])
    return str(mark.args[0]) if mark and mark.args else named


@cache
def _deadline() -> float:
    """Return when to begin no more tests, counted from the first: collecting takes its own time."""
    return time.monotonic() + float(os.environ.get("QUICK_SECONDS", "inf"))


def pytest_runtest_setup() -> None:
    """Begin no test when the seconds of `make quick` are over."""
    if time.monotonic() > _deadline():
        pytest.skip("the minute of make quick is over; make test runs it")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how the same sample is tried again."""
    if not NIGHTLY and not CHANGED:
        terminalreporter.write_line(f"SAMPLE_SEED={sample_seed()} tries the same sample again")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, one for all tests of a file; a process can have but one at a time."""
    with figures.browsing() as browser:
        yield browser


@pytest.fixture
def course() -> Course:
    """The course itself; only to be read."""
    return settings.find(ROOT)


@pytest.fixture
def tiny(tmp_path: Path) -> Course:
    """A course of one tiny unit, 01-tiny, in a folder of its own."""
    return tiny_course(tmp_path)


@pytest.fixture
def double_precision() -> Iterator[None]:
    """Numbers of 64 bits where nothing else is said, and the same random ones each time."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)
