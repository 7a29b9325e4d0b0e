"""Looks at the machine and says in plain words what is missing and what to do.

It loads nothing that may be missing before it looks, so that it can say so.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from helpers.course.settings import Course

LOCKS = ("requirements.lock", "requirements-no-deps.lock")
NEEDED = ("lab", "grading")  # groups of pyproject.toml; the others are for maintainers
DISK = 2  # GiB; a large class with its feedback may take as much
MEMORY = 4  # GiB that one learner's notebook may take
PORT = 8888
MEND = "run `make demo`, which installs what is missing"


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `ok`, `note` (works without) or `missing`, and what to do."""

    state: str
    text: str


def examine(course: Course) -> Iterator[Finding]:
    """Look at everything; what cannot even be looked at is missing."""
    for look in LOOKS:
        try:
            yield from look(course)
        except Exception as error:  # whatever a half-installed package does
            name = look.__name__.strip("_")
            yield Finding("missing", f"{name}: {type(error).__name__}: {error}; {MEND}")


def report(course: Course) -> int:
    """Print what there is; how many needed things are missing."""
    missing = 0
    for finding in examine(course):
        print(f"{finding.state:7}  {finding.text}")
        missing += finding.state == "missing"
    print(f"\n{missing} to mend" if missing else "\nAll that is needed is there.")
    return missing


def _python(course: Course) -> Iterator[Finding]:
    from packaging.specifiers import SpecifierSet

    wanted = SpecifierSet(_project(course)["requires-python"])
    found = f"Python {platform.python_version()} at {sys.executable}"
    if platform.python_version() in wanted:
        yield Finding("ok", found)
    else:
        yield Finding("missing", f"{found}; the course wants {wanted}: install a newer Python")


def _packages(course: Course) -> Iterator[Finding]:
    from packaging.requirements import Requirement

    project = _project(course)
    groups = project["optional-dependencies"]
    asked = [*project["dependencies"], *(line for group in NEEDED for line in groups[group])]
    unfit = []
    for requirement in map(Requirement, asked):
        version = _version(requirement.name)
        if not version or not requirement.specifier.contains(version, prereleases=True):
            unfit.append(f"{requirement} (found {version or 'none'})")
    if unfit:
        yield Finding("missing", f"packages: {', '.join(unfit)}; {MEND}")
    locked = [
        line.split("==")
        for lock in LOCKS
        for line in (course.root / lock).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    other = [
        f"{name} {_version(name) or 'none'} for {version}"
        for name, version in locked
        if _version(name).partition("+")[0] != version  # "+cpu" says how it was built
    ]
    if other:
        yield Finding("note", f"not as tested: {', '.join(other)}; {MEND}")
    if not unfit:
        yield Finding("ok", f"{len(asked)} packages, {len(locked) - len(other)} just as tested")


def _sandbox(_course: Course) -> Iterator[Finding]:
    from helpers.course.sandbox import bubblewrap

    reason = bubblewrap.available()
    yield Finding("missing", reason) if reason else Finding("ok", "bubblewrap makes a sandbox")


def _kernel(_course: Course) -> Iterator[Finding]:
    from jupyter_client.manager import start_new_kernel

    quiet = ["--log-level=ERROR"]  # it warns of its local connection each time
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=quiet)
    try:
        said = client.execute_interactive("import torch, helpers", timeout=120)["content"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    if said["status"] == "ok":
        yield Finding("ok", "the kernel python3 starts and finds torch and the helpers")
    else:
        told = f"{said['ename']}: {said['evalue']}"
        again = f"{sys.executable} -m ipykernel install --sys-prefix"
        yield Finding("missing", f"the kernel python3 says {told}; make it anew: {again}")


def _disk(course: Course) -> Iterator[Finding]:
    free = shutil.disk_usage(course.root).free / 2**30
    text = f"disk: {free:.1f} GiB are free"
    enough = free >= DISK
    yield (
        Finding("ok", text)
        if enough
        else Finding("missing", f"{text}; grading a large class may take {DISK}: free some space")
    )


def _memory(_course: Course) -> Iterator[Finding]:
    import psutil

    free = psutil.virtual_memory().available / 2**30
    text = f"memory: {free:.1f} GiB are free, {os.cpu_count()} cores"
    enough = free >= MEMORY
    yield (
        Finding("ok", text)
        if enough
        else Finding(
            "note", f"{text}; one notebook may take {MEMORY}: close something, or grade --workers 1"
        )
    )


def _gpu(_course: Course) -> Iterator[Finding]:
    import torch

    if torch.cuda.is_available():
        yield Finding("ok", f"GPU: {torch.cuda.get_device_name()}")
    else:
        yield Finding("note", "no GPU that PyTorch can use; every notebook also runs without")


def _port(_course: Course) -> Iterator[Finding]:
    with socket.socket() as probe:
        taken = probe.connect_ex(("127.0.0.1", PORT)) == 0
    if taken:
        yield Finding("note", f"port {PORT} is taken; open JupyterLab with `make lab PORT=9000`")
    else:
        yield Finding("ok", f"port {PORT} is free for JupyterLab")


def _chromium(_course: Course) -> Iterator[Finding]:
    names = ("chromium", "chromium-browser", "google-chrome")
    if any(map(shutil.which, names)):
        yield Finding("ok", "Chromium, for the tests in a browser")
    else:
        yield Finding("note", "no Chromium; only tests want it: apt install chromium")


LOOKS: tuple[Callable[[Course], Iterator[Finding]], ...] = (
    _python, _packages, _sandbox, _kernel, _disk, _memory, _gpu, _port, _chromium,
)  # fmt: skip


def _project(course: Course) -> dict[str, Any]:
    text = (course.root / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def _version(name: str) -> str:
    """Installed version of a package; empty if there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
