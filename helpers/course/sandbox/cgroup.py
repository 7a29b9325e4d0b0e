"""Limits of a whole sandbox that the kernel itself holds, where the system lends a cgroup.

A cgroup counts all processes of a sandbox together, with the files that they have in memory, and at
every moment. It takes version 2, and a folder that is ours to divide: that of a container, or what
`systemd-run --user --scope -p Delegate=yes` gives. Elsewhere the looks of `process.py` hold alone.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import psutil

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
CONTROLLERS = {"memory", "pids"}
GRADER = "grader"  # where we go ourselves: a cgroup that is divided has no processes of its own
ENDING = 10.0  # seconds that the last of 200 processes may take on a slow machine
NAME = "sandbox-{}-{}"
JOIN = ["sh", "-c", 'echo 0 > "$0" && exec "$@"']  # then the program is in it from its beginning
_numbers = count(1)


def unavailable() -> str:
    """Empty where there is a cgroup to divide; else why there is none."""
    try:
        home = _home()
        if missing := CONTROLLERS - set((home / "cgroup.controllers").read_text().split()):
            return f"the cgroup {home} does not limit {' and '.join(sorted(missing))}"
        if not os.access(home / "cgroup.procs", os.W_OK) or not os.access(home, os.W_OK):
            return f"the cgroup {home} belongs to somebody else"
        strangers = _processes(home) - _relatives()
        if strangers and not _delegated(home):
            return f"the cgroup {home} holds other processes, as {min(strangers)}"
    except (OSError, StopIteration):
        return "there are no cgroups of version 2"
    return ""


def _home() -> Path:
    """The cgroup to divide: the one that we were started in."""
    lines = OWN.read_text().splitlines()
    path = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
    own = ROOT / path
    return own.parent if own.name == GRADER else own


def _processes(group: Path) -> set[int]:
    return set(map(int, (group / "cgroup.procs").read_text().split()))


def _relatives() -> set[int]:
    me = psutil.Process()
    return {each.pid for each in (me, *me.parents(), *me.children(recursive=True))}


def _delegated(group: Path) -> bool:
    """Whether systemd says that all in it is its user's to arrange."""
    for name in ("user.delegate", "trusted.delegate"):
        with suppress(OSError):
            return os.getxattr(group, name) == b"1"
    return False


def give(user: int) -> None:
    """Let a user divide in our place what is lent to us, as far as the system allows it."""
    if not unavailable():
        home = _home()
        for place in (home, home / "cgroup.procs", home / "cgroup.subtree_control"):
            with suppress(OSError):
                os.chown(place, user, user)


def lent(memory: int, processes: int) -> Cgroup | None:
    """A `Cgroup`, or None where the system lends none."""
    with suppress(OSError):
        return None if unavailable() else Cgroup(memory, processes)
    return None


class Cgroup:
    """The cgroup of one sandbox.

    Args:
        memory: bytes in all, files in memory included. processes: threads count.

    Raises:
        OSError: the system refuses.
    """

    def __init__(self, memory: int, processes: int) -> None:
        home = _home()
        (home / GRADER).mkdir(exist_ok=True)
        for pid in _processes(home):
            with suppress(ProcessLookupError):
                (home / GRADER / "cgroup.procs").write_text(str(pid))
        (home / "cgroup.subtree_control").write_text("+memory +pids")
        self.path = home / NAME.format(os.getpid(), next(_numbers))
        self.path.mkdir()
        limits = {"memory.max": memory, "memory.oom.group": 1, "pids.max": processes}
        for name, value in limits.items():
            (self.path / name).write_text(str(value))
        with suppress(OSError):  # a system without swap has no such file
            (self.path / "memory.swap.max").write_text("0")

    @property
    def words(self) -> list[str]:
        """What stands before a command that is to run in it."""
        return [*JOIN, str(self.path / "cgroup.procs")]

    def burst(self) -> bool:
        """Whether the kernel has ended what is in it for its memory."""
        events = (self.path / "memory.events").read_text().split()
        return int(events[events.index("oom_kill") + 1]) > 0

    def close(self) -> None:
        """End what is in it, and remove it."""
        with suppress(OSError):  # Linux before 5.14 has no such file
            (self.path / "cgroup.kill").write_text("1")
        end = time.monotonic() + ENDING
        while time.monotonic() < end:
            try:
                return self.path.rmdir()
            except FileNotFoundError:  # it is closed already
                return
            except OSError:  # as long as something in it has not ended
                time.sleep(0.01)
