"""Looks at the machine and says in plain words what is missing and what to do.

It loads nothing that may be missing before it looks, so that it can say so.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from helpers.course.settings import TRIED, WINDOWS, Course

INSTALL = 'run in the course\'s folder: {} -m pip install -c requirements.lock -e ".[{}]"'
# What is found: "ok", "note" (works without) or "missing", and what to do.
Findings = Iterator[tuple[str, str]]


def main(course: Course, _options: argparse.Namespace) -> int:
    """Run `course doctor`: look at everything; return 1 where something needed is missing."""
    missing = 0
    for check in CHECKS:
        try:
            found = list(check(course))
        except Exception as error:  # whatever a half-installed package does
            name = check.__name__.strip("_")
            found = [("missing", f"{name}: {type(error).__name__}: {error}; {_mend()}")]
        for state, text in found:
            print(f"{state:7}  {text}", flush=True)
            missing += state == "missing"
    print(f"\n{missing} to fix" if missing else "\nEverything needed is there.")
    return int(missing > 0)


def _grades() -> bool:
    return importlib.util.find_spec("nbgrader") is not None


def _mend() -> str:
    """Return what to do where something is missing; a system's own Python is not to be changed."""
    if sys.prefix == sys.base_prefix and "CONDA_PREFIX" not in os.environ:
        return "run `make lab`, or the lines in docs/starting.md, which make an environment for it"
    return INSTALL.format(sys.executable, "lab,grading" if _grades() else "lab")


def _python(_course: Course) -> Findings:
    found = f"Python {platform.python_version()} at {sys.executable}"
    if TRIED[0] <= sys.version_info[:2] <= TRIED[1]:
        yield "ok", found
    else:
        first, last = (f"{major}.{minor}" for major, minor in TRIED)
        yield "note", f"{found}; the course is tested with {first} to {last}"


def _packages(course: Course) -> Findings:
    project = tomllib.loads((course.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["lab"], *(extras["grading"] if _grades() else ())]
    names = [re.split(r"[^\w.-]", line)[0] for line in asked]
    if absent := [name for name in names if not _is_installed(name)]:
        yield "missing", f"packages: {', '.join(absent)}; {_mend()}"
    else:
        yield "ok", f"all {len(asked)} packages that are asked for{' to grade' * _grades()}"


def _is_installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _kernel(course: Course) -> Findings:
    """Look which helpers a notebook would import: another package of that name may hide ours."""
    from jupyter_client.kernelspec import get_kernel_spec

    import helpers

    program = get_kernel_spec("python3").argv[0]
    python = program if Path(program).is_absolute() else sys.executable  # as Jupyter reads it
    asked = [python, "-c", "import ipykernel, torch, helpers; print(helpers.__file__)"]
    done = subprocess.run(asked, cwd=course.source, capture_output=True, text=True, check=False)
    if done.returncode:
        again = f"{sys.executable} -m ipykernel install --sys-prefix"
        reason = "".join(done.stderr.strip().splitlines()[-1:])
        yield "missing", f"the kernel python3 says {reason}; install it again: {again}"
    elif (found := done.stdout.strip()) == helpers.__file__:
        yield "ok", "the kernel python3 finds torch and the helpers"
    else:
        text = f"the kernel python3 imports another package called helpers, {found}"
        yield "missing", f"{text}: rename it, or `pip uninstall helpers`, then {_mend()}"


def _sandbox(_course: Course) -> Findings:
    if os.name == "nt":
        yield "note", WINDOWS
        return
    from helpers.course.sandbox import bubblewrap

    if not (reason := bubblewrap.available()):
        yield "ok", "bubblewrap makes a sandbox"
    elif sys.platform == "linux" and _grades():
        yield "missing", reason
    else:
        yield "note", f"{reason}\nOnly grading needs it."


CHECKS: tuple[Callable[[Course], Findings], ...] = (_python, _packages, _kernel, _sandbox)
