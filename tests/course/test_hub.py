"""docs/jupyterhub.md on a JupyterHub of this machine: users fetch, submit, and read their page."""

import importlib.util
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
import requests

from helpers.course.authoring import build
from helpers.course.authoring.nbgrade import COURSE
from tests.browser.conftest import free_port
from tests.common import ROOT
from tests.course.grading.test_exchange import (
    BLOCKS,
    UNIT,
    Machine,
    as_root,
    bubblewrap,
    machine,
    typed,
)

__all__ = ["machine"]

PAGE = (ROOT / "docs" / "jupyterhub.md").read_text(encoding="utf-8")
HUB, NBGRADER = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
BIN = Path(sys.executable).parent
TOKEN = "of-the-test"
START = 300  # seconds that a server may take to start, on a busy machine
# A test knows no passwords; its token lets it use everybody's server.
TRIED = """
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.hub_port = {ports[1]}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.JupyterHub.services = [{{"name": "test", "api_token": "{token}"}}]
scopes = ["admin:servers", "admin:users", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "test", "services": ["test"], "scopes": scopes}}]
c.Spawner.environment |= {environment}
c.Spawner.start_timeout = c.Spawner.http_timeout = {seconds}
"""
needs_hub = pytest.mark.skipif(
    not importlib.util.find_spec("jupyterhub") or not shutil.which("configurable-http-proxy"),
    reason="needs jupyterhub and configurable-http-proxy",
)


def test_the_settings_are_python() -> None:
    for text in (HUB, NBGRADER):
        compile(text, "docs/jupyterhub.md", "exec")


@contextmanager
def _hub(machine: Machine) -> Iterator[str]:
    """The Hub of the page, with another place for each of its folders; its address."""
    ports = [free_port() for _ in range(3)]
    environment = {"PYTHONPATH": str(ROOT), "JUPYTER_CONFIG_PATH": str(machine.root / "config")}
    text = HUB.replace("127.0.0.1:8000", f"127.0.0.1:{ports[0]}")
    text = text.replace("/opt/order-matters/.venv/bin", str(BIN))
    text += TRIED.format(ports=ports, token=TOKEN, environment=environment, seconds=START)
    (folder := machine.root / "hub").mkdir()
    (folder / "jupyterhub_config.py").write_text(text)
    passwd = ["--ro-bind", str(machine.root / "passwd"), "/etc/passwd"]
    alone = ["--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    words = [*bubblewrap(), *passwd, *alone, sys.executable, "-m", "jupyterhub"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{ports[0]}"
            for _ in range(START):
                with suppress(requests.ConnectionError):
                    if requests.get(f"{address}/hub/api").ok:
                        break
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(1)
            yield address
        finally:
            process.kill()
            process.wait()
            print((folder / "log").read_text())  # which pytest shows where a test fails


class Learner:
    """Somebody's server on the Hub, as JupyterLab's pages use it."""

    def __init__(self, address: str, name: str) -> None:
        self.place = f"{address}/user/{name}"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"token {TOKEN}"
        users = f"{address}/hub/api/users/{name}"
        for path in (users, f"{users}/server"):
            assert self.session.post(path).status_code in (201, 202)
        for _ in range(START):
            if self.session.get(users).json()["servers"].get("", {}).get("ready"):
                return
            time.sleep(1)
        raise TimeoutError(f"no server for {name}")

    def click(self, action: str) -> None:
        """Use a button of *Assignment List*."""
        what = {"course_id": COURSE, "assignment_id": UNIT}
        answer = self.session.post(f"{self.place}/assignments/{action}", data=what)
        assert answer.ok and answer.json()["success"], answer.text

    def contents(self, path: str, **written: Any) -> Any:
        """Open a file or folder, or save one."""
        address = f"{self.place}/api/contents/{path}"
        answer = self.session.put(address, json=written) if written else self.session.get(address)
        assert answer.ok, answer.text
        return answer.json()["content"]


@pytest.mark.rotating
@as_root
@needs_hub
def test_learners_fetch_submit_and_read_their_page(machine: Machine) -> None:
    exchange = NBGRADER.replace("/srv/exchange", str(machine.root / "exchange"))
    (machine.root / "config" / "nbgrader_config.py").write_text(exchange)
    release, _, grade, *_ = map(typed, BLOCKS)
    solution = build.make(machine.course, UNIT, machine.root / "made").solution
    machine.type(*release)
    with _hub(machine) as address:
        ada, bob = Learner(address, "ada"), Learner(address, "bob")
        for learner in (ada, bob):
            learner.click("fetch")
            name = f"{UNIT}/{UNIT}.ipynb"
            fetched = learner.contents(name)
            work = solution if learner is ada else nbformat.from_dict(fetched)
            learner.contents(name, type="notebook", content=work)
            learner.click("submit")
        machine.type(*grade)
        for learner, points in ((ada, "2 of 2"), (bob, "0 of 2")):
            learner.click("fetch_feedback")
            [folder] = learner.contents(f"{UNIT}/feedback")
            page = learner.contents(f"{folder['path']}/{UNIT}.html")
            assert points in re.sub(r"<[^>]+>", "", page)
