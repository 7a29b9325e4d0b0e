"""Where a release can be opened or fetched, and the cell that fetches its helpers on Colab."""

from __future__ import annotations

from string import Template

from helpers.course.settings import Course

GLOSSARY = "docs/glossary.md"
UNPUBLISHED = """\
# Set-up: this checks that the course's helpers are there.
import importlib.util
import sys

if "google.colab" in sys.modules:
    raise RuntimeError("This copy has no published release for Colab to install from.")
elif importlib.util.find_spec("helpers") is None:
    raise ModuleNotFoundError(
        "The helpers are missing: open this with `make lab`; on a JupyterHub, tell your teacher."
    )"""
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
    raise SetUpError(
        "The helpers are missing: open this with `make lab`; on a JupyterHub, tell your teacher."
    )
found = importlib.util.find_spec("helpers")
if not found.submodule_search_locations or not importlib.util.find_spec("helpers.encodings"):
    sys.modules.pop("helpers", None)
    raise SetUpError(f"{found.origin} is not our helpers. Rename it, then run this cell again.")""")


def github(course: Course) -> str:
    """Return the address of the repository."""
    return f"https://github.com/{course.owner}/{course.repository}"


def colab(unit: str, course: Course) -> str:
    """Return the address at which Colab opens a unit of the release."""
    place = f"{course.owner}/{course.repository}/blob/{course.release}"
    return f"https://colab.research.google.com/github/{place}/notebooks/{unit}/{unit}.ipynb"


def binder(unit: str, course: Course) -> str:
    """Return the address at which Binder opens a unit of the release."""
    place = f"{course.owner}/{course.repository}/{course.release}"
    return f"https://mybinder.org/v2/gh/{place}?urlpath=lab/tree/notebooks/{unit}/{unit}.ipynb"


def glossary(course: Course) -> str:
    """Return where a unit finds the glossary: on GitHub once published, since Colab has no files.

    Otherwise it is the path from the folder of a unit.
    """
    there = f"{github(course)}/blob/{course.release}" if course.published else "../.."
    return f"{there}/{GLOSSARY}"


def badges(unit: str, course: Course) -> str:
    """Return the links, as pictures, that open a unit in Colab and in Binder."""
    on_colab = "https://colab.research.google.com/assets/colab-badge.svg"
    on_binder = "https://mybinder.org/badge_logo.svg"
    return (
        f"[![Open in Colab]({on_colab})]({colab(unit, course)}) "
        f"[![Open in Binder]({on_binder})]({binder(unit, course)})"
    )


def set_up(course: Course) -> str:
    """Return the cell; it fetches the release's wheel, whose checksum its address has."""
    if not course.published:
        return UNPUBLISHED
    wheel = f"{github(course)}/releases/download/{course.release}/{course.wheel}"
    return PUBLISHED.substitute(release=course.release, wheel=wheel)
