"""Inside a sandbox: a process that has torch and the helpers loaded, and forks kernels.

Python needs seconds to import torch, and a fork of a process that has done so needs none. Each
kernel has namespaces of its own, so nothing of a learner's reaches this process or outlives it.

On the socket that is its stdin it reads JSON, one object at a time: {"start": limits, "space":
bytes} with the kernel's connection beside it, {"signal": 2} and {"end": true}. It writes a byte
when it is ready, and one when each of them is done. On the kernel's connection it writes
{"exited": status} when the kernel has ended.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import helpers
from helpers.course.sandbox import namespaces

SHELL = (  # what a shell imports as it starts
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
    "helpers.course.sandbox.shell",
)
LESSONS = (
    "ipywidgets",
    "IPython.core.pylabtools",
    "matplotlib.backends.backend_agg",
    "matplotlib.pyplot",
    "torch",
    "tqdm.auto",
)
PR_SET_PDEATHSIG = 1
NOT_LOADED = "helpers.course"  # the grader; no lesson uses it
KERNEL_FILE = 3  # the descriptor of a kernel's connection
DONE = b"."
POLL = 0.05  # seconds until the end of a kernel is noticed


def main(names: Iterable[str]) -> None:
    """Load modules, then serve until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in names:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["IPYTHONDIR"] = folder
        Server(socket.socket(fileno=0), folder).serve()


def _library() -> Iterator[str]:
    for each in pkgutil.walk_packages(helpers.__path__, "helpers."):
        if not each.name.startswith(NOT_LOADED):
            yield each.name


class Server:
    """Forks one kernel at a time.

    Args:
        control: leads to the grader.
        folder: for files of kernels that have no namespaces.
    """

    def __init__(self, control: socket.socket, folder: str) -> None:
        from helpers.course.sandbox import shell

        self.control, self.root = control, folder
        self.isolated = os.getpid() == 1  # first in a PID namespace: bubblewrap made it
        self.serve_cells, self.shell = shell.serve, shell.make()
        self.kernel, self.connection = 0, control
        self.folder = namespaces.FOLDERS[0] if self.isolated else ""
        gc.freeze()  # what is made here belongs to this process: a fork that collects it aborts

    def serve(self) -> None:
        """Do what is asked, and report when the kernel has ended."""
        self.control.sendall(DONE)
        while True:
            if select.select([self.control], [], [], POLL)[0]:
                read, connections, _, _ = socket.recv_fds(self.control, 65536, 1)
                if not read:
                    break
                message = json.loads(read)
                if "start" in message:
                    self.connection = socket.socket(fileno=connections[0])
                    self._start(message["start"], message["space"])
                elif "end" in message:
                    self._end()
                elif self.kernel:
                    os.kill(self.kernel, message["signal"])
                self.control.sendall(DONE)
            self._reap(os.WNOHANG)
        self._end()

    def _start(self, limits: dict[str, int], space: int) -> None:
        if not self.isolated:
            self.folder = tempfile.mkdtemp(dir=self.root)
        self.kernel = namespaces.fork() if self.isolated else os.fork()
        if self.kernel == 0:
            try:
                if self.isolated:
                    namespaces.isolate(space)
                self._be_kernel(limits)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)

    def _be_kernel(self, limits: dict[str, int]) -> None:
        os.setsid()
        if sys.platform == "linux":  # without namespaces nothing else would end it
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.chdir(self.folder)
        own = socket.socket(fileno=os.dup2(self.connection.fileno(), KERNEL_FILE))
        os.set_inheritable(KERNEL_FILE, False)
        for number in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        os.closerange(KERNEL_FILE + 1, 1024)
        for name, value in limits.items():
            if (kind := getattr(resource, name, None)) is not None:  # macOS lacks some
                hard = resource.getrlimit(kind)[1]  # the grader's own, as of a cluster
                most = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.setrlimit(kind, (most, most))
        os.environ.update(HOME=self.folder, TMPDIR=self.folder)
        tempfile.tempdir = None
        sys.path.insert(0, "")
        self.serve_cells(self.shell, own, Path(self.folder))

    def _reap(self, options: int = 0) -> None:
        """Report the end of the kernel, if it has ended."""
        pid, status = os.waitpid(self.kernel, options) if self.kernel else (0, 0)
        if pid:
            self.kernel = 0
            report = json.dumps({"exited": os.waitstatus_to_exitcode(status)}).encode() + b"\n"
            with self.connection, suppress(OSError):  # nobody may read it
                self.connection.send(report, socket.MSG_DONTWAIT)

    def _end(self) -> None:
        """End the kernel with all that it has started, and remove its folder."""
        if self.kernel:
            os.kill(self.kernel, signal.SIGKILL)
            if not self.isolated:
                with suppress(OSError):  # it has no group yet
                    os.killpg(self.kernel, signal.SIGKILL)
            self._reap()
        if not self.isolated:
            shutil.rmtree(self.folder, ignore_errors=True)


if __name__ == "__main__":
    main([*SHELL, *LESSONS, *_library()])
