"""In a kernel: IPython's shell, which runs a learner's cells, and what asks their answers.

Requests and answers are lines of JSON on one connection: {"code": …, "remembered": true, "most":
bytes} is answered by a list of outputs, and so is {"files": …, "most": 0}, which comes first.
Nothing that comes from here is believed: answers are judged in another process.
"""

from __future__ import annotations

import base64
import builtins
import getpass
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import publish_display_data
from traitlets import Type
from traitlets.config import Config

from helpers.checks.engine import Exercise
from helpers.checks.engine.run import Answers
from helpers.checks.engine.serialize import encode
from helpers.course.sandbox.outputs import CLEAR, Output, Stream, as_json, shown

# With all of torch loaded, IPython needs a minute to draw the frames of an endless recursion.
OPTIONS = {"HistoryManager": {"enabled": False}, "InteractiveShell": {"xmode": "Plain"}}
ANSWERS = "application/vnd.order-matters.answers+json"
LONGEST = 200  # characters of a name
PDB = "continue\n"  # what pdb.set_trace() does, where nobody can answer it


class Results(DisplayHook):
    """Shows the value of an expression."""

    shell: Shell

    def write_output_prompt(self) -> None:
        """Do without `Out[1]:`."""

    def write_format_data(
        self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None
    ) -> None:
        """Show the value in all its forms."""
        output = {"output_type": "execute_result", "execution_count": None}
        self.shell.outputs.append(output | {"data": format_dict, "metadata": md_dict or {}})


class Publisher(DisplayPublisher):
    """Shows what `display` is given."""

    def publish(
        self,
        data: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        *_: Any,
        transient: dict[str, Any] | None = None,
        update: bool = False,
        **__: Any,
    ) -> None:
        """Show data, or put them in the place of earlier ones."""
        output = {"output_type": "display_data", "data": data, "metadata": metadata or {}}
        name = (transient or {}).get("display_id")
        if update and name in self.shell.handles:
            self.shell.handles[name].update(output)
        else:
            self.shell.outputs.append(output)
            self.shell.handles[name] = output

    def clear_output(self, wait: bool = False) -> None:
        """Take away what was shown, at once or as soon as something else is."""
        self.shell.clear(wait)


class Shell(InteractiveShell):
    """Goes on where a notebook at home would stop: what follows may be an answer."""

    displayhook_class, display_pub_class = Type(Results), Type(Publisher)
    outputs: list[Output]
    handles: dict[str | None, Output]  # of what may be shown again, by its id
    muted: dict[int, Any]  # a learner's handlers, by signal, while no cell runs
    running = stopped = False

    def clear(self, wait: bool = False) -> None:
        """Forget what was shown; `clear_output` says of `wait`."""
        self.outputs[:] = [*shown(self.outputs), CLEAR] if wait else []
        self.handles.clear()

    async def run_code(self, code_obj: Any, result: Any = None, **options: Any) -> bool:
        """Run one statement; whatever it raises is shown, and the next one runs.

        None does once the cell is interrupted.
        """
        if not self.stopped:
            await super().run_code(code_obj, result, **options)
        return False

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run the cell below a magic that is not installed here, and below `%%time`.

        The latter would stop at a line that raises.
        """
        if magic_name != "time":
            if self.find_cell_magic(magic_name) is not None:
                return super().run_cell_magic(magic_name, line, cell)
            print(f"%%{magic_name} is not installed here; the cell below it is run as it is.")
        self.run_cell(cell, store_history=False)
        return None

    def system(self, cmd: str) -> None:
        """Run a program, and show what it prints; IPython's own way needs a terminal."""
        print(self.getoutput(cmd, split=False, depth=1), end="")

    @contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """Do without the copy of all that is printed, which IPython 9 keeps to the end."""
        yield

    def ask_exit(self) -> None:
        """Stay, where a cell calls `exit()` or `quit()`: the cells after it count as well."""
        print("exit() does not end the notebook here: the cells after it are run.")

    def enable_gui(self, gui: Any = None) -> None:
        """Do nothing: there are no windows."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        try:
            reason = str(evalue)
        except Exception:
            reason = "an error that cannot be printed"
        error = {"output_type": "error", "ename": str(etype.__name__), "evalue": reason}
        self.outputs.append(error | {"traceback": [str(line) for line in stb]})

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """End what the cell does at the moment; between two cells nothing."""
        if self.running:
            self.stopped = True
            raise KeyboardInterrupt

    def run(self, code: str, remembered: bool) -> None:
        """Run a cell until it ends or is interrupted."""
        self.stopped = False
        try:
            while self.muted:
                signal.signal(*self.muted.popitem())
            signal.signal(signal.SIGINT, self.interrupt)  # the cell before may have set another
            self.running = True
            self.run_cell(code, store_history=remembered)
            self._mute()
        except BaseException as error:
            self._mute()
            self._showtraceback(type(error), error, [repr(error)])

    def _mute(self) -> None:
        """Let no handler of a learner's run between two cells: it may raise."""
        self.running = False
        for number in signal.valid_signals():
            if callable(handler := signal.getsignal(number)):
                self.muted[number] = handler
                signal.signal(number, signal.SIG_IGN)


def make() -> Shell:
    """Return the shell, not yet ready for a learner; figures of its cells are shown."""
    shell = Shell.instance(config=Config(OPTIONS))
    with suppress(ImportError):
        from IPython.core.pylabtools import activate_matplotlib
        from matplotlib_inline.backend_inline import configure_inline_support

        activate_matplotlib(os.environ["MPLBACKEND"])
        configure_inline_support(shell, os.environ["MPLBACKEND"])
    return shell


def serve(shell: Shell, connection: socket.socket, folder: Path) -> None:
    """Do what is asked until the connection ends; `folder` is where the notebook stands."""
    shell.outputs, shell.handles, shell.muted, process = [], {}, {}, os.getpid()
    sys.stdout, sys.stderr = (Stream(name, shell.outputs) for name in ("stdout", "stderr"))
    builtins.input = getpass.getpass = _no_input
    with connection, connection.makefile("rb") as requests:
        for line in requests:
            request = json.loads(line)
            shell.clear()
            if "files" in request:
                _write(folder, request["files"])
            else:
                shell.run(request["code"], request["remembered"])
                if os.getpid() != process:  # the cell has forked it
                    os._exit(0)
            connection.sendall(as_json(shell.outputs, request["most"]))


def _write(folder: Path, files: dict[str, str]) -> None:
    """Put what a learner handed in beside the notebook there, and what pdb begins with."""
    (folder / ".pdbrc").write_text(PDB)
    for name, content in files.items():
        path = folder / name
        with suppress(OSError):  # no file can have this name, or one has it already
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content))


def _no_input(*_: Any, **__: Any) -> NoReturn:
    raise StdinNotImplementedError("input() was called, and there is nobody to answer")


def ask(module: str, exercise: str, seed: int, answer: Callable[..., Any]) -> None:
    """Publish what `answer` returns for the questions of an exercise.

    Args:
        module: of the unit's checks.
        seed: draws the questions.
    """
    asked: Exercise = getattr(importlib.import_module(module), exercise)
    publish_display_data({ANSWERS: to_json(asked.ask(answer, seed))})


def to_json(answers: Answers) -> dict[str, Any]:
    """Return answers as JSON, which `execute` reads."""
    found = {part: [encode(each) for each in values] for part, values in answers.found.items()}
    return {"name": str(answers.name)[:LONGEST], "found": found, "used": answers.used}
