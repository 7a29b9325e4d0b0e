"""Where a release can be opened or fetched: on Colab, on Binder, on GitHub."""

from __future__ import annotations

from pathlib import Path

from helpers.course import settings
from helpers.course.settings import TRIED, Course

SHIELD = "https://img.shields.io/badge"
GLOSSARY = "docs/glossary.md"


def github(course: Course) -> str:
    """Return the address of the repository."""
    return f"https://github.com/{course.owner}/{course.repository}"


def wheel(course: Course) -> str:
    """Return the address of the helpers' wheel, with its checksum."""
    return f"{github(course)}/releases/download/{course.release}/{course.wheel}"


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


def copy_glossary(course: Course, folder: Path) -> None:
    """Copy the glossary below a folder in which units lie side by side, as JupyterLab shows it."""
    text = (course.root / GLOSSARY).read_text(encoding="utf-8")
    settings.write(folder / GLOSSARY, text.replace("](../notebooks/", "](../"))


def badges(unit: str, course: Course) -> str:
    """Return the links, as pictures, that open a unit in Colab and in Binder."""
    on_colab = "https://colab.research.google.com/assets/colab-badge.svg"
    on_binder = "https://mybinder.org/badge_logo.svg"
    return (
        f"[![Open in Colab]({on_colab})]({colab(unit, course)}) "
        f"[![Open in Binder]({on_binder})]({binder(unit, course)})"
    )


def readme_badges(course: Course) -> str:
    """Return README.md's line of badges; empty where they would lead nowhere."""
    if not course.published:
        return ""
    tests = f"{github(course)}/actions/workflows/test.yml"
    first, last = (f"{major}.{minor}" for major, minor in TRIED)
    python = f"![Python {first} to {last}]({SHIELD}/python-{first}_to_{last}-blue)"
    return f"[![tests]({tests}/badge.svg)]({tests}) {badges(course.units()[0], course)} {python}"
