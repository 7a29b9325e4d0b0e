"""The command that shuts a program in: bubblewrap, with the folders that it may see."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import helpers
from helpers import results
from helpers.course.sandbox import seccomp, usage
from helpers.course.sandbox.namespaces import CAPABILITIES, DEVICES, FOLDERS

LIBRARY = Path(helpers.__file__).parent
HOME = FOLDERS[0]
# Without a .. in it, which may lead through what is not inside; not resolved, which would leave
# the virtual environment.
PYTHON = os.path.abspath(sys.executable)  # noqa: PTH100
MISSING = """\
bubblewrap is missing: it keeps a learner's code away from your files, the network and the other
learners. On Debian and Ubuntu: apt install bubblewrap; on Fedora: dnf install bubblewrap.
Where the whole machine is thrown away afterwards, as in a container, --no-sandbox does without."""
ELSEWHERE = """\
bubblewrap, which keeps a learner's code away from your files, is for Linux only. On macOS grade in
a virtual machine or a container with Linux; --no-sandbox does without, and runs the code WITH YOUR
RIGHTS: only where the whole machine is thrown away afterwards."""
REFUSED = """\
bubblewrap cannot make a sandbox here: {reason}
In a container it needs user namespaces (for Docker: --security-opt seccomp=unconfined); where
AppArmor confines bwrap, its profile must leave capabilities to what runs inside. Where the whole
machine is thrown away afterwards, --no-sandbox does without."""


def available() -> str:
    """Return why no sandbox can be made and what to do; empty where one can."""
    if sys.platform != "linux":
        return ELSEWHERE
    if shutil.which("bwrap") is None:
        return MISSING
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    command = [PYTHON, "-m", "helpers.course.sandbox.namespaces"]
    with start(command, text=True, **pipes) as trial:
        reason = trial.communicate(timeout=30)[1].strip()
    return REFUSED.format(reason=reason or "it ended") if trial.returncode else ""


def start(
    program: Sequence[str], prefix: Sequence[str] = (), **options: Any
) -> subprocess.Popen[Any]:
    """Run a program in a sandbox.

    Args:
        program: its name and arguments.
        prefix: what stands before the command, as that which goes into a cgroup.
        options: for `subprocess.Popen`.
    """
    with tempfile.TemporaryFile() as rules:
        rules.write(seccomp.program())
        passed = (rules.fileno(),) if rules.tell() else ()
        rules.seek(0)
        words = [word for number in passed for word in ("--seccomp", str(number))]
        words = [*prefix, *command(), *words, *program]
        # Its own variables are for all to see who are the same user.
        own = {name: os.environ[name] for name in usage.VARIABLES if name in os.environ}
        return subprocess.Popen(words, pass_fds=passed, env=own, cwd="/", **options)


def command() -> list[str]:
    """Return the part of the command that says what can be seen; see `start`."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--as-pid-1"]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    for name in CAPABILITIES:  # until a kernel has its namespaces
        words += ["--cap-add", name]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    words += ["--proc", "/proc", "--dir", "/dev", "--symlink", "/proc/self/fd", "/dev/fd"]
    for name in DEVICES:
        # /dev/full gives zeros as well, and cannot be mapped: memory that counts as nobody's.
        given = "full" if name == "zero" else name
        words += ["--dev-bind", f"/dev/{given}", f"/dev/{name}"]
    for folder in FOLDERS:
        words += ["--tmpfs", folder]
    for folder in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if Path(folder).is_symlink():
            words += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            words += ["--ro-bind-try", folder, folder]
    for path, place in shown().items():
        words += ["--ro-bind-try", path, place]
    words += ["--remount-ro", "/", "--chdir", "/tmp"]
    for name, value in environment().items():
        words += ["--setenv", name, value]
    return words


def shown() -> dict[str, str]:
    """Return files and folders that can be read inside, and where they stand there."""
    system = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"]
    python = {sys.prefix, sys.base_prefix, str(Path(PYTHON).resolve().parent.parent)}
    records = [str(each) for each in results.PLACES if each.is_dir()]
    places = {path: path for path in (*system, *sorted(python), str(LIBRARY), *records)}
    # What matplotlib knows of the fonts, or each sandbox would look through all of them.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    fonts = sorted(cache.glob("fontlist-*.json"))
    return places | {str(each): f"{HOME}/.cache/matplotlib/{each.name}" for each in fonts}


def environment() -> dict[str, str]:
    """Return the variables of a kernel."""
    inside = {
        "PATH": f"{Path(PYTHON).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(LIBRARY.parent),
        "HOME": HOME,
        "USER": "learner",
        "LANG": "C.UTF-8",
        "TERM": "dumb",  # help is shown at once
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_NO_INDEX": "1",  # no network: else pip would try for half a minute
        "ORDER_MATTERS_PROFILE": "dry",  # where a learner has changed a cell that trains
    }
    # Threads of a learner's would only get in the way of the next worker's.
    return inside | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
