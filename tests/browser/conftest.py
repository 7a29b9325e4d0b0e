"""A browser, and a Jupyter server for it to look at."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page
from playwright.sync_api import TimeoutError as LateError

from helpers.course import servers, work
from helpers.course.settings import Course
from tests.web.axe import refused


@contextmanager
def serving(command: Callable[[int], list[str]], folder: Path) -> Iterator[str]:
    """The address of what `command` starts on a port, in `folder`, which is its home as well."""
    port = free_port()
    words = [*command(port), "--ServerApp.token=", "--ServerApp.password="]
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(folder), "HOME": str(folder)}
    silent = subprocess.DEVNULL
    server = subprocess.Popen(
        words, cwd=folder, env=environment, stdout=silent, stderr=silent, start_new_session=True
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api")
        yield f"http://127.0.0.1:{port}"
    finally:
        end(server)


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """The address of JupyterLab in `folder`."""
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with serving(lambda port: [*command, f"--port={port}"], folder) as address:
        yield address


def opened(page: Page, address: str) -> None:
    """Go to the notebook at `address`, and wait for its cells and its kernel."""
    # In a workspace of its own: not as another page has left it.
    page.goto(address.replace("/lab/", f"/lab/workspaces/{uuid4().hex}/"))
    page.locator(".jp-Notebook .jp-Cell").first.click()
    # Without a kernel JupyterLab runs a cell by doing nothing.
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(state="attached")


def run(page: Page, shows: Locator, what: str = "Run All Cells", tries: int = 3) -> None:
    """Run cells of the open notebook, once more where what `shows` what they did does not appear.

    On a busy machine a kernel has been seen to lose what it was sent, or what it said first.
    """
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=what, exact=True).click()
    try:
        shows.wait_for(timeout=90_000)
    except LateError:
        if tries == 1:
            raise
        run(page, shows, what, tries - 1)


def darken(page: Page) -> None:
    """Choose JupyterLab's dark theme."""
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text("JupyterLab Dark", exact=True).click()
    page.locator("body[data-jp-theme-light=false]").wait_for(state="attached")
    page.wait_for_timeout(1000)  # pictures are painted a little later


def inaccessible(page: Page, within: str) -> list[tuple[str, str]]:
    """What axe finds seriously wrong with outputs in JupyterLab."""
    # JupyterLab's body has no height: axe would take what is in it for hidden, and find nothing.
    page.add_style_tag(content="body { height: 100vh !important }")
    # The empty corner is that of every table of pandas.
    return [each for each in refused(page, within) if each[0] != "empty-table-header"]


def end_kernels(page: Page) -> None:
    """End those of the server that the page is from."""
    page.evaluate(
        """async () => {
            const token = document.cookie.match(/_xsrf=([^;]+)/)?.[1] ?? "";
            for (const each of await (await fetch("/api/sessions")).json())
                await fetch(`/api/sessions/${each.id}`,
                            {method: "DELETE", headers: {"X-XSRFToken": token}});
        }"""
    )


def end(server: subprocess.Popen[Any]) -> None:
    """End a server that has a session of its own, and what started it there."""
    os.killpg(server.pid, signal.SIGTERM)
    try:
        server.communicate(timeout=30)
    except subprocess.TimeoutExpired:  # Jupyter has been seen to wait for a kernel without end
        os.killpg(server.pid, signal.SIGKILL)
        server.communicate()


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, seconds: int = 60) -> None:
    for _ in range(10 * seconds):
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"no answer from {address} in {seconds} s")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without a past."""
    context = browser.new_context(viewport={"width": 1280, "height": 6000})
    page = context.new_page()
    page.set_default_timeout(300_000)  # a busy machine has needed two minutes for one cell
    yield page
    context.close()


@pytest.fixture
def learner(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The course in a folder of its own with copies of its units, and JupyterLab's settings."""
    for name in ("source", "notebooks", "docs"):
        (tmp_path / name).symlink_to(course.root / name)
    for name, value in servers.configuration().items():
        monkeypatch.setenv(name, value)
    copied = Course(tmp_path)
    work.begin(copied)
    return copied
