"""What comes out of a kernel passes a relay that lets no endless message through."""

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from helpers.course.sandbox import relay, session
from helpers.course.sandbox.process import Limits, Sandbox
from helpers.course.sandbox.relay import FRAMES, MESSAGE, Frames, Relay
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED

GREETING = b"\xff" + bytes(8) + b"\x7f\x03" + bytes(53)


def _frame(body: int, more: bool = False) -> bytes:
    return bytes([2 + more]) + body.to_bytes(8, "big") + bytes(body)


@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_bounded_messages_pass_however_they_arrive(step: int) -> None:
    message = _frame(300, True) * (FRAMES - 1) + b"\x00\x05hello"
    data = GREETING + message * 3
    frames = Frames()
    for at in range(0, len(data), step):
        frames.follow(data[at : at + step])
    assert (frames.waiting, frames.body, frames.frames) == (b"", 0, 0)


def test_what_is_kept_of_a_cell_fits_into_one_message() -> None:
    assert 1.25 * Limits().output < MESSAGE < 2 * Limits().output


@pytest.mark.parametrize(
    "data",
    [
        GREETING + _frame(1, True) * (FRAMES + 1),
        GREETING + b"\x02" + (MESSAGE + 1).to_bytes(8, "big"),
        GREETING + (b"\x03" + (MESSAGE // 2 + 1).to_bytes(8, "big") + bytes(MESSAGE // 2 + 1)) * 2,
        b"\x01",
        GREETING[:9] + b"\x00",
        GREETING[:10] + b"\x01",
    ],
    ids=["frames", "frame", "sum", "version-1", "unversioned", "version-2"],
)
def test_what_has_no_bounds_does_not(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"message|protocol"):
        Frames().follow(data)


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator["zmq.Socket[bytes]"]:
    with zmq.Context() as context, context.socket(zmq.PUSH) as made:
        made.setsockopt(zmq.LINGER, 0)
        made.setsockopt(zmq.SNDHWM, 1)
        made.bind(f"ipc://{tmp_path}/1-1")
        yield made


@contextlib.contextmanager
def _led(place: Path) -> Iterator["zmq.Socket[bytes]"]:
    between = Relay(str(place / "1"), [1])
    with zmq.Context() as context, context.socket(zmq.PULL) as own:
        own.setsockopt(zmq.RCVTIMEO, 5000)
        own.connect(f"ipc://{between.name}-1")
        yield own
    between.close()


def test_a_socket_that_is_a_link_leads_nowhere(tmp_path: Path, kernel: "zmq.Socket[bytes]") -> None:
    with _led(tmp_path) as own:
        kernel.send(b"1")
        assert own.recv() == b"1"
    (tmp_path / "1-1").rename(tmp_path / "elsewhere")
    (tmp_path / "1-1").symlink_to(tmp_path / "elsewhere")
    time.sleep(0.3)  # until the kernel's side knows that it is alone
    kernel.setsockopt(zmq.SNDTIMEO, 1000)
    with _led(tmp_path), pytest.raises(zmq.Again):  # nobody comes
        kernel.send(b"2")


def test_nobody_else_may_call(
    tmp_path: Path, kernel: "zmq.Socket[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    between = Relay(str(tmp_path / "1"), [1])
    for pid, answer in ((1, b""), (os.getpid(), b"\xff")):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(f"\0{between.name[1:]}-1")
            caller.settimeout(5)
            assert caller.recv(1) == answer
    between.close()


def test_the_grader_reads_no_further_ahead_than_it_looks(
    tmp_path: Path, kernel: "zmq.Socket[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "AHEAD", 1 << 20)
    between = Relay(str(tmp_path / "1"), [1])
    kernel.setsockopt(zmq.SNDTIMEO, 30_000)  # the machine may have much else to do
    sent = 10
    with zmq.Context() as context, context.socket(zmq.PULL) as own:
        own.connect(f"ipc://{between.name}-1")
        for _ in range(sent):
            kernel.send(bytes(100_000))
        kernel.setsockopt(zmq.SNDTIMEO, 500)
        with contextlib.suppress(zmq.Again):
            while sent < 2000:
                kernel.send(bytes(100_000))
                sent += 1
        assert sent < 100  # ZeroMQ itself would take in a thousand
        between.look()
        own.recv()
    between.close()


def test_a_cell_ends_though_the_news_of_it_were_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "RECONNECT", 400)  # ms, in which the kernel speaks to nobody
    warm = Sandbox(Limits(memory=1 << 30), ISOLATED)
    try:
        within = Session(warm)
        (shown,) = within.run("raise ValueError('x' * (8 << 20))", 5)
        assert "more was shown" in shown.text
        (result,) = within.run("1 + 1", 5)
        assert result.data["text/plain"] == "2"
        within.close()
    finally:
        warm.close()
