"""The first code cell of every notebook: on Colab it installs the course's helpers."""

from __future__ import annotations

from string import Template

from helpers.course.authoring import published
from helpers.course.settings import Course

UNPUBLISHED = """\
# Set-up: this checks that the course's helpers are there.
import importlib.util
import sys

if "google.colab" in sys.modules:
    raise RuntimeError("This copy has no published release for Colab to install from.")
elif importlib.util.find_spec("helpers") is None:
    raise ModuleNotFoundError("The helpers are missing: open this notebook with `make lab`.")"""
# pip is asked by way of IPython: its own %pip tells everybody to restart the kernel, which nobody
# has to. PyPI has another package named helpers.
PUBLISHED = Template("""\
# Set-up: on Colab this installs the course's helpers; elsewhere it checks that they are there.
import importlib
import importlib.util
import subprocess
import sys


class SetUpError(Exception):
    def _render_traceback_(self):  # one line, in the place of Python's many
        return [str(self)]


def install(*what):
    print("Installing", what[-1].split("/")[-1].split("#")[0])
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "--retries", "1", *what], capture_output=True, text=True)
    if done.returncode:
        raise SetUpError(
            "Run this cell again in a minute; if pip asks for another Python, choose it first by "
            "Runtime > Change runtime type. Then ask your teacher about release $release. "
            f"pip says: {done.stderr.strip()}"
        )
    importlib.invalidate_caches()


def missing(name):
    found = importlib.util.find_spec(name)
    return found is None or found.origin is None  # a folder alone is no package


if "google.colab" in sys.modules and missing("helpers"):
    install("$wheel")
if "google.colab" in sys.modules and missing("d2l"):
    install("--no-deps", "d2l==1.0.3")
if missing("helpers"):
    raise SetUpError("The helpers are missing: open this notebook with `make lab`.")
found = importlib.util.find_spec("helpers")
if not found.submodule_search_locations or not importlib.util.find_spec("helpers.encodings"):
    sys.modules.pop("helpers", None)
    raise SetUpError(f"{found.origin} is not our helpers. Rename it, then run this cell again.")""")


def set_up(course: Course) -> str:
    """Return the cell."""
    if not course.published:
        return UNPUBLISHED
    return PUBLISHED.substitute(release=course.release, wheel=published.wheel(course))
