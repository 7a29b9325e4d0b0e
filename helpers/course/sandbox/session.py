"""Runs cells in the kernel of a sandbox; nothing that comes from there is believed."""

from __future__ import annotations

import base64
import json
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from subprocess import TimeoutExpired
from typing import Any

from nbformat import NotebookNode, from_dict, v4

from helpers.course.sandbox.outputs import EACH
from helpers.course.sandbox.process import CHECK, START, Sandbox, SandboxDiedError, SandboxError

STOPPED = 5.0  # seconds that a cell has to heed an interrupt
AGAIN = 1.0  # seconds between two of them: Python drops one that comes while an object is deleted
MORE = 64 << 10  # bytes of an answer beside what may be shown: its form, and an error cut short
REASON = 200  # characters of what a kernel says of its end
AT_ONCE = 1 << 20  # bytes
TIME_LIMIT = "TimeLimit"  # the name of the error of a cell that was interrupted
BUNDLE: dict[str, type] = {"data": dict, "metadata": dict}
FORMS: dict[
    str, dict[str, type]
] = {  # what an output has beside its type; `sanitize` makes plain text of what is within
    "stream": {"name": str, "text": str},
    "error": {"ename": str, "evalue": str, "traceback": list},
    "display_data": BUNDLE,
    "execute_result": BUNDLE,
}


class Session:
    """One learner's kernel, from its start to its end.

    Args:
        files: what stands beside the notebook, by name.

    Raises:
        SandboxDiedError: the kernel does not start, for which no code of this learner's has run.
    """

    def __init__(self, sandbox: Sandbox, files: Mapping[str, bytes] | None = None) -> None:
        self.sandbox = sandbox
        self.left = sandbox.limits.outputs  # bytes that its cells may still show
        self.connection = sandbox.start()
        encoded = {name: base64.b64encode(text).decode() for name, text in (files or {}).items()}
        try:
            self._send(files=encoded, most=0)
            _outputs(self._receive(START, 0)[0], 0)
        except SandboxError as error:
            self.close()
            raise SandboxDiedError(sandbox.said(f"no kernel started ({error})")) from error

    def close(self) -> bool:
        """End the kernel; return whether nothing of it is left in the sandbox."""
        self.connection.close()
        return self.sandbox.stop()

    def run(self, code: str, seconds: float, remembered: bool = True) -> list[NotebookNode]:
        """Return what `code` shows; a cell that takes too long is interrupted, ending in an error.

        Args:
            remembered: False leaves it out of the kernel's history.

        Raises:
            SandboxError: the kernel is gone.
        """
        most = self.sandbox.limits.output
        most = max(0, min(most, self.left)) if remembered else most
        self._send(code=code, remembered=remembered, most=most)
        answer, late = self._receive(seconds, most)
        shown = _outputs(answer, most)
        if remembered:
            self.left -= len(answer) + EACH * len(shown)
        if late:
            shown.append(error(TIME_LIMIT, f"this took more than {seconds:.0f} s"))
        return shown

    def _send(self, **request: Any) -> None:
        try:
            self.connection.settimeout(STOPPED)
            self.connection.sendall(json.dumps(request).encode() + b"\n")
        except TimeoutError as error:
            raise SandboxError("the kernel does not answer") from error
        except OSError:  # it has ended; what it has sent before says how
            return

    def _receive(self, seconds: float, most: int) -> tuple[bytes, bool]:
        """Return the next line, and whether it took more than `seconds`."""
        end = time.monotonic() + seconds
        late = interrupted = 0.0
        read = bytearray()
        while True:
            self.sandbox.check_limits()
            now = time.monotonic()  # before it reads: an answer that is there is not late
            read += self._read()
            if len(read) > most + MORE:
                raise SandboxError("the kernel sent more than it may")
            if b"\n" in read:
                return bytes(read), bool(late)
            if late and now > late + STOPPED:
                raise SandboxError(f"a cell took more than {seconds:.0f} s and did not stop")
            if now > end and now > interrupted + AGAIN:
                late, interrupted = late or now, now
                self.sandbox.interrupt()

    def _read(self) -> bytes:
        self.connection.settimeout(CHECK)
        try:
            if read := self.connection.recv(AT_ONCE):
                return read
        except (TimeoutError, ConnectionResetError):  # the latter: a request was not read
            return b""
        with suppress(TimeoutExpired):
            self.sandbox.process.wait(CHECK)
        self.sandbox.check_limits(now=True)
        raise SandboxError("the kernel ended")


def _outputs(answer: bytes, most: int) -> list[NotebookNode]:
    """Return the outputs in an answer; beside what has room in `most` bytes are two at the end.

    Raises:
        SandboxError: it says how the kernel ended, or is not of the form of an answer.
    """
    line = answer.partition(b"\n")[0]
    try:
        found = json.loads(line)
        if isinstance(found, dict):
            raise SandboxError(_ending(int(found["exited"]))[:REASON])
        if len(found) > most // EACH + 2:
            raise SandboxError("the kernel sent more than it may")
        return [_output(each) for each in found]
    except (LookupError, OverflowError, TypeError, ValueError, RecursionError) as reason:
        raise SandboxError(f"the kernel sent what is no output ({reason})"[:REASON]) from reason


def _ending(status: int) -> str:
    if status < 0:
        return f"the kernel was killed ({signal.Signals(-status).name})"
    return f"the kernel ended itself (status {status})"


def _output(found: Any) -> NotebookNode:
    """Return one of nbformat's form, whose own check takes minutes if a learner wants it to."""
    form = FORMS[found["output_type"]]
    if not all(isinstance(found[name], kind) for name, kind in form.items()):
        raise ValueError("an unknown form")
    return from_dict({name: found[name] for name in ("output_type", *form)})


def error(name: str, text: str) -> NotebookNode:
    """Return an output that says what went wrong; nbgrader gives no points where one is."""
    return v4.new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
