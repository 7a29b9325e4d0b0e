"""Where a learner's notebook runs: nothing of the course or of others can be reached from it.

bubblewrap and `namespaces` give it a read-only system, no network, no other processes, and small
folders in memory. Linux holds what one process may use; what all use together is checked every
quarter of a second, which is approximate, or held by a cgroup where systemd makes one.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from helpers.course.sandbox import bubblewrap, usage
from helpers.course.sandbox.namespaces import FOLDERS
from helpers.course.sandbox.outputs import MOST
from helpers.course.settings import CourseError

CHECK = 0.25  # seconds between two checks of what a sandbox uses
SAID = 200  # bytes of its errors that a reason quotes
START = 180.0  # seconds until torch is loaded
STOP = 10.0  # seconds until all that a kernel left has ended
NO_START = """\
{}
That is no notebook's fault, so nothing more is graded. What has been graded is kept: once a sandbox
starts, the same command goes on from there."""
COMMAND = [bubblewrap.PYTHON, "-m", "helpers.course.sandbox.fork_server"]
ADDRESSES = 32 << 30  # bytes, as Linux's tables of them are memory that counts as nobody's


@dataclass(frozen=True)
class Limits:
    """What one notebook may use: seconds, bytes, processes."""

    cell_seconds: float = 120
    notebook_seconds: float = 900
    memory: int = 4 << 30
    processes: int = 200  # threads count
    file_size: int = 64 << 20
    files: int = 512 << 20  # all of its files, which are in memory; each folder has its part
    output: int = MOST  # of one cell; what comes after is left out
    outputs: int = 32 << 20  # of all cells

    def as_resources(self) -> dict[str, int]:
        """Return them for `resource.setrlimit`, by process."""
        return {
            "RLIMIT_AS": ADDRESSES,
            "RLIMIT_DATA": self.memory,
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
            # Of these Linux counts what a user has, who is also the grader.
            "RLIMIT_SIGPENDING": self.processes,
            "RLIMIT_MSGQUEUE": 0,
            "RLIMIT_RTPRIO": 0,
            "RLIMIT_MEMLOCK": 1 << 20,
        }


class StartError(CourseError):
    """No sandbox starts here, whoever's notebook is next."""


class SandboxError(Exception):
    """The kernel is gone; the text is the reason, for learner and instructor."""


class SandboxDiedError(SandboxError):
    """The sandbox is gone, and not for what the learner's code used."""


class Sandbox:
    """A fork server, one kernel at a time; it takes seconds until it is ready.

    Args:
        limits: of each notebook.
        isolated: False runs it as a plain process, with nothing between it and the machine.

    Raises:
        StartError: the system refuses.
    """

    def __init__(self, limits: Limits, isolated: bool = True) -> None:
        self.limits, self.isolated = limits, isolated
        self.in_scope = usage.makes_scopes()
        self.next_check = 0.0
        self.ready = False
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self.control, theirs = socket.socketpair()
        try:
            with theirs:
                self.process = self._begin(stdin=theirs, stdout=self.errors, stderr=self.errors)
        except OSError as error:  # as of too many processes
            raise StartError(NO_START.format(error)) from error
        self.usage = usage.Usage(self.process.pid)

    def _begin(self, **files: Any) -> subprocess.Popen[bytes]:
        files["process_group"] = 0  # Ctrl-C is for the grader alone
        limits = self.limits.memory + self.limits.files, self.limits.processes
        prefix = usage.scope(*limits) if self.in_scope else []
        if self.isolated:
            return bubblewrap.start(COMMAND, prefix, **files)
        path = {"PATH": os.environ.get("PATH", os.defpath)}
        environment = os.environ | bubblewrap.environment() | path
        return subprocess.Popen([*prefix, *COMMAND], env=environment, **files)

    def close(self) -> None:
        """End it, with all that runs in it."""
        self.control.close()
        if not self.isolated:  # it removes its files
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP)
        self.kill()
        self.process.wait()
        self.usage.close()
        self.errors.close()

    def said(self, reason: str) -> str:
        """Return the reason with the end of its errors, among which are no words of learners."""
        if self.errors.closed:
            return reason
        file = self.errors.fileno()  # not to be sought in: where it is, the sandbox goes on writing
        tail = os.pread(file, SAID, max(0, os.fstat(file).st_size - SAID))
        words = " ".join(tail.decode(errors="replace").split())
        return f"{reason}: … {words}" if words else reason

    def kill(self) -> None:
        """End it at once, which is no fault of a notebook's."""
        self.in_scope = False
        if self.process.poll() is None:  # its group: bubblewrap's child may not end with it yet
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it is ready.

        Raises:
            StartError: it does not start.
        """
        if not self.ready and not self._is_done(START):
            reason = self.said("the sandbox does not start")
            self.close()
            raise StartError(NO_START.format(reason))
        self.ready = True

    def start(self) -> socket.socket:
        """Fork a kernel; return the connection to it.

        Raises:
            StartError: the sandbox does not start.
            SandboxDiedError: it has ended.
        """
        self.wait()
        connection, theirs = socket.socketpair()
        with theirs:
            space = self.limits.files // len(FOLDERS)
            self._ask([theirs.fileno()], start=self.limits.as_resources(), space=space)
        return connection

    def interrupt(self) -> None:
        """Do what Ctrl-C does; the kernel has the signal when this returns.

        Raises:
            SandboxDiedError: the sandbox does not answer.
        """
        self._ask(signal=int(signal.SIGINT))

    def stop(self) -> bool:
        """End the kernel and all it has started; return whether nothing of it is left."""
        with suppress(SandboxDiedError):
            self._ask(end=True)
            return True
        return False

    def check_limits(self, now: bool = False) -> None:
        """Check that it is there and within its limits, if it is time to.

        Raises:
            SandboxError: it is not.
        """
        if time.monotonic() < self.next_check and not now:
            return
        self.next_check = time.monotonic() + CHECK
        if (status := self.process.poll()) is not None:
            if self.in_scope and status == -signal.SIGKILL:
                raise SandboxError(usage.TOO_MUCH.format(self.limits.memory / 2**30))
            raise SandboxDiedError(self.said("the sandbox ended"))
        limits = self.limits.memory, self.limits.processes
        if self.isolated and (reason := self.usage.excess(*limits)):
            self.kill()  # with the first process of its namespace all others end
            self.process.wait()  # from now on it counts as ended
            raise SandboxError(reason)

    def _ask(self, files: Sequence[int] = (), **message: Any) -> None:
        """Have the fork server do something, and wait until it is done."""
        with suppress(OSError):
            socket.send_fds(self.control, [json.dumps(message).encode()], files)
        if not self._is_done(STOP):
            self.kill()  # a late answer would be taken for another one
            raise SandboxDiedError(self.said("the sandbox ended"))

    def _is_done(self, seconds: float) -> bool:
        """Return whether what was asked is done in time; it writes a byte each time."""
        try:
            self.control.settimeout(seconds)
            return bool(self.control.recv(1))
        except OSError:
            return False
