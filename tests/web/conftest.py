"""The built site and the figures, served on this machine, and a browser to look at them."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, ViewportSize

from tests.common import ROOT
from tests.web import figures


@dataclass(frozen=True)
class Site:
    """A built site: its folder, and where it is served."""

    folder: Path
    address: str

    @property
    def pages(self) -> list[Path]:
        """All of its pages."""
        return sorted(self.folder.rglob("*.html"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Built once, also where several processes test side by side."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "popen" in base.name else base  # xdist gives each process its own
    folder = shared / "site"
    with FileLock(shared / "site.lock"):
        if not folder.exists():
            half = shared / "site.half"  # no other process tests what was not finished
            command = [sys.executable, "-m", "web", str(half)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[-3000:]
            half.rename(folder)
    with figures.hosting(folder) as address:
        yield Site(folder, f"{address}/")


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the figures are served, each on a page of its own."""
    with figures.serving(tmp_path_factory.mktemp("figures")) as served:
        yield served


@pytest.fixture(scope="module")
def blank(browser: Browser, address: str) -> Iterator[Page]:
    """A page of the figures' host without scripts of its own."""
    found = browser.new_page()
    found.goto(f"{address}/figures/data/clip.json")
    yield found
    found.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without a past."""
    size: ViewportSize = {"width": 1366, "height": 2400}
    context = browser.new_context(viewport=size, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    """A phone on which nothing moves by itself; whatever goes wrong in it fails the test."""
    context = browser.new_context(viewport=figures.PHONE, has_touch=True, reduced_motion="reduce")
    context.clock.install()  # nobody waits for its timers
    page = context.new_page()
    wrong = figures.complaints(page)
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url))
    yield page
    context.close()
    assert wrong == []
    assert [each for each in asked if not each.startswith((address, "data:,"))] == []
