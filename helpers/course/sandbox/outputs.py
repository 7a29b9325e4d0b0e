"""In a kernel: what one cell shows, in nbformat's form, and up to a number of bytes."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from typing import Any

MOST = 8 << 20  # bytes that a cell may show; characters that are kept of a stream while it runs
EACH = 512  # bytes that an output counts beside what it shows
ESCAPED = 6  # bytes of JSON that a character may take
ERROR = 1000  # characters of each part of an error, where there is no room for all of it
CUT = {"output_type": "stream", "name": "stdout", "text": "\n… more was shown than is kept\n"}
CLEAR = {"output_type": "clear"}  # takes away what stands before it once anything follows

Output = dict[str, Any]


class Stream(io.StringIO):
    """`sys.stdout` or `sys.stderr` of a kernel, which writes to a list of outputs."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, name: str, outputs: list[Output]) -> None:
        super().__init__()
        self.name, self.outputs = name, outputs

    def close(self) -> None:
        """Do nothing: the cells after it show something too."""

    def fileno(self) -> int:
        """Return a file descriptor that subprocesses can write to."""
        return 1

    def write(self, text: str) -> int:
        """Show text; return its length."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        # An endless loop is not to fill the memory with what is cut in the end.
        [last] = self.outputs[-1:] or [{}]
        if text and last.get("name") != self.name and len(self.outputs) <= MOST // EACH:
            last = {"output_type": "stream", "name": self.name, "text": io.StringIO()}
            self.outputs.append(last)
        if last.get("name") == self.name and last["text"].tell() <= MOST:
            last["text"].write(text[:MOST])
        return len(text)


def shown(outputs: list[Output]) -> list[Output]:
    """Return outputs but for what is cleared."""
    if CLEAR not in outputs:
        return list(outputs)  # threads may add to them
    place = outputs.index(CLEAR)
    return outputs[place + 1 :] or outputs[:place]


def as_json(outputs: list[Output], most: int) -> bytes:
    """Return outputs as one line, of at most `most` bytes, and two outputs beside these."""
    return b"[" + b",".join(_kept(outputs, most)) + b"]\n"


def _kept(outputs: list[Output], most: int) -> Iterator[bytes]:
    """Yield what there is room for, the beginning of a first error in any case."""
    failed = cut = False
    for output in shown(outputs):
        kind = output["output_type"]
        if kind == "stream":
            output = output | {"text": output["text"].getvalue()[: most + 1]}
        piece = b"" if cut else _json(output)
        if cut or len(piece) + EACH > most:
            piece = b""
            if kind == "stream" and not cut and most > EACH:
                beginning = output["text"][: (most - EACH) // ESCAPED]
                piece = _json(output | {"text": beginning})
            elif kind == "error" and not failed:
                failed, piece = True, _json(_shortened(output))
            cut = True
        if piece:
            most -= len(piece) + EACH
            yield piece
    if cut:
        yield _json(CUT)


def _shortened(error: Output) -> Output:
    name, reason = error["ename"][:ERROR], error["evalue"][:ERROR]
    return error | {"ename": name, "evalue": reason, "traceback": [f"{name}: {reason}"]}


def _json(output: Output) -> bytes:
    """Return JSON, with ? for half a character, which UTF-8 has no bytes for; else nothing."""
    try:
        text = json.dumps(output, ensure_ascii=False, default=_plain)
    except Exception:  # whatever an output is made of: it may be without end, or change meanwhile
        return b""
    return text.encode(errors="replace")


def _plain(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)
