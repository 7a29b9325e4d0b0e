"""The set-up cell of a published notebook, in an environment and with a release of their own."""

import dataclasses
import os
import re
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from helpers.course.authoring.published import PUBLISHED, set_up
from helpers.course.settings import Course
from tests.common import ROOT, named, wheel

UNIT = "01-tiny"
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "order-matters"
version = "9.9"
[tool.hatch.build.targets.wheel]
packages = ["helpers"]
[tool.course]
"""
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


class Runtime:
    """A runtime of Colab's, and a release on its disk."""

    def __init__(self, course: Course, folder: Path) -> None:
        self.folder, self.python = folder, folder / "runtime" / "bin" / "python"
        venv.create(folder / "runtime")
        (site,) = (folder / "runtime").glob("lib/*/site-packages")
        (site / "ours.pth").write_text(sysconfig.get_path("purelib"))  # IPython, pip, d2l
        (folder / "content").mkdir()
        (course.root / "pyproject.toml").write_text(PROJECT)
        (course.root / "helpers" / "encodings").mkdir(parents=True)
        for each in ("", "encodings"):
            (course.root / "helpers" / each / "__init__.py").write_text("")
        packed = named(wheel(course.root, folder / "site"))
        self.course = dataclasses.replace(
            course, owner="someone", repository="order", release="v1", wheel=packed
        )

    def set_up(self, on_colab: bool = True, old: str = "", new: str = "") -> list[str]:
        """What the notebook's first cell prints and the next one says, by line."""
        address = "https://github.com/someone/order/releases/download/v1"
        text = set_up(self.course).replace(address, (self.folder / "site").as_uri())
        (self.folder / "cell.py").write_text(text.replace(old, new))
        words = [str(self.python), "-c", KERNEL, str(self.folder / "cell.py"), "1" * on_colab]
        here = os.environ | {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
        done = subprocess.run(
            words, cwd=self.folder / "content", env=here, capture_output=True, text=True, check=True
        )
        return re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).strip().splitlines()


@pytest.fixture
def runtime(tiny: Course, tmp_path: Path) -> Runtime:
    return Runtime(tiny, tmp_path)


def test_colab_installs_the_release_once_and_no_more_than_it_lacks(runtime: Runtime) -> None:
    introduced, file = runtime.set_up()
    assert introduced.startswith("Installing order_matters-9.9-") and "d2l" not in introduced
    assert Path(file).is_relative_to(runtime.folder / "runtime")
    assert runtime.set_up() == [file]


def test_what_cannot_be_installed_is_told_in_pips_words(runtime: Runtime) -> None:
    introduced, *told = runtime.set_up(old="sha256=", new="sha256=0")
    assert introduced.startswith("Installing") and "Traceback" not in "".join(told)
    assert told[0].startswith("Run this cell again in a minute;") and "release v1." in told[0]
    assert "HASH" in "\n".join(told)


def test_helpers_of_somebody_else_are_told_from_ours(runtime: Runtime) -> None:
    told = "The helpers are missing: open this with `make lab`; on a JupyterHub, tell your teacher."
    assert runtime.set_up(on_colab=False) == [told]  # nothing is installed
    (other := runtime.folder / "content" / "helpers.py").touch()
    told = f"{other} is not our helpers. Rename it, then run this cell again."
    assert runtime.set_up() == runtime.set_up(on_colab=False) == [told]


def test_the_book_is_that_of_the_lock_file() -> None:
    book = (ROOT / "requirements-no-deps.lock").read_text().split()[-1]
    assert f'install("--no-deps", "{book}")' in PUBLISHED.template
