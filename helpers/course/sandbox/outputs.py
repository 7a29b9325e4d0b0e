"""In a kernel: collects what one cell shows, in nbformat's form, up to a number of bytes."""

from __future__ import annotations

import base64
import io
import json
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

EACH = 512  # bytes that an output counts beside what it shows
CUT = "\n… more was shown than is kept\n"
ERROR = 1000  # characters of each part of an error, where there is no room for all of it


class Outputs:
    """The outputs of a cell, in order.

    What goes to file descriptors 1 and 2 is among them, as that of `os.system`. Threads may add to
    them at any time, and each is kept as JSON: what it is made of may change.

    Args:
        folder: where the file is made to which these lead.
    """

    def __init__(self, folder: Path) -> None:
        self.process, self.lock = os.getpid(), threading.RLock()
        path = folder / ".descriptors"
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        path.unlink()
        for number in (1, 2):
            os.dup2(self.file, number)
        self.begin(0)

    def begin(self, most: int) -> None:
        """Forget all; keep `most` bytes from now on."""
        with self.lock:
            self.most = most
            self._clear()

    def _clear(self) -> None:
        self.kept: list[list[bytes]] = []  # each in pieces
        self.handles: dict[str, list[bytes]] = {}
        self.last = ""  # the stream that the last one is
        self.left, self.cut, self.clears, self.failed = self.most, False, False, False

    def clear(self, wait: bool) -> None:
        """Forget what was shown, or do so when something else is, as of a plot drawn again."""
        with self.lock:
            self._read_file()
            if wait:
                self.clears = True
            else:
                self._clear()

    def stream(self, name: str, text: str) -> None:
        """Add text to stdout or stderr; a forked process has only the file to do so."""
        if os.getpid() != self.process:
            os.write(1, text.encode(errors="replace"))
        elif text:
            with self.lock:
                self._read_file()
                self._stream(name, text)

    def _stream(self, name: str, text: str) -> None:
        if self.clears:
            self._clear()
        goes_on = self.last == name
        if piece := self._piece(text, 0 if goes_on else EACH):
            if not goes_on:
                self.kept.append(_stream_of(name))
                self.last = name
            self.kept[-1].insert(-1, piece[1:-1])  # without its quotation marks

    def _read_file(self) -> None:
        with suppress(OSError):  # the cell has closed it
            if size := os.fstat(self.file).st_size:
                room = max(0, self.left) // 2  # in JSON an end of a line has two characters
                text = os.pread(self.file, min(size, room), 0).decode(errors="replace")
                os.ftruncate(self.file, 0)
                self._stream("stdout", text)
                self.cut = self.cut or size > room

    def add(self, output: dict[str, Any], display_id: str | None = None) -> None:
        """Add an output; `update` finds it by its id."""
        if os.getpid() != self.process:
            return
        with self.lock:
            self._read_file()
            if self.clears:
                self._clear()
            piece = self._piece(output, EACH)
            if not piece and output["output_type"] == "error" and not self.failed:
                self.failed, piece = True, _json(_shortened(output))
            if piece:
                self.kept.append([piece])
                self.last = ""
                if display_id:
                    self.handles[display_id] = self.kept[-1]

    def update(self, output: dict[str, Any], display_id: str) -> None:
        """Put an output in the place of an earlier one; add it if that is another cell's."""
        with self.lock:
            if display_id not in self.handles:
                self.add(output, display_id)
            elif piece := self._piece(output, EACH):
                self.handles[display_id][:] = [piece]

    def _piece(self, value: Any, more: int = 0) -> bytes:
        """Return JSON if there is room for it; if not, the end says that something is missing."""
        try:
            piece = _json(value)
        except (TypeError, ValueError, RecursionError):  # no JSON, or without end
            return b""
        self.left -= len(piece) + more
        self.cut = self.cut or self.left < 0
        return piece if self.left >= 0 else b""

    def as_json(self) -> bytes:
        """Return all as one line."""
        with self.lock:
            self._read_file()
            kept = [b"".join(pieces) for pieces in self.kept]
            if self.cut:
                kept.append(_json({"output_type": "stream", "name": "stdout", "text": CUT}))
            return b"[" + b",".join(kept) + b"]\n"


def _stream_of(name: str) -> list[bytes]:
    """Return the JSON of a stream that is empty yet: its text goes before the last piece."""
    end = b'"}'
    return [_json({"output_type": "stream", "name": name, "text": ""}).removesuffix(end), end]


def _shortened(error: dict[str, Any]) -> dict[str, Any]:
    """Return the beginning of what an error says."""
    name, reason = error["ename"][:ERROR], error["evalue"][:ERROR]
    return error | {"ename": name, "evalue": reason, "traceback": [f"{name}: {reason}"]}


def _json(value: Any) -> bytes:
    """Return JSON, with ? for half a character, which UTF-8 has no bytes for."""
    text = json.dumps(value, ensure_ascii=False, default=_plain)
    return text.encode(errors="replace")


def _plain(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


class Stream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of a kernel."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, name: str, outputs: Outputs) -> None:
        self.name, self.outputs = f"<{name}>", outputs
        self.write_to = name

    def writable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Do nothing: the cells after it show something too."""

    def fileno(self) -> int:
        """Return a file descriptor that subprocesses can write to."""
        return 1

    def write(self, text: str) -> int:
        """Show text; return its length."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.stream(self.write_to, text)
        return len(text)
