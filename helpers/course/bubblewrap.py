"""The command that shuts a program in: bubblewrap, with the folders that it may see."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import helpers
from helpers import recorded

LIBRARY = Path(helpers.__file__).parent
VARIANTS = LIBRARY / "checks" / "variants"
SOCKETS_INSIDE = "/run/kernel"
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
    trial = [*command(1 << 20, "/tmp"), "true"]
    done = subprocess.run(trial, capture_output=True, text=True, timeout=30, check=False)
    return "" if done.returncode == 0 else REFUSED.format(reason=done.stderr.strip())


def command(files: int, sockets: str) -> list[str]:
    """What runs a program in a sandbox.

    Args:
        files: bytes that it may keep in each of its folders.
        sockets: folder that it shares with the grader.
    """
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
    # Right answers in other words, for the course's own tests.
    words += ["--tmpfs", str(VARIANTS), "--remount-ro", str(VARIANTS)]
    words += ["--bind", sockets, SOCKETS_INSIDE, "--mqueue", "/dev/mqueue"]
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
        "HOME": "/tmp",
        "USER": "learner",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # Threads of a learner's would only get in the way of the next worker's.
    return inside | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
