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

import psutil

import helpers
from helpers import recorded
from helpers.course import drop
from helpers.course.sandbox import seccomp
from helpers.course.sandbox.room import FOLDERS

LIBRARY = Path(helpers.__file__).parent
HOME = FOLDERS[0]
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
In a container it needs user namespaces (for Docker: --security-opt seccomp=unconfined).{root} Where
the whole machine is thrown away afterwards, --no-sandbox does without."""
AS_ROOT = """ Grading as
root starts it as an unprivileged user, who must be let in: grade as an ordinary user instead."""


def available() -> str:
    """Empty where a sandbox can be made; else why not and what to do."""
    if sys.platform != "linux":
        return ELSEWHERE
    if shutil.which("bwrap") is None:
        return MISSING
    reason = _trial()
    root = AS_ROOT if os.geteuid() in (0, drop.NOBODY) else ""
    return REFUSED.format(reason=reason, root=root) if reason else ""


def _trial() -> str:
    """What goes wrong with a sandbox that holds a shell; empty if nothing does."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start(["sh", "-c", "echo; read end"], 1 << 20, text=True, **pipes) as trial:
        if trial.stdout and trial.stdout.readline():
            try:
                list(Path(f"/proc/{inside(trial.pid)}/fd").iterdir())
            except OSError as error:
                return f"what runs in it cannot be watched ({error})"
        told = trial.communicate("\n", timeout=30)[1].strip()
    return told or "it ended" if trial.returncode else ""


def inside(pid: int) -> int:
    """The first process in the sandbox of the bubblewrap `pid`."""
    return int(psutil.Process(pid).children()[0].pid)


def start(
    program: Sequence[str], files: int, join: Sequence[str] = (), **options: Any
) -> subprocess.Popen[Any]:
    """Run a program in a sandbox.

    Args:
        program: its name and arguments.
        files: bytes that it may keep in its folders.
        join: what stands before the command, as that which goes into a cgroup.
        options: for `subprocess.Popen`.
    """
    with tempfile.TemporaryFile() as rules:
        rules.write(seccomp.program())
        passed = (rules.fileno(),) if rules.tell() else ()
        rules.seek(0)
        words = [word for number in passed for word in ("--seccomp", str(number))]
        words = [*join, *drop.words(shown()), *command(files), *words, *program]
        # Its own variables are for all to see who are the same unprivileged user.
        path = {"PATH": os.environ.get("PATH", os.defpath)}
        return subprocess.Popen(words, pass_fds=passed, env=path, cwd="/", **options)


def command(files: int) -> list[str]:
    """The part of the command that says what can be seen; see `start`."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--as-pid-1"]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    words += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"]
    # It gives zeros as well; but /dev/zero can be mapped, which is memory that counts as nobody's.
    words += ["--dev-bind", "/dev/full", "/dev/zero"]
    for folder in FOLDERS:
        words += ["--size", str(files // len(FOLDERS)), "--tmpfs", folder]
    for folder in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if Path(folder).is_symlink():
            words += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            words += ["--ro-bind-try", folder, folder]
    for path, place in _system().items():
        words += ["--ro-bind-try", path, place]
    for path in _helpers():
        words += ["--ro-bind-try", path, path]
    # What can be written is emptied between two learners; these would not be.
    for folder in ("/dev", "/"):
        words += ["--remount-ro", folder]
    words += ["--chdir", "/tmp"]
    for name, value in environment().items():
        words += ["--setenv", name, value]
    return words


def shown() -> dict[str, str]:
    """Files and folders that can be read inside, and where they stand there."""
    return _system() | {path: path for path in _helpers()}


def _helpers() -> list[str]:
    results = [str(each) for each in recorded.PLACES if each.is_dir()]
    return [str(LIBRARY), *results]


def _system() -> dict[str, str]:
    system = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"]
    python = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    places = {path: path for path in (*system, *sorted(python))}
    return places | {str(each): f"{HOME}/.cache/matplotlib/{each.name}" for each in fonts()}


def fonts() -> list[Path]:
    """What matplotlib knows of the fonts, or each sandbox would look through all of them."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    return sorted(cache.glob("fontlist-*.json"))


def environment() -> dict[str, str]:
    """The variables of a kernel."""
    inside = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(LIBRARY.parent),
        "HOME": HOME,
        "USER": "learner",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_NO_INDEX": "1",  # no network: else pip would try for half a minute
        "ORDER_MATTERS_PROFILE": "dry",  # where a learner has changed a cell that trains
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # a warning of the debugger, which nobody uses
    }
    # Threads of a learner's would only get in the way of the next worker's.
    return inside | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
