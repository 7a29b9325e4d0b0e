"""Where a learner's notebook runs: nothing of the course or of others can be reached from it.

bubblewrap gives it namespaces of its own: no network, no other processes, a read-only system, a
small folder in memory. What it may use is bounded, and one look at it every quarter of a second
ends it when it goes beyond. Where the system lends a cgroup, the kernel itself holds memory and
processes at every moment.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil

from helpers.course import drop
from helpers.course.sandbox import bubblewrap, cgroup, memory
from helpers.course.sandbox.room import FOLDERS, SOCKETS
from helpers.course.settings import CourseError

LOOK = 0.25  # seconds between two looks at what a sandbox uses
START = 180.0  # seconds until torch is loaded, or a kernel answers
STOP = 10.0  # seconds until all that a kernel left is ended
MANY = 40  # processes at once
SOCKETS_OPEN = 200  # at once
SOCKETS_FREE = 24  # a kernel has 16 of its own
WAITING = 10 << 20  # bytes that may wait in a socket, which count as no process's memory
NAMES = 50_000  # files and folders at once, of which each takes Linux about a kilobyte
WATCHES = 5_000  # of files at once, of which Linux counts those of a user; a kernel has about 20
CROWD = 24  # threads at once that may run on all cores; a kernel itself has about ten
HIDDEN = 3  # looks; a kernel that begins is hidden for a moment
MANY_BUSY = 6  # processes at once that may; two threads or four that load data are fewer
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")


@dataclass(frozen=True)
class Limits:
    """What one notebook may use: seconds, bytes, processes."""

    cell_seconds: float = 120
    notebook_seconds: float = 900
    memory: int = 4 << 30
    processes: int = 200  # threads count
    file_size: int = 64 << 20
    files: int = 512 << 20  # all of its files, which are in memory; each folder has its part
    output: int = 8 << 20  # of one cell; what comes after is left out
    outputs: int = 32 << 20  # of all cells

    def as_resources(self) -> dict[str, int]:
        """For `resource.setrlimit`, by process."""
        return {
            "RLIMIT_DATA": self.memory,
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
        }


class SandboxError(Exception):
    """The kernel is gone; the text is the reason, for learner and instructor."""


class SandboxDiedError(SandboxError):
    """The sandbox is gone, and not for what the learner's code used."""


class Sandbox:
    """A warm process that forks kernels, one at a time; it takes seconds until it is warm.

    Args:
        limits: of each notebook.
        isolated: False runs it as a plain process, with nothing between it and the machine.
    """

    def __init__(self, limits: Limits, isolated: bool = True) -> None:
        self.limits, self.isolated = limits, isolated
        # A socket's path must be short. A sandbox has a folder of its own for them.
        own = f"om-{os.getpid()}-"
        self.sockets = "" if isolated else tempfile.mkdtemp(prefix=own, dir="/tmp")
        self.folder = -1
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self.cgroup = cgroup.lent(limits.memory + limits.files, limits.processes)
        self.process = self._begin()
        self.said = b""
        self.kernels = 0
        self.ended = ""  # why the kernel is gone
        self.next_look = 0.0
        self.hidden = 0  # looks one after the other at which a process let nobody see its files
        self.ready = False

    @property
    def limited(self) -> str:
        """Who holds the limits of memory and processes, in a word."""
        return "cgroup" if self.cgroup else "looks"

    def _begin(self) -> subprocess.Popen[bytes]:
        join = self.cgroup.words if self.cgroup else []
        command = [sys.executable, "-m", "helpers.course.sandbox.warm"]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        pipes |= {"stderr": self.errors, "process_group": 0}  # Ctrl-C is for the grader alone
        if self.isolated:
            return bubblewrap.start(command, self.limits.files, join, **pipes)
        environment = os.environ | bubblewrap.environment()
        environment["PATH"] = os.environ.get("PATH", "")
        # Root is nobody without a sandbox, too; only what root alone may do would be lost by it.
        drop.give(self.sockets)
        open_to = [*bubblewrap.shown(), str(bubblewrap.LIBRARY), self.sockets]
        words = [*join, *drop.words(open_to), *command]
        return subprocess.Popen(words, env=environment, cwd=self.sockets, **pipes)

    def close(self) -> None:
        """End it, with all that runs in it."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            if pipe is not None:
                pipe.close()
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1
        if self.cgroup:
            self.cgroup.close()
        if not self.isolated:
            shutil.rmtree(self.sockets, ignore_errors=True)

    def wait(self) -> None:
        """Until it is warm.

        Raises:
            CourseError: it does not start.
        """
        if self.ready:
            return
        try:
            if self._hear("ready", START) is None:
                self.errors.seek(0)
                raise OSError(self.errors.read().decode(errors="replace").strip() or "no answer")
            if self.isolated:
                first = bubblewrap.inside(self.process.pid)
                self.folder = os.open(f"/proc/{first}/root{SOCKETS}", os.O_PATH)
                self.sockets = f"/proc/self/fd/{self.folder}"
        except (OSError, IndexError, psutil.Error) as error:
            self.close()
            raise CourseError(f"the sandbox does not start: {error}") from error
        self.ready = True

    def start(self, files: Mapping[str, bytes] | None = None) -> dict[str, Any]:
        """Fork a kernel; return how to connect to it.

        Args:
            files: what stands beside the notebook, by name.

        Raises:
            CourseError: the sandbox does not start.
        """
        self.wait()
        self.kernels += 1
        self.ended = ""
        connection: dict[str, Any] = {f"{name}_port": n for n, name in enumerate(CHANNELS, 1)}
        connection |= {"transport": "ipc", "key": secrets.token_hex(32)}
        connection |= {"signature_scheme": "hmac-sha256"}
        inside = SOCKETS if self.isolated else self.sockets
        self._tell(
            start=connection | {"ip": f"{inside}/{self.kernels}"},
            limits=self.limits.as_resources(),
            files={n: base64.b64encode(c).decode() for n, c in (files or {}).items()},
        )
        return connection | {"ip": f"{self.sockets}/{self.kernels}"}

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self._tell(signal=int(signal.SIGINT))

    def stop(self) -> bool:
        """End the kernel and all it has started; True where nothing of it is left."""
        if self.process.poll() is not None:
            return False
        self._tell(end=True)
        return self._hear("clean", STOP) is True

    def look(self) -> None:
        """Is the kernel still there, and within its limits?

        Raises:
            SandboxError: no.
        """
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + LOOK
        self._hear("", 0)
        if self.cgroup and self.cgroup.burst():
            self.process.wait()
            self.ended = self._too_much()
        if not self.ended and self.process.poll() is not None:
            raise SandboxDiedError("the sandbox ended")
        if not self.ended and (reason := self._beyond()):
            self.process.kill()  # with the first process of its namespace all others end
            self.process.wait()  # from now on it counts as ended
            self.ended = reason
        if self.ended:
            raise SandboxError(self.ended)

    def _beyond(self) -> str:
        """What of the limits is passed, in words."""
        waiting = 0
        try:
            processes = psutil.Process(self.process.pid).children(recursive=True)
            if len(processes) > MANY:
                return f"it started {len(processes)} processes"
            if self.isolated and processes:
                if (sockets := memory.sockets(processes[0].pid)) > SOCKETS_OPEN:
                    return f"it opened {sockets} sockets"
                if (number := memory.names(processes[0].pid, FOLDERS)) > NAMES:
                    return f"it made {number} files"
                hidden = memory.hide(processes[1:])
                self.hidden = self.hidden + 1 if hidden else 0
                if self.hidden > HIDDEN:
                    return "it hid what it had open"
                if memory.watches(processes[1:], WATCHES) > WATCHES:
                    return f"it watched more than {WATCHES} files"
                waiting = max(0, sockets - SOCKETS_FREE) * WAITING
            too_much = memory.use_more(processes, self.limits.memory - waiting)
            if self.isolated:
                with suppress(psutil.Error):  # one has ended since; what follows is looked at still
                    theirs = [each for each in processes if each.ppid() != self.process.pid]
                    threads = sum(each.num_threads() for each in theirs)
                    if threads > CROWD or len(theirs) > MANY_BUSY:
                        _herd(theirs)
        except psutil.NoSuchProcess:
            return ""
        return self._too_much() if too_much else ""

    def _too_much(self) -> str:
        return f"it used more than {self.limits.memory / 2**30:.1f} GiB of memory"

    def _tell(self, **message: Any) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise SandboxDiedError("the sandbox ended") from error

    def _hear(self, wanted: str, seconds: float) -> Any:
        """The value of the message `wanted`; None if it does not come in time."""
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while selector.select(max(0, end - time.monotonic())):
                read = os.read(self.process.stdout.fileno(), 65536)
                if not read:
                    return None
                *lines, self.said = (self.said + read).split(b"\n")
                messages = [json.loads(line) for line in lines]
                for message in messages:
                    if "exited" in message:
                        self.ended = _ending(message["exited"])
                    if wanted in message:
                        return message[wanted]
        return None


def _herd(processes: Iterable[psutil.Process]) -> None:
    """Keep a crowd on one core, the same for all crowds, so that the others stay the neighbours'.

    What it starts from now on is there too. A container may forbid it.
    """
    core = max(os.sched_getaffinity(0))
    for process in processes:
        with suppress(OSError, psutil.Error):
            for thread in process.threads():
                os.sched_setaffinity(thread.id, {core})


def _ending(status: int) -> str:
    if status < 0:
        return f"the kernel was killed ({signal.Signals(-status).name})"
    return f"the kernel ended itself (status {status})"
