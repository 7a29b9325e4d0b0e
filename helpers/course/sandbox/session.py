"""Runs cells in the kernel of a sandbox and collects what they show, within limits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty
from typing import Any

import nbformat
import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from nbformat import NotebookNode, v4

from helpers.course.sandbox.process import LOOK, START, Sandbox, SandboxDiedError, SandboxError
from helpers.course.sandbox.relay import Relay

STOPPED = 5.0  # seconds that a cell has to heed an interrupt
AGAIN = 1.0  # seconds between two of them: Python drops one that comes while an object is deleted
EACH = 512  # bytes that an output takes beside what it shows
NUMBER = 8  # bytes that a value takes which is no text
LATE = 1.0  # seconds in which the news of the end may come on a connection that was cut
LOST = 5.0  # seconds in which what a cell shows may come behind its reply, on a busy machine too
RECONNECT = 5  # ms; the kernel is seldom there at once
SHOWN = ("stream", "display_data", "execute_result", "error")


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
        self.connection: Any = sandbox.start(files)
        try:
            self._connect()
        except SandboxError as error:
            self._disconnect()
            raise SandboxDiedError(f"no kernel started ({error})") from error

    def _connect(self) -> None:
        """Connect to the kernel, and wait until it answers and what it shows is heard."""
        numbers = (self.connection["shell_port"], self.connection["iopub_port"])
        self.relay = Relay(self.connection["ip"], numbers)
        context = zmq.Context()
        context.setsockopt(zmq.LINGER, 0)
        context.setsockopt(zmq.RECONNECT_IVL, RECONNECT)
        self.client = BlockingKernelClient(context=context)
        self.client.load_connection_info(self.connection | {"ip": self.relay.name})
        self.client.start_channels(stdin=False, hb=False, control=False)
        end = time.monotonic() + START
        while time.monotonic() < end:
            asked = self.client.kernel_info()
            heard = time.monotonic() + LOOK
            while (left := heard - time.monotonic()) > 0:
                if self._next(left).get("parent_header", {}).get("msg_id") == asked:
                    return
        raise SandboxError("the kernel does not answer")

    def close(self) -> bool:
        """End the kernel; True where nothing of it is left in the sandbox."""
        self._disconnect()
        return self.sandbox.stop()

    def _disconnect(self) -> None:
        self.client.stop_channels()
        self.client.context.destroy(linger=0)
        self.relay.close()

    def run(self, code: str, seconds: float, remembered: bool = True) -> list[NotebookNode]:
        """What `code` shows; a cell that takes too long is interrupted and ends in an error.

        Args:
            remembered: False leaves it out of the kernel's history.

        Raises:
            SandboxError: the kernel is gone.
        """
        limits = self.sandbox.limits
        shown = _Shown(min(limits.output, self.left) if remembered else limits.output)
        asked = self.client.execute(
            code, store_history=remembered, allow_stdin=False, stop_on_error=False
        )
        end = time.monotonic() + seconds
        late = replied = interrupted = probed = 0.0
        probes: list[str] = []
        while True:
            message = self._next(LOOK)
            now = time.monotonic()
            about = message.get("parent_header", {}).get("msg_id")
            # The kernel does one thing after another: once it turns to a probe, the cell has ended.
            if about in probes or (about == asked and shown.ended(message)):
                if self.relay.cut:
                    self.relay.cut = False
                    shown.cut()
                break
            if self.relay.cut and not message and now > probed + LATE:
                # With a connection that was cut, the news of the end may be lost as well.
                probed = now
                probes.append(self.client.kernel_info())
            if not replied and (late or not message) and self._replied(asked):
                replied = now
            overdue = bool(late) and now > late + STOPPED
            if replied and (overdue or (not message and now > replied + LOST)):
                # More waits than can be looked at in time; or a message was too large, which has
                # ended the connection.
                self._disconnect()
                self._connect()
                shown.cut()
                break
            if now > end and now > interrupted + AGAIN and not replied:
                late, interrupted = late or now, now
                self.sandbox.interrupt()
            if overdue:
                raise SandboxError(f"a cell took more than {seconds:.0f} s and did not stop")
        if remembered:
            self.left -= shown.size
        if late:
            shown.outputs.append(error("TimeLimit", f"this took more than {seconds:.0f} s"))
        return shown.outputs

    def _next(self, seconds: float) -> dict[str, Any]:
        """The next message of what is shown; empty if none comes in time."""
        self.sandbox.look()
        try:
            message = self.client.get_iopub_msg(timeout=seconds)
        except Empty:
            self.relay.look()
            return {}
        except Exception as error:  # whatever a learner's code sends instead of a message
            raise SandboxError(f"the kernel sent what is no message ({error})") from error
        if not all(isinstance(message.get(part), dict) for part in ("parent_header", "content")):
            raise SandboxError("the kernel sent what is no message")
        return dict(message)

    def _replied(self, asked: str) -> bool:
        try:
            while True:
                reply = self.client.get_shell_msg(timeout=0)
                if reply.get("parent_header", {}).get("msg_id") == asked:
                    return True
        except Empty:
            return False


class _Shown:
    """What one cell shows, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self.left, self.most = most, most
        self.outputs: list[NotebookNode] = []
        self.handles: dict[str, NotebookNode] = {}
        self.cleared = False  # what is shown goes as soon as something else comes

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self.most - self.left

    def ended(self, message: dict[str, Any]) -> bool:
        """Take in one message; True where it says that the cell has ended."""
        kind, content = message.get("msg_type"), message.get("content", {})
        if kind == "status":
            return bool(content.get("execution_state") == "idle")
        if kind == "clear_output":
            self.cleared = True
        if kind == "update_display_data":
            self._update(content)
        if kind in SHOWN and self.left > 0:
            try:
                output = v4.output_from_msg(message)
                self.left -= _size(output) + EACH
            except Exception:  # a message that no kernel sends
                return False
            if self.left > 0:
                self._add(output, content.get("transient"))
            else:
                self.cut()
        return False

    def cut(self) -> None:
        """Say that something is left out."""
        self._add(_stream("\n… more was shown than is kept\n"))

    def _clear(self) -> None:
        """Keep only what comes from now on, as of a plot that is drawn again and again."""
        self.outputs.clear()
        self.handles.clear()
        self.cleared = False

    def _update(self, content: dict[str, Any]) -> None:
        """Put the newest content of a display handle in its place."""
        with suppress(Exception):  # a message that no kernel sends
            output = self.handles[content["transient"]["display_id"]]
            self.left -= _size(content["data"]) + EACH
            if self.left > 0:
                output.data = nbformat.from_dict(content["data"])

    def _add(self, output: NotebookNode, transient: Any = None) -> None:
        if self.cleared:
            self._clear()
        if isinstance(transient, dict) and isinstance(transient.get("display_id"), str):
            self.handles[transient["display_id"]] = output
        last = self.outputs[-1] if self.outputs else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            self.outputs.append(output)


def _size(value: Any) -> int:
    """About as many bytes as it takes: `str` would escape all the numbers of an answer."""
    if isinstance(value, dict):
        return sum(len(name) + _size(each) for name, each in value.items())
    if isinstance(value, list):
        return sum(map(_size, value))
    if isinstance(value, int):
        return NUMBER + value.bit_length() // 8
    return len(value) if isinstance(value, str) else NUMBER


def _stream(text: str) -> NotebookNode:
    return v4.new_output("stream", name="stdout", text=text)


def error(name: str, text: str) -> NotebookNode:
    """An output that says what went wrong; nbgrader gives no points to a test that has one."""
    return v4.new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
