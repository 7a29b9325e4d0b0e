"""The set-up cell of a published notebook, in an environment and with a release of their own."""

import dataclasses
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpers.course.authoring import build, colab, release
from helpers.course.settings import Course
from tests.common import ROOT

UNIT = "01-tiny"
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "order-matters"
version = "9.9"
requires-python = "{python}"
dependencies = [{needs}]
[tool.hatch.build.targets.wheel]
packages = ["helpers"]
[tool.course]
"""
SILENT = "http://127.0.0.1:9"
NOWHERE = {  # no place that pip finds packages in
    "PIP_NO_INDEX": "1",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_FIND_LINKS": "",
    "PIP_EXTRA_INDEX_URL": "",
}
# The notebook's kernel: what is asked of Colab's modules is that one is there.
KERNEL = """\
import sys, types
from pathlib import Path
from IPython.core.interactiveshell import InteractiveShell
if sys.argv[2]:
    sys.modules["google.colab"] = types.ModuleType("google.colab")
sys.path.insert(0, "")
shell = InteractiveShell.instance()
for cell in [Path(sys.argv[1]).read_text(), "import helpers.encodings; print(helpers.__file__)"]:
    if not shell.run_cell(cell).success:
        break
"""


class _Site(SimpleHTTPRequestHandler):
    asked: list[str]

    def log_message(self, _format: str, *arguments: Any) -> None:
        self.asked.append(str(arguments[0]))


class Runtime:
    """A runtime of Colab's, and a release that it can reach."""

    def __init__(self, course: Course, folder: Path) -> None:
        self.course, self.folder, self.address = course, folder, ""
        self.asked: list[str] = []
        self.python = folder / "runtime" / "bin" / "python"
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", folder / "runtime"], check=True
        )
        (site,) = (folder / "runtime").glob("lib/*/site-packages")
        (site / "ours.pth").write_text(sysconfig.get_path("purelib"))  # IPython, pip, d2l
        (folder / "content").mkdir()

    def publish(self, python: str = ">=3.11", needs: str = "") -> None:
        """Put a release in its place, and build the notebook for it."""
        project = PROJECT.format(python=python, needs=needs)
        (self.course.root / "pyproject.toml").write_text(project)
        place = self.folder / "site" / "someone" / "order" / "releases" / "download" / "v1"
        place.mkdir(parents=True, exist_ok=True)
        wheel = release.named(release.wheel(self.course, place))
        self.course = dataclasses.replace(
            self.course, owner="someone", repository="order", release="v1", wheel=wheel
        )

    def set_up(self, on_colab: bool = True) -> str:
        """What the notebook's first cell prints and the next one says."""
        cell = self.folder / "cell.py"
        cell.write_text(colab.set_up(self.course).replace("https://github.com", self.address))
        done = subprocess.run(
            [self.python, "-c", KERNEL, cell, "1" if on_colab else ""],
            cwd=self.folder / "content",
            capture_output=True,
            text=True,
            check=True,
        )
        return re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).strip()


@pytest.fixture
def runtime(tiny: Course, tmp_path: Path) -> Iterator[Runtime]:
    (tiny.root / "helpers" / "encodings").mkdir(parents=True)
    for folder in ("", "encodings"):
        (tiny.root / "helpers" / folder / "__init__.py").write_text("")
    made = Runtime(tiny, tmp_path)
    made.publish()
    handler = partial(
        type("Site", (_Site,), {"asked": made.asked}), directory=str(tmp_path / "site")
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made.address = f"http://127.0.0.1:{server.server_port}"
        yield made
        server.shutdown()


def test_colab_installs_the_release_once_and_no_more_than_it_lacks(runtime: Runtime) -> None:
    first = runtime.set_up()
    assert first.startswith("Installing order-matters 9.9\n") and "d2l" not in first
    assert Path(first.splitlines()[-1]).is_relative_to(runtime.folder / "runtime")
    assert len(runtime.asked) == 1 and "restart" not in first
    assert runtime.set_up() == first.splitlines()[-1]
    assert len(runtime.asked) == 1


def _told(runtime: Runtime) -> str:
    """The one line that a learner is told."""
    introduced, line = runtime.set_up().split("\n")
    assert introduced.startswith("Installing") and "restart" not in line
    return line


def test_another_file_than_the_release_is_told(runtime: Runtime) -> None:
    name, digest = runtime.course.wheel.split("=")
    runtime.course = dataclasses.replace(runtime.course, wheel=f"{name}={digest[::-1]}")
    assert _told(runtime).startswith("What came is not release v1.")


def test_a_release_that_is_not_there_is_told(runtime: Runtime) -> None:
    runtime.course = dataclasses.replace(runtime.course, release="v2")
    assert _told(runtime).startswith("There is no release v2.")


def test_a_python_that_does_not_fit_is_told(runtime: Runtime) -> None:
    runtime.publish(python=">=3.99")
    assert _told(runtime).startswith("The course needs another Python:")


def test_a_package_that_is_not_to_be_had_is_told(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.publish(needs='"numpy>=99"')
    for name, value in NOWHERE.items():
        monkeypatch.setenv(name, value)
    assert _told(runtime).startswith("A package is not to be had for this Python:")


@pytest.mark.parametrize("what", ["GitHub", "PyPI"])
def test_no_network_is_told(runtime: Runtime, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    for name, value in (NOWHERE | {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": SILENT}).items():
        monkeypatch.setenv(name, value)
    if what == "GitHub":
        runtime.address = SILENT
    else:
        runtime.publish(needs='"numpy>=99"')
    assert _told(runtime).startswith("GitHub or PyPI gives no answer.")


def test_of_anything_else_the_last_of_pips_lines_is_shown(runtime: Runtime) -> None:
    (wheel,) = (runtime.folder / "site").rglob("*.whl")
    wheel.write_bytes(b"no wheel")
    digest = hashlib.sha256(b"no wheel").hexdigest()
    name = runtime.course.wheel.split("=")[0]
    runtime.course = dataclasses.replace(runtime.course, wheel=f"{name}={digest}")
    told = _told(runtime)
    assert told.startswith("order-matters is not installed. pip says: ERROR: ")
    assert "invalid" in told


def test_helpers_of_somebody_else_are_told_from_ours(runtime: Runtime) -> None:
    other = runtime.folder / "content" / "helpers.py"
    other.write_text("")
    assert runtime.set_up().splitlines()[1:] == [
        f"{other} is not our helpers. Rename it, then run this cell again."
    ]
    other.rename(other.with_name("mine.py"))
    (other.with_suffix("")).mkdir()
    (other.with_suffix("") / "__init__.py").write_text("")
    assert "is not our helpers" in runtime.set_up()


def test_elsewhere_nothing_is_installed(runtime: Runtime) -> None:
    assert runtime.set_up(on_colab=False) == (
        "The helpers are missing: open this notebook with `make lab`."
    )
    assert not runtime.asked


def test_a_published_notebook_has_a_badge_and_the_cell(
    runtime: Runtime, capsys: pytest.CaptureFixture[str]
) -> None:
    made = build.make(runtime.course, UNIT, runtime.folder / "made").released
    badge, _title, set_up, *_ = made.cells
    assert f"someone/order/blob/v1/notebooks/{UNIT}/{UNIT}.ipynb" in badge.source
    assert set_up.source == colab.set_up(runtime.course)
    assert "torch" not in set_up.source and "nbgrader" not in set_up.source
    unpublished = dataclasses.replace(runtime.course, wheel="")
    build.build(unpublished, [UNIT], execute=False)
    assert "No Colab badge" in capsys.readouterr().out
    assert "colab-badge" not in (runtime.course.notebooks / UNIT / f"{UNIT}.ipynb").read_text()


def test_the_book_is_that_of_the_lock_file() -> None:
    name, version = (ROOT / "requirements-no-deps.lock").read_text().split()[-1].split("==")
    assert f'install("{name}", "{version}", "--no-deps {name}=={version}")' in (
        colab.PUBLISHED.template
    )
