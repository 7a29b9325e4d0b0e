"""Looks at the machine and says in plain words what is missing and what to do.

It loads nothing that may be missing before it looks, so that it can say so.
"""

from __future__ import annotations

import itertools
import os
import platform
import shutil
import socket
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from helpers.course import foreground, install
from helpers.course.install import LOCKS
from helpers.course.settings import WINDOWS, Course

DISK = 2  # GiB; a large class with its feedback may take as much
SECOND = 1.0  # between two words of what is being looked at
MEMORY = 4  # GiB that one learner's notebook may take
PORTS = {8888: "make lab PORT=9000", 8889: "course formgrade OUT --port 9001"}
GRADING = "python3 -m helpers.course setup grading"
SETTINGS = Path("/proc/sys")
# Settings of Linux that keep a program from making a sandbox: the value that does, and the cure.
FORBIDDING = {
    "kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    "user/max_user_namespaces": ("0", "user.max_user_namespaces=15000"),
}


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `ok`, `note` (works without) or `missing`, and what to do."""

    state: str
    text: str


Look = Callable[[Course], Iterator[Finding]]


def report(course: Course) -> int:
    """Look at everything and print what there is; how many needed things are missing."""
    missing = 0
    for look in LOOKS:
        with _waiting(f"looking at {_name(look)}"):
            found = list(_examined(look, course))
        for finding in found:
            print(f"{finding.state:7}  {finding.text}", flush=True)
            missing += finding.state == "missing"
    print(f"\n{missing} to fix" if missing else "\nEverything needed is there.")
    return missing


def _examined(look: Look, course: Course) -> Iterator[Finding]:
    """What a look finds; what cannot even be looked at is missing."""
    try:
        yield from look(course)
    except Exception as error:  # whatever a half-installed package does
        yield Finding(
            "missing", f"{_name(look)}: {type(error).__name__}: {error}; {install.mend()}"
        )


def _name(look: Look) -> str:
    return look.__name__.strip("_")


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Say what is being done, and the seconds that it has taken; nothing of that stays."""
    over = threading.Event()

    def tell() -> None:
        for passed in itertools.count():
            print(f"\r{what}: {passed} s", end="", file=sys.stderr, flush=True)
            if over.wait(SECOND):
                break
        print(f"\r{'':{len(what) + 9}}\r", end="", file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _python(course: Course) -> Iterator[Finding]:
    from packaging.specifiers import SpecifierSet

    wanted = SpecifierSet(_project(course)["requires-python"])
    found = f"Python {platform.python_version()} at {sys.executable}"
    if platform.python_version() in wanted:
        yield Finding("ok", found)
    else:
        yield Finding("missing", f"{found}; the course needs {wanted}: install a newer Python")


def _packages(course: Course) -> Iterator[Finding]:
    from packaging.requirements import Requirement

    project = _project(course)
    groups = project["optional-dependencies"]
    level = install.level()
    extras = install.LEVELS[level].split(",")
    asked = [*project["dependencies"], *(line for group in extras for line in groups[group])]
    unfit = []
    for requirement in map(Requirement, asked):
        version = _version(requirement.name)
        if not version or not requirement.specifier.contains(version, prereleases=True):
            unfit.append(f"{requirement} (found {version or 'none'})")
    if unfit:
        yield Finding("missing", f"packages: {', '.join(unfit)}; {install.mend()}")
    locked = [
        line.split("==")
        for lock in LOCKS
        for line in (course.root / lock).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    other = [
        f"{name} {_version(name)} instead of {version}"
        for name, version in locked
        if _version(name).partition("+")[0] not in ("", version)  # "+cpu" says how it was built
    ]
    if other:
        yield Finding("note", f"not the tested version: {', '.join(other)}; {install.mend()}")
    if not unfit:
        yield Finding("ok", f"all {len(asked)} packages that are asked for, for: {level}")


def _environment(course: Course) -> Iterator[Finding]:
    reason = install.stale(course.root, install.level())
    if reason and Path(sys.prefix) == course.root / ".venv":
        yield Finding("note", f"{sys.prefix}: {reason}; {install.mend()}")
    else:
        yield Finding("ok", f"the environment {sys.prefix}")


def _torch(_course: Course) -> Iterator[Finding]:
    import torch

    yield Finding("ok", f"PyTorch {torch.__version__} can be imported")
    if torch.cuda.is_available():
        yield Finding("ok", f"GPU: {torch.cuda.get_device_name()}")
    else:
        yield Finding("note", "no GPU that PyTorch can use; every notebook also runs without one")


def _nbgrader(_course: Course) -> Iterator[Finding]:
    if not _version("nbgrader"):
        yield Finding("note", "no nbgrader; only grading needs it: " + GRADING)
        return
    from helpers.course.authoring.nbgrade import newest_tables

    told = f"nbgrader {_version('nbgrader')}, whose gradebooks are of version {newest_tables()}"
    yield Finding("ok", told)


def _sandbox(_course: Course) -> Iterator[Finding]:
    if os.name == "nt":
        yield Finding("note", WINDOWS)
        return
    from helpers.course.sandbox import bubblewrap, cgroup

    reason = bubblewrap.available()
    if not reason:
        yield Finding("ok", "bubblewrap makes a sandbox")
    elif sys.platform == "linux":
        cures = "".join(f"\nThis may help here: sudo sysctl -w {each}" for each in _forbidding())
        yield Finding("missing", reason + cures)
    else:
        yield Finding("note", f"{reason}\nOnly grading needs it.")
    if reason or sys.platform != "linux":
        return
    if reason := cgroup.unavailable():
        looks = "limits of memory and processes are held by a look every quarter of a second"
        scope = "--scope" if foreground.is_root() else "--user --scope"
        lend = f"systemd-run {scope} -p Delegate=yes course grade … lends one"
        yield Finding("note", f"{looks}, not by cgroup: {reason}; {lend}")
    else:
        yield Finding("ok", "limits of memory and processes are held by cgroup")


def _forbidding() -> Iterator[str]:
    """Settings that forbid user namespaces here, as they ought to be."""
    for name, (value, cure) in FORBIDDING.items():
        place = SETTINGS / name
        if place.is_file() and place.read_text().strip() == value:
            yield cure


def _kernel(_course: Course) -> Iterator[Finding]:
    from jupyter_client.manager import start_new_kernel

    import helpers

    quiet = ["--log-level=ERROR"]  # it warns of its local connection each time
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=quiet)
    try:
        asked = {"file": "helpers.__file__"}
        said = client.execute_interactive(
            "import torch, helpers", user_expressions=asked, timeout=120
        )["content"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    if said["status"] != "ok":
        told = f"{said['ename']}: {said['evalue']}"
        again = f"{sys.executable} -m ipykernel install --sys-prefix"
        yield Finding("missing", f"the kernel python3 says {told}; install it again: {again}")
        return
    found = said["user_expressions"]["file"].get("data", {}).get("text/plain", "").strip("'")
    if found == helpers.__file__:
        yield Finding("ok", "the kernel python3 starts and finds torch and the helpers")
    else:
        told = f"the kernel python3 imports another package called helpers, {found or 'a folder'}"
        yield Finding(
            "missing",
            f"{told}: rename it, or `pip uninstall helpers`, then {install.mend()}",
        )


def _namesakes(course: Course) -> Iterator[Finding]:
    """Files beside a notebook are found before all that is installed."""
    for found in sorted([*course.work.glob("*/helpers.py"), *course.work.glob("*/helpers/")]):
        yield Finding("missing", f"{found} hides the course's helpers from the notebook: rename it")


def _disk(course: Course) -> Iterator[Finding]:
    free = shutil.disk_usage(course.root).free / 2**30
    text = f"disk: {free:.1f} GiB are free"
    enough = free >= DISK
    yield (
        Finding("ok", text)
        if enough
        else Finding(
            "missing", f"{text}; grading a large class may take {DISK} GiB: free some space"
        )
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
            "note",
            f"{text}; one notebook may take {MEMORY} GiB: close something, or grade --workers 1",
        )
    )


def _ports(_course: Course) -> Iterator[Finding]:
    for port, other in PORTS.items():
        with socket.socket() as probe:
            taken = probe.connect_ex(("127.0.0.1", port)) == 0
        if taken:
            yield Finding("note", f"port {port} is taken; name another: `{other}`")
        else:
            yield Finding("ok", f"port {port} is free")


def _root(_course: Course) -> Iterator[Finding]:
    if foreground.is_root():
        told = "you are root; everything works, but what you run may do anything on this machine"
        yield Finding("note", f"{told}: an ordinary user is safer")


LOOKS: tuple[Look, ...] = (
    _python, _environment, _packages, _torch, _kernel, _namesakes, _nbgrader, _sandbox,
    _disk, _memory, _ports, _root,
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
