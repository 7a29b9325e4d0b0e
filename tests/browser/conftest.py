"""A browser, and a Jupyter server for it to look at."""

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.common import CHROMIUM


@contextmanager
def serving(command: Callable[[int], list[str]], folder: Path) -> Iterator[str]:
    """The address of what `command` starts on a port, in `folder`, which is its home as well."""
    port = _free_port()
    words = [*command(port), "--ServerApp.token=", "--ServerApp.password="]
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(folder), "HOME": str(folder)}
    silent = subprocess.DEVNULL
    server = subprocess.Popen(words, cwd=folder, env=environment, stdout=silent, stderr=silent)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _free_port() -> int:
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
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        page = browser.new_page(viewport={"width": 1280, "height": 6000})
        page.set_default_timeout(120_000)
        yield page
        browser.close()
