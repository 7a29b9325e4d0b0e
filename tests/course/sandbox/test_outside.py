"""Who a sandbox is for those outside: nobody, who changes nothing of the machine."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import psutil
import pytest

from helpers import recorded
from helpers.course import drop
from helpers.course.sandbox import bubblewrap, seccomp
from helpers.course.sandbox.process import Sandbox
from helpers.course.sandbox.session import Session
from tests.common import ROOT, needs_sandbox
from tests.course.sandbox.shown import LIMITS, begun

SETTINGS = """
    import os
    def opens(path):
        try:
            os.close(os.open(path, os.O_WRONLY))
            return True
        except OSError:
            return False
    places = [os.path.join(at, name) for at, _, files in os.walk("/proc/sys") for name in files]
    len(places), [each for each in places if opens(each)][:20]"""
DEVICES = """
    def changes(path):
        try:
            os.chmod(path, os.stat(path).st_mode & 0o7777)
            return True
        except OSError:
            return False
    [each for each in os.listdir("/dev") if changes(f"/dev/{each}")
     and not os.path.islink(f"/dev/{each}") and not os.path.isdir(f"/dev/{each}")]"""
FAMILIES = """
    import socket
    def made(make, family):
        try:
            make(family, socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM)
            return True
        except OSError as error:
            return error.errno not in (22, 97)  # no such family
    families = [each for each in range(64) if made(socket.socket, each)]
    pairs = [each for each in range(64) if made(socket.socketpair, each)]
    [int(each) for each in families], [int(each) for each in pairs]"""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights")
pytestmark = needs_sandbox


def _ask(session: Session, code: str) -> Any:
    shown = session.run(dedent(code), 30)
    return ast.literal_eval("".join(each.data["text/plain"] for each in shown))


@pytest.fixture
def session() -> Iterator[Session]:
    with begun() as made:
        yield made


def test_no_setting_and_no_device_of_the_machine_can_be_changed(session: Session) -> None:
    number, opened = _ask(session, SETTINGS)
    assert number > 100
    assert (opened, _ask(session, DEVICES)) == ([], [])


@needs_root
def test_with_roots_rights_they_could(monkeypatch: pytest.MonkeyPatch) -> None:
    tight = bubblewrap.command
    hole = ["--bind", "/proc/sys", "/proc/sys"]
    monkeypatch.setattr(drop, "words", lambda _paths: [])
    monkeypatch.setattr(bubblewrap, "command", lambda *given: [*tight(*given), *hole])
    made = Sandbox(LIMITS)
    session = Session(made)
    assert _ask(session, SETTINGS)[1]
    assert "null" in _ask(session, DEVICES)
    session.close()
    made.close()


def test_nothing_in_it_is_root_outside(session: Session) -> None:
    own = psutil.Process(session.sandbox.process.pid)
    numbers = [each.uids() for each in (own, *own.children(recursive=True))]
    assert len(numbers) > 2
    assert not any(0 in each for each in numbers)


@pytest.mark.rotating
def test_sockets_are_local_or_of_the_internet(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _ask(session, FAMILIES) == ([1, 2, 10], [1, 2, 10])
    monkeypatch.setattr(seccomp, "program", lambda: b"")
    with begun() as leaky:
        assert 16 in _ask(leaky, FAMILIES)[0]  # AF_NETLINK


@needs_root
class TestAsRoot:
    """Folders that root alone may enter are shown in a view of their own, and only in part."""

    @pytest.fixture
    def closed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        (tmp_path / "closed" / "results").mkdir(parents=True)
        (tmp_path / "closed" / "results" / "ours").touch()
        (tmp_path / "closed" / "secret").touch()
        (tmp_path / "closed").chmod(0o700)
        (tmp_path / "link").symlink_to(tmp_path / "closed" / "results")
        yield tmp_path
        shutil.rmtree(tmp_path)

    @pytest.mark.parametrize("name", ["closed/results", "link"])
    def test_what_is_shown_can_be_read(
        self, closed: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        before = Path("/proc/self/mounts").read_text()
        monkeypatch.setattr(recorded, "PLACES", (closed / name,))
        made = Sandbox(LIMITS)
        try:
            session = Session(made)
            there = f"import os; os.listdir({str(closed / name)!r})"
            assert _ask(session, there) == ["ours"]
            secret = f"os.path.exists({str(closed / 'closed' / 'secret')!r})"
            assert _ask(session, secret) is False
            root = Path(f"/proc/{made.process.pid}/root{closed}")  # as bubblewrap sees it
            assert (root / "closed" / "results" / "ours").exists()
            assert not (root / "closed" / "secret").exists()
            assert Path("/proc/self/mounts").read_text() == before
            assert session.close()
        finally:
            made.close()

    def test_without_a_sandbox_it_is_nobody_too(self) -> None:
        made = Sandbox(LIMITS, isolated=False)
        try:
            session = Session(made)
            assert _ask(session, "import os; os.getresuid()") == (drop.NOBODY,) * 3
            assert session.close()
        finally:
            made.close()

    def test_without_the_right_to_watch_it_says_what_to_do(self) -> None:
        code = "from helpers.course.sandbox.bubblewrap import available; print(available())"
        less = ["setpriv", "--bounding-set=-sys_ptrace,-sys_admin,-sys_resource", sys.executable]
        done = subprocess.run([*less, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert "grade as an ordinary user" in done.stdout, done.stderr
        assert "--no-sandbox" in done.stdout
