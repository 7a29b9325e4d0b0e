"""In a kernel: collects what one cell shows, in nbformat's form, up to a number of bytes."""

from __future__ import annotations

import base64
import io
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

EACH = 512  # bytes that an output counts beside what it shows
CUT = "\n… more was shown than is kept\n"


class Outputs:
    """The outputs of a cell, in order.

    What goes to file descriptors 1 and 2 is among them, as that of `os.system`.

    Args:
        folder: where the file is made to which these lead.
    """

    def __init__(self, folder: Path) -> None:
        self.process = os.getpid()
        path = folder / ".descriptors"
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        path.unlink()
        for number in (1, 2):
            os.dup2(self.file, number)
        self.begin(0)

    def begin(self, most: int) -> None:
        """Forget all; keep `most` bytes from now on."""
        self.most = most
        self._clear()

    def _clear(self) -> None:
        self.kept: list[dict[str, Any]] = []
        self.handles: dict[str, dict[str, Any]] = {}
        self.left, self.cut, self.clears = self.most, False, False

    def clear(self) -> None:
        """Forget what was shown as soon as something else is, as of a plot drawn repeatedly."""
        self.clears = True

    def stream(self, name: str, text: str) -> None:
        """Add text to stdout or stderr; a forked process has only the file to do so."""
        if os.getpid() != self.process:
            os.write(1, text.encode(errors="replace"))
        elif text:
            self._read_file()
            self._stream(name, text)

    def _stream(self, name: str, text: str) -> None:
        last = self.kept[-1] if self.kept and not self.clears else {}
        if last.get("name") != name:
            self.add({"output_type": "stream", "name": name, "text": [text]})
        elif self._fits(text):
            last["text"].append(text)

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
        if output["output_type"] != "stream":
            self._read_file()
        if self.clears:
            self._clear()
        if self._fits(output, EACH):
            self.kept.append(output)
            if display_id:
                self.handles[display_id] = output

    def update(self, data: dict[str, Any], display_id: str) -> None:
        """Put new content in the place of an earlier one, if that is shown still."""
        if display_id in self.handles and self._fits(data, EACH):
            self.handles[display_id]["data"] = data

    def _fits(self, value: Any, more: int = 0) -> bool:
        """Return whether there is room for it; if not, the end says that something is missing."""
        try:
            self.left -= len(_json(value)) + more
        except (TypeError, ValueError, RecursionError):  # no JSON, or without end
            return False
        self.cut = self.cut or self.left < 0
        return self.left >= 0

    def as_json(self) -> bytes:
        """Return all as one line."""
        self._read_file()
        kept = self.kept
        if self.cut:
            kept = [*kept, {"output_type": "stream", "name": "stdout", "text": [CUT]}]
        for output in kept:
            if output["output_type"] == "stream":
                output["text"] = "".join(output["text"])
        return _json(kept) + b"\n"


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

    def fileno(self) -> int:
        """Return a file descriptor that subprocesses can write to."""
        return 1

    def write(self, text: str) -> int:
        """Show text; return its length."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.stream(self.write_to, text)
        return len(text)
