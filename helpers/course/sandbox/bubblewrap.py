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
from helpers import recorded
from helpers.course.sandbox import seccomp

LIBRARY = Path(helpers.__file__).parent
SOCKETS_INSIDE, HOME = "/run/kernel", "/tmp"
MISSING = """\
bubblewrap is missing: it keeps a learner's code away from your files, the network and the other
learners. On Debian and Ubuntu: apt install bubblewrap; on Fedora: dnf install bubblewrap.
Where the whole machine is thrown away afterwards, as in a container, --no-sandbox does without."""
REFUSED = """\
bubblewrap cannot make a sandbox here: {reason}
In a container it needs user namespaces (for Docker: --security-opt seccomp=unconfined). Where the
whole machine is thrown away afterwards, --no-sandbox does without."""


def available() -> str:
    """Empty where a sandbox can be made; else why not and what to do."""
    if shutil.which("bwrap") is None:
        return MISSING
    with start(["true"], 1 << 20, "/tmp", stderr=subprocess.PIPE, text=True) as trial:
        reason = trial.communicate(timeout=30)[1]
    return "" if trial.returncode == 0 else REFUSED.format(reason=reason.strip())


def start(
    program: Sequence[str], files: int, sockets: str, **options: Any
) -> subprocess.Popen[Any]:
    """Run a program in a sandbox.

    Args:
        program: its name and arguments.
        files: bytes that it may keep in each of its folders.
        sockets: folder that it shares with the grader.
        options: for `subprocess.Popen`.
    """
    with tempfile.TemporaryFile() as rules:
        rules.write(seccomp.program())
        passed = (rules.fileno(),) if rules.tell() else ()
        rules.seek(0)
        words = [word for number in passed for word in ("--seccomp", str(number))]
        words = [*command(files, sockets), *words, *program]
        return subprocess.Popen(words, pass_fds=passed, **options)


def command(files: int, sockets: str) -> list[str]:
    """The part of the command that says what can be seen; see `start`."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--as-pid-1"]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        words += ["--size", str(files), "--tmpfs", folder]
    for folder in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if Path(folder).is_symlink():
            words += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            words += ["--ro-bind-try", folder, folder]
    system = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"]
    python = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    results = [str(each) for each in recorded.PLACES if each.is_dir()]
    for path in (*system, *sorted(python), str(LIBRARY), *results):
        words += ["--ro-bind-try", path, path]
    words += ["--bind", sockets, SOCKETS_INSIDE, "--mqueue", "/dev/mqueue"]
    # What matplotlib knows of the fonts, or each sandbox would look through all of them.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    for fonts in sorted(cache.glob("fontlist-*.json")):
        words += ["--ro-bind", str(fonts), f"{HOME}/.cache/matplotlib/{fonts.name}"]
    # What can be written is emptied between two learners; these would not be.
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
    for name, value in environment().items():
        words += ["--setenv", name, value]
    return words


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
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # a warning of the debugger, which nobody uses
    }
    # Threads of a learner's would only get in the way of the next worker's.
    return inside | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
