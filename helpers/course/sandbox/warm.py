"""Inside a sandbox: a process that has torch and the helpers loaded, and forks kernels.

Python needs seconds to import torch and a fork of a process that has done so none. What a kernel
runs is a learner's, so this process is the first of its PID namespace, which nobody in it can kill;
nobody may read or write its memory; and between two kernels all that is left over ends.

It reads one JSON object a line from stdin: {"start": connection, "limits": {...}, "files": {...}},
{"signal": 2} or {"end": true}. It answers {"ready": true}, {"exited": status}, {"clean": true or a
reason}.
"""

from __future__ import annotations

import base64
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
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import helpers
from helpers.course.sandbox.room import Room

PRELOADED = (
    "ipywidgets",
    "IPython.core.pylabtools",
    "matplotlib.backends.backend_agg",
    "matplotlib.pyplot",
    "torch",
    "tqdm.auto",
    # The rest is what a kernel imports as it starts.
    "debugpy.server.api",
    "ipykernel.debugger",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
    "tornado.platform.asyncio",
    "tornado.queues",
)
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
NOT_LOADED = "helpers.course"  # the grader; no lesson uses it
RC = "continue\n"  # what pdb.set_trace() does, where nobody can answer it


def main() -> None:
    """Load, then serve until stdin ends."""
    own = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what an import prints is no answer
    _dumpable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a kernel can send
    for name in PRELOADED:
        _load(name)
    for name in _library():
        _load(name)
    with suppress(ImportError):
        # Else processes that load data would send each other files, which is refused.
        importlib.import_module("torch.multiprocessing").set_sharing_strategy("file_system")
    with suppress(ImportError):
        _draw()
    gc.freeze()  # what is made here belongs to this process: a fork that collects it aborts
    Server(own).serve()


def _load(name: str) -> None:
    try:
        importlib.import_module(name)
    except ImportError:
        if name.startswith(("ipykernel", "helpers", "torch")):
            raise  # without the others a kernel only starts to work later


def _library() -> Iterator[str]:
    """Yield the modules that a lesson may import, and the kernel's own."""
    yield "helpers.course.sandbox.kernel"
    for each in pkgutil.walk_packages(helpers.__path__, "helpers."):
        if not each.name.startswith(NOT_LOADED):
            yield each.name


def _draw() -> None:
    """A first figure: fonts and the parser of formulas are then there for every kernel."""
    from matplotlib.figure import Figure

    from helpers import plots

    figure = Figure()  # not pyplot's: its backend is to meet the kernel first, to show figures
    ax = figure.subplots()
    ax.plot([0, 1], label=r"$x_1$")
    ax.set(xlabel="x", ylabel="y", title="title")
    ax.legend()
    figure.colorbar(ax.imshow([[0, 1]]), ax=ax)
    plots.png(figure)


def _dumpable(yes: bool) -> None:
    """Whether other processes of the same user may look into this one."""
    _prctl(PR_SET_DUMPABLE, int(yes))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Server:
    """One kernel at a time; `own` is where answers go."""

    def __init__(self, own: Any) -> None:
        self.own = own
        self.alone = os.getpid() == 1  # first in a PID namespace: all other processes are learners'
        self.kernel = 0
        self.folder = ""
        self.room = Room() if self.alone else None
        self.waiting = b""

    def serve(self) -> None:
        """Do what is asked, and tell when the kernel has ended."""
        self._say(ready=True)
        while True:
            readable, _, _ = select.select([0], [], [], 0.05)
            self._reap()
            if readable:
                read = os.read(0, 65536)
                if not read:
                    break
                *lines, self.waiting = (self.waiting + read).split(b"\n")
                for line in lines:
                    self._do(json.loads(line))
        self._end()
        if not self.alone:  # whoever has made the folder may have been killed
            shutil.rmtree(Path.cwd(), ignore_errors=True)

    def _say(self, **message: Any) -> None:
        self.own.write(json.dumps(message) + "\n")
        self.own.flush()

    def _do(self, message: dict[str, Any]) -> None:
        if "start" in message:
            self._start(message["start"], message["limits"], message["files"])
        elif "signal" in message and self.kernel:
            os.kill(self.kernel, message["signal"])
        elif "end" in message:
            self._say(clean=self._end())

    def _start(
        self, connection: dict[str, Any], limits: dict[str, int], files: dict[str, str]
    ) -> None:
        self.folder = tempfile.mkdtemp(prefix="work-")
        self.kernel = os.fork()
        if self.kernel == 0:
            status = 1
            try:
                _write(Path(self.folder), files)
                _be_kernel(self.folder, connection, limits)
                status = 0
            finally:
                os._exit(status)

    def _reap(self) -> None:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.kernel:
                    self.kernel = 0
                    self._say(exited=os.waitstatus_to_exitcode(ended[1]))
        except ChildProcessError:
            return

    def _end(self) -> bool | str:
        """End everything that the learner has started or left; True, or what could not be."""
        kernel, self.kernel = self.kernel, 0  # its end is no news
        if self.room:
            return self._end_all(self.room)
        if kernel:
            os.killpg(kernel, signal.SIGKILL)
            os.waitpid(kernel, 0)
        shutil.rmtree(self.folder, ignore_errors=True)
        return True

    def _end_all(self, room: Room) -> bool | str:
        while True:
            try:
                os.kill(-1, signal.SIGKILL)  # all in the namespace but this one
                while True:
                    os.waitpid(-1, 0)
            except (ProcessLookupError, ChildProcessError):
                break
        return room.emptied()


def _write(folder: Path, files: dict[str, str]) -> None:
    """Put what a learner handed in beside the notebook there, and what pdb begins with."""
    (folder / ".pdbrc").write_text(RC)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))


def _be_kernel(folder: str, connection: dict[str, Any], limits: dict[str, int]) -> None:
    os.setsid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # outside of a namespace nothing else would end it
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.closerange(3, 1024)  # the way back to the grader among them
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, name), (value, value))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _dumpable(True)  # else its own /proc/self is closed to it
    os.environ.update(HOME=folder, TMPDIR=folder)
    tempfile.tempdir = None
    file = Path(folder, ".kernel.json")
    file.write_text(json.dumps(connection))

    from ipykernel.kernelapp import IPKernelApp

    from helpers.course.sandbox.kernel import Kernel

    app = IPKernelApp.instance(kernel_class=Kernel)
    options = ["--HistoryManager.enabled=False", "--log-level=CRITICAL"]
    # With all of torch loaded, IPython needs a minute to draw the frames of an endless recursion.
    options += ["--InteractiveShell.xmode=Plain"]
    options += ["--Session.packer=helpers.course.sandbox.kernel.packed"]
    app.initialize(["-f", str(file), *options])
    with suppress(ImportError):
        _show_figures(app.shell)
    app.start()


def _show_figures(shell: Any) -> None:
    """Have cells show their figures: the backend was loaded before there was a shell."""
    from IPython.core.pylabtools import activate_matplotlib
    from matplotlib_inline.backend_inline import configure_inline_support

    activate_matplotlib(os.environ["MPLBACKEND"])
    configure_inline_support(shell, os.environ["MPLBACKEND"])


if __name__ == "__main__":
    main()
