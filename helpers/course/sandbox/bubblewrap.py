"""The command that shuts a program in: bubblewrap, with what it may see and ask of Linux."""

from __future__ import annotations

import errno
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import helpers
from helpers import results
from helpers.course.sandbox import usage
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
# System calls that no notebook needs. Shared memory, semaphores, messages, files without a name and
# Landlock's rules count as nobody's memory; a process that chooses its cores takes those of its
# neighbours; keys are those of a user, who is also the grader; the others are ways into Linux.
NUMBERS = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "sched_setaffinity": 203, "add_key": 248,
        "request_key": 249, "keyctl": 250, "perf_event_open": 298, "memfd_create": 319,
        "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "memfd_secret": 447,
        "landlock_create_ruleset": 444,
    },
    "aarch64": {
        "msgget": 186, "semget": 190, "shmget": 194, "add_key": 217, "request_key": 218,
        "keyctl": 219, "sched_setaffinity": 122, "perf_event_open": 241, "memfd_create": 279,
        "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425, "memfd_secret": 447,
        "landlock_create_ruleset": 444,
    },
}  # fmt: skip
# Of some calls a form is refused: which argument, the bits of it that count, and their value.
# A lease (F_SETLEASE) keeps others from a file of the same user for 45 s, as from Python's own;
# shared pages without a name (MAP_SHARED | MAP_ANONYMOUS) stay when no process sees them any more.
LEASE, SHARED = (1, 0xFFFFFFFF, 1024), (3, 0x21, 0x21)
FORMS = {"x86_64": {72: LEASE, 9: SHARED}, "aarch64": {25: LEASE, 222: SHARED}}  # fcntl, mmap
SOCKETS = {"x86_64": (41, 53), "aarch64": (198, 199)}  # socket, socketpair
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6; the others lead to machine and kernel
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_… of linux/audit.h
OTHER_NUMBERS = 0x40000000  # x32: the same calls by other numbers
# Offsets in struct seccomp_data, and what the program's steps are called in linux/filter.h.
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
NO_SUCH_FAMILY = 0x00050000 | errno.EAFNOSUPPORT


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
        rules.write(seccomp())
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


def seccomp() -> bytes:
    """Return a filter of system calls that Linux runs before each; empty if none is known for here.

    It is in Linux's form: struct sock_filter.
    """
    machine = platform.machine()
    if machine not in NUMBERS:
        return b""
    checks = [(AT_LEAST, OTHER_NUMBERS), *((EQUAL, n) for n in NUMBERS[machine].values())]
    steps = [(LOAD, 0, 0, ARCHITECTURE_AT), (EQUAL, 1, 0, ARCHITECTURE[machine])]
    steps += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER_AT)]
    for how, number in checks:
        steps += [(how, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    for number, (argument, bits, value) in FORMS[machine].items():
        steps += [(EQUAL, 0, 5, number), (LOAD, 0, 0, FIRST_ARGUMENT_AT + 8 * argument)]
        steps += [(AND, 0, 0, bits), (EQUAL, 0, 1, value)]
        steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    opened, paired = SOCKETS[machine]
    steps += [(EQUAL, 2, 0, opened), (EQUAL, 1, 0, paired), (RETURN, 0, 0, ALLOW)]
    steps += [(LOAD, 0, 0, FIRST_ARGUMENT_AT)]
    for family in FAMILIES:
        steps += [(EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    steps += [(RETURN, 0, 0, NO_SUCH_FAMILY)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
