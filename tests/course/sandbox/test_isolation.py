"""Of the machine, the course and the other learners a kernel reaches nothing."""

import ast
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from helpers import results
from helpers.course.sandbox import bubblewrap
from helpers.course.sandbox.process import Sandbox
from helpers.course.sandbox.session import Session
from tests.common import CHROMIUM, ISOLATED, NO_SANDBOX, ROOT, needs_sandbox
from tests.course.sandbox.conftest import LIMITS, begun, text_of

pytestmark = pytest.mark.usefixtures("bare")
HELPERS = str(ROOT / "helpers")
# Paths of the machine that can be opened for writing, and devices whose rights can be changed.
MACHINE = """
    import os
    def done(call, *arguments):
        try:
            return call(*arguments) is not NotImplemented
        except OSError:
            return False
    places = [os.path.join(at, name) for at, _, files in os.walk("/proc/sys") for name in files]
    devices = [f"/dev/{name}" for name in os.listdir("/dev") if name not in ("fd", "shm")]
    opened = [each for each in places if done(os.open, each, os.O_WRONLY)]
    changed = [each for each in devices if done(os.chmod, each, os.stat(each).st_mode & 0o7777)]
    len(places) > 100, len(devices), opened[:9], changed"""
PRIVILEGES = """
    import ctypes, os
    libc = ctypes.CDLL(None)
    flags = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "network": 0x40000000}
    entered = [name for name, flag in flags.items() if libc.unshare(flag) == 0]
    mounted = libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0
    status = open("/proc/self/status").read().splitlines()
    held = [line.split()[1] for line in status if line.startswith(("CapEff", "CapPrm", "CapInh"))]
    running = [name for name in os.listdir("/proc") if name.isdigit()]
    entered, mounted, [int(each, 16) for each in held], os.getppid(), running"""
FAMILIES = """
    import socket
    def made(make, family):
        try:
            make(family, socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM)
            return True
        except OSError as error:
            return error.errno not in (22, 97)  # no such family
    [[n for n in range(64) if made(make, n)] for make in (socket.socket, socket.socketpair)]"""
REFUSED = """
    import ctypes, errno, os
    libc = ctypes.CDLL(None, use_errno=True)
    def refused(call, *arguments):
        return call(*arguments) == -1 and ctypes.get_errno() == errno.EPERM
    file = os.open("/tmp/mine", os.O_CREAT | os.O_RDONLY)
    found = [name for name, number in NUMBERS.items() if refused(libc.syscall, number, *[-1] * 5)]
    found += ["lease"] * refused(libc.fcntl, file, 1024, 1)
    found + ["shared"] * refused(libc.mmap, None, 4096, 3, 0x21, -1, ctypes.c_long(0))"""
# What one kernel leaves, and what the next one finds of it.
LEAVE = """
    import ctypes, os, socket, struct, subprocess
    for folder in ("/tmp", "/dev/shm"):
        open(f"{folder}/trace", "w").write("1")
        os.chmod(folder, 0o711)
    os.symlink("/etc", "/tmp/link")
    os.makedirs("/tmp/closed/below")
    os.chmod("/tmp/closed", 0)
    libc = ctypes.CDLL(None)
    libc.shmget(77, 4096, 0o1600), libc.semget(77, 1, 0o1600), libc.msgget(77, 0o1600)
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    server = socket.create_server(("127.0.0.1", 7777))
    client, other = socket.create_connection(server.getsockname()), server.accept()[0]
    client.send(bytes(1000))
    client.close(), other.close(), server.close()"""
FIND = """
    import ctypes, os
    libc = ctypes.CDLL(None)
    found = [*os.listdir("/dev/shm"), *(n for n in os.listdir("/tmp") if n in NAMES)]
    found += [f for f in ("/tmp", "/dev/shm") if os.stat(f).st_mode & 0o777 == 0o711]
    found += [n for n in ("shmget", "semget", "msgget") if getattr(libc, n)(77, 0, 0) >= 0]
    found += [n for n in os.listdir("/proc") if n.isdigit() and n != str(os.getpid())]
    found, int(open("/proc/net/sockstat").read().split()[2]) < 5"""


def _ask(session: Session, code: str) -> Any:
    return ast.literal_eval(text_of(session, dedent(code), 30))


@pytest.fixture(scope="module")
def kernel() -> Iterator[Session]:
    """One for all questions about what is out of its reach."""
    with begun() as made:
        yield made


@needs_sandbox
class TestIsolated:
    """What bubblewrap and namespaces promise."""

    def test_of_the_course_only_the_helpers_are_there_to_be_read(
        self, kernel: Session, tmp_path: Path
    ) -> None:
        hidden = [str(ROOT / name) for name in ("source", "solutions", "tests", ".git")]
        hidden += [str(tmp_path), str(Path.home() / ".ssh"), "/etc/shadow", "/etc/passwd"]
        seen = "[p for p in hidden if os.path.isfile(p) or os.path.isdir(p) and os.listdir(p)]"
        assert _ask(kernel, f"import os\nhidden = {hidden}\n{seen}") == []
        assert "Read-only" in text_of(kernel, f"open({f'{HELPERS}/new.py'!r}, 'w')")

    def test_there_is_no_network_and_no_environment(self, kernel: Session) -> None:
        os.environ["A_SECRET"] = "1"
        assert "A_SECRET" not in text_of(kernel, "import os; print(dict(os.environ))")
        names = "[line.split(':')[0].strip() for line in open('/proc/net/dev')][2:]"
        assert text_of(kernel, names) == "['lo']"

    def test_nothing_of_the_machine_can_be_changed(self, kernel: Session) -> None:
        assert _ask(kernel, MACHINE) == (True, 5, [], [])

    def test_it_has_no_privileges_and_sees_no_other_process(self, kernel: Session) -> None:
        assert _ask(kernel, PRIVILEGES) == ([], False, [0, 0, 0], 0, ["1"])

    def test_a_hole_would_be_seen(self, monkeypatch: pytest.MonkeyPatch, kernel: Session) -> None:
        tight, root = bubblewrap.command, str(ROOT)
        holes = ["--ro-bind", root, root, "--bind", HELPERS, HELPERS, "--setenv", "SECRET", "1"]
        monkeypatch.setattr(bubblewrap, "command", lambda: [*tight(), *holes])
        ask = f"""
            import os
            reached = os.path.exists({f"{root}/source"!r}), os.statvfs({HELPERS!r}).f_flag & 1 == 0
            *reached, "SECRET" in os.environ"""
        with begun() as leaky:
            assert _ask(kernel, ask) == (False,) * 3 and _ask(leaky, ask) == (True,) * 3

    def test_calls_that_no_notebook_needs_are_refused(
        self, monkeypatch: pytest.MonkeyPatch, kernel: Session
    ) -> None:
        numbers = bubblewrap.NUMBERS[platform.machine()]
        code = REFUSED.replace("NUMBERS", str(numbers))
        assert _ask(kernel, code) == [*numbers, "lease", "shared"]
        assert _ask(kernel, FAMILIES) == [[1, 2, 10]] * 2
        monkeypatch.setattr(bubblewrap, "seccomp", lambda: b"")
        with begun() as leaky:
            assert not {"shmget", "add_key", "lease", "shared"} & {*_ask(leaky, code)}
            assert 16 in _ask(leaky, FAMILIES)[0]  # AF_NETLINK

    def test_nothing_is_left_for_the_next(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Not even if Linux refused no call."""
        monkeypatch.setattr(bubblewrap, "seccomp", lambda: b"")
        find = FIND.replace("NAMES", "('trace', 'link', 'closed')")
        with closing(Sandbox(LIMITS)) as made:
            session = Session(made)
            assert "rror" not in text_of(session, dedent(LEAVE))
            found, _ = _ask(session, find)
            assert len(found) >= 10 and "shmget" in found
            assert session.close()
            session = Session(made)
            assert _ask(session, find) == ([], True)
            assert session.close()

    def test_a_course_under_tmp_can_be_read_and_nothing_else_of_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = Path(tempfile.mkdtemp(dir="/tmp")) / "a course"  # one of those that are shown
        place.mkdir()
        (place / "ours").touch()
        (place.parent / "secret").touch()
        monkeypatch.setattr(results, "PLACES", (place,))
        try:
            with begun() as session:
                listed = f"import os; os.listdir({str(place)!r}), os.listdir({str(place.parent)!r})"
                assert _ask(session, listed) == (["ours"], ["a course"])
                assert "Read-only" in text_of(session, f"open({str(place / 'new')!r}, 'w')")
        finally:
            shutil.rmtree(place.parent)

    def test_data_can_be_loaded_by_processes(self, kernel: Session) -> None:
        code = """
            import torch
            from torch.utils.data import DataLoader, TensorDataset
            loader = DataLoader(TensorDataset(torch.arange(64.0)), batch_size=4, num_workers=2)
            sum(float(each[0].sum()) for each in loader)"""
        assert text_of(kernel, dedent(code), 30) == "2016.0"


def test_ci_has_a_sandbox_and_a_browser() -> None:
    """Elsewhere the tests that need them are skipped."""
    assert (ISOLATED and CHROMIUM) or not os.environ.get("CI")


def test_without_bubblewrap_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    tight = bubblewrap.command
    monkeypatch.setattr(bubblewrap, "command", lambda: [*tight(), "--cap-drop", "ALL"])
    assert NO_SANDBOX or "Operation not permitted" in bubblewrap.available()
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt install bubblewrap" in bubblewrap.available()
    assert "--no-sandbox" in bubblewrap.available()
