"""Stands between a kernel's sockets and the grader's, so that what comes out has bounds.

ZeroMQ bounds a message's frames each, but neither their number nor their sum, and takes messages in
before anybody asks for them. It would also follow a link that stands in the place of a socket.
"""

from __future__ import annotations

import os
import secrets
import socket
import stat
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

FRAMES = 100  # of one message; a kernel's own have seven, and some buffers
# Above what is kept of a cell (`Limits.output`): of nested lists Python makes 25 times the bytes.
MESSAGE = 12 << 20  # bytes of one message
AHEAD = 64 << 20  # bytes that the grader has not looked at yet
GREETING = 64  # bytes that a connection begins with, in version 3 of ZeroMQ's protocol
MORE, LONG = 1, 2  # flags of a frame


class Frames:
    """Follows one connection's bytes from the kernel."""

    def __init__(self) -> None:
        self.waiting = b""  # of a greeting, or of a frame's head
        self.greeted = False
        self.body = 0  # bytes of a frame that are still to come
        self.frames = self.size = 0  # of the message so far

    def follow(self, data: bytes) -> None:
        """Take in some more.

        Raises:
            ValueError: it is no message, or too large a one.
        """
        data, at = self.waiting + data, 0
        if not self.greeted:
            _greeting(data)
            at = GREETING
            self.greeted = len(data) >= GREETING
        while self.greeted:
            passed = min(self.body, len(data) - at)
            self.body, at = self.body - passed, at + passed
            head = 9 if len(data) > at and data[at] & LONG else 2
            if len(data) < at + head:
                break
            self._frame(data[at] & MORE, int.from_bytes(data[at + 1 : at + head], "big"))
            at += head
        self.waiting = data[at:] if self.greeted else data

    def _frame(self, more: int, size: int) -> None:
        self.body = size
        self.frames, self.size = self.frames + 1, self.size + size
        if self.frames > FRAMES or self.size > MESSAGE:
            raise ValueError(f"a message of {self.frames} frames, {self.size} bytes")
        if not more:
            self.frames = self.size = 0


def _greeting(data: bytes) -> None:
    """Older versions, whose frames look otherwise, are refused with the first byte that tells."""
    unversioned = data[0] != 0xFF or (len(data) > 9 and not data[9] & 1)
    if unversioned or (len(data) > 10 and data[10] < 3):
        raise ValueError("not version 3 of ZeroMQ's protocol")


class Relay:
    """Sockets of the grader's own process that lead to the kernel's.

    Args:
        place: of the kernel's sockets, without their numbers.
        numbers: those that are led to.
    """

    def __init__(self, place: str, numbers: Iterable[int]) -> None:
        self.place = place
        self.name = f"@om-{secrets.token_hex(8)}"  # in no folder, so that nothing is left
        self.seen = threading.Condition()
        self.ahead = 0
        self.open: list[socket.socket] = []
        self.closed = False
        self.cut = False  # something was too large to be passed on
        for number in numbers:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(f"\0{self.name[1:]}-{number}")
            listener.listen()
            self._run(self._listen, listener, number)

    def look(self) -> None:
        """Say that all that has come so far has been looked at."""
        with self.seen:
            self.ahead = 0
            self.seen.notify_all()

    def close(self) -> None:
        """End all connections."""
        self.closed = True
        self.look()
        for each in self.open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _run(self, do: Callable[..., None], *given: Any) -> None:
        self.open += [each for each in given if isinstance(each, socket.socket)]
        threading.Thread(target=do, args=given, daemon=True).start()

    def _listen(self, listener: socket.socket, number: int) -> None:
        with listener, suppress(OSError):
            while not self.closed:
                own, _ = listener.accept()
                try:
                    kernel = self._connect(own, number)
                except OSError:
                    own.close()  # ZeroMQ tries again
                    continue
                self._run(self._inward, own, kernel)
                self._run(self._outward, kernel, own)

    def _connect(self, own: socket.socket, number: int) -> socket.socket:
        caller = own.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        if struct.unpack("3i", caller)[0] != os.getpid():
            raise PermissionError
        file = os.open(f"{self.place}-{number}", os.O_PATH | os.O_NOFOLLOW)
        try:
            if not stat.S_ISSOCK(os.fstat(file).st_mode):
                raise FileNotFoundError
            kernel = socket.socket(socket.AF_UNIX)
            kernel.connect(f"/proc/self/fd/{file}")
        finally:
            os.close(file)
        return kernel

    def _inward(self, own: socket.socket, kernel: socket.socket) -> None:
        with own, kernel, suppress(OSError):
            while data := own.recv(1 << 16):
                kernel.sendall(data)
            kernel.shutdown(socket.SHUT_RDWR)

    def _outward(self, kernel: socket.socket, own: socket.socket) -> None:
        frames = Frames()
        with suppress(OSError):
            while data := kernel.recv(1 << 16):
                try:
                    frames.follow(data)
                except ValueError:
                    self.cut = True
                    break
                with self.seen:
                    self.seen.wait_for(lambda: self.ahead < AHEAD or self.closed)
                    self.ahead += len(data)
                own.sendall(data)
        for each in (kernel, own):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
