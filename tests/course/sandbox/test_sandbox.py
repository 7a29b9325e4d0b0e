"""A kernel in the sandbox starts warm, sees little, stays within its limits and leaves nothing."""

import ast
import os
import platform
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from helpers import recorded
from helpers.course.sandbox import bubblewrap, memory, seccomp
from helpers.course.sandbox.process import Sandbox
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED, ROOT, needs_sandbox
from tests.course.sandbox.shown import LIMITS, begun, text_of

HELPERS = str(ROOT / "helpers")


@pytest.fixture(scope="module")
def kernel() -> Iterator[Session]:
    """One for all questions about what is out of its reach."""
    with begun() as made:
        yield made


@needs_sandbox
class TestIsolated:
    """What only bubblewrap can promise."""

    @pytest.mark.parametrize(
        "path",
        [ROOT / "source", ROOT / "solutions", ROOT / "tests", ROOT / ".git", Path.home() / ".ssh"],
    )
    def test_the_course_is_not_there(self, kernel: Session, path: Path) -> None:
        assert text_of(kernel, f"import os; os.path.exists({str(path)!r})") == "False"

    def test_the_helpers_are_there_to_be_read_only(self, kernel: Session) -> None:
        place = ROOT / "helpers" / "new.py"
        assert "Read-only" in text_of(kernel, f"open({str(place)!r}, 'w')")

    def test_there_is_no_network_and_no_environment(self, kernel: Session) -> None:
        os.environ["A_SECRET"] = "1"
        assert "A_SECRET" not in text_of(kernel, "import os; print(dict(os.environ))")
        connect = "import socket; socket.create_connection(('127.0.0.1', 22), 1)"
        assert "refused" in text_of(kernel, connect) or "unreachable" in text_of(kernel, connect)
        names = "[line.split(':')[0].strip() for line in open('/proc/net/dev')][2:]"
        assert text_of(kernel, names) == "['lo']"

    def test_the_warm_process_is_out_of_reach(self, kernel: Session) -> None:
        attempts = "import os; os.kill(1, 9); os.kill(1, 15); os.path.exists('/proc/1')"
        assert text_of(kernel, attempts) == "True"
        for name in ("mem", "environ", "fd/0", "fd/1", "root/tmp"):
            assert "ermission" in text_of(kernel, f"open('/proc/1/{name}')")

    @pytest.mark.parametrize(
        ("reached", "hole"),
        [
            (f"os.path.exists({str(ROOT / 'source')!r})", ["--ro-bind", str(ROOT), str(ROOT)]),
            (f"os.statvfs({HELPERS!r}).f_flag & 1 == 0", ["--bind", HELPERS, HELPERS]),
            ("os.statvfs('/proc/sys').f_flag & 1 == 0", ["--bind", "/proc/sys", "/proc/sys"]),
            ("socket.socket().connect_ex(('127.0.0.1', PORT)) == 0", ["--share-net"]),
            ("'A_SECRET' in os.environ", ["--setenv", "A_SECRET", "1"]),
            ("os.getuid() == 0", ["--uid", "0"]),
        ],
        ids=["reading", "writing", "settings", "network", "environment", "rights"],
    )
    def test_a_hole_would_be_seen(
        self, monkeypatch: pytest.MonkeyPatch, kernel: Session, reached: str, hole: list[str]
    ) -> None:
        tight = bubblewrap.command
        monkeypatch.setattr(bubblewrap, "command", lambda *given: [*tight(*given), *hole])
        # In the machine's own network all of its sockets would count.
        monkeypatch.setattr(memory, "sockets", lambda _pid: 0)
        leaky = Sandbox(LIMITS)
        session = Session(leaky)
        with socket.create_server(("127.0.0.1", 0)) as server:
            ask = f"import os, socket; {reached.replace('PORT', str(server.getsockname()[1]))}"
            assert (text_of(kernel, ask), text_of(session, ask)) == ("False", "True")
        session.close()
        leaky.close()

    def test_memory_is_bounded(self, kernel: Session) -> None:
        assert "MemoryError" in str(kernel.run("a = bytearray(8 << 30)", 10))

    def test_nothing_is_left_for_the_next(self) -> None:
        warm = Sandbox(LIMITS)
        session = Session(warm)
        text_of(session, "open('/dev/shm/a', 'w').write('1'); open('/tmp/b', 'w').write('2')")
        text_of(
            session,
            "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)",
        )
        session.close()
        session = Session(warm)
        assert text_of(session, "import os; os.listdir('/dev/shm')") == "[]"
        assert text_of(session, "os.path.exists('/tmp/b')") == "False"
        assert "sleep" not in text_of(
            session, "[open(f'/proc/{p}/comm').read() for p in os.listdir('/proc') if p.isdigit()]"
        )
        session.close()
        warm.close()

    def test_what_tcp_has_not_delivered_is_left_over(self) -> None:
        undelivered = """
            import socket, struct
            server = socket.create_server(("127.0.0.1", 0))
            key = b"key"
            to = struct.pack(">HH", 512, server.getsockname()[1]) + socket.inet_aton("127.0.0.1")
            signed = to.ljust(128, bytes(1)) + struct.pack("=BBHI80s", 0, 0, len(key), 0, key)
            client, other = socket.create_connection(server.getsockname()), server.accept()[0]
            if SIGNED:
                client.setsockopt(6, 14, signed)  # the other end throws away what comes
            client.send(bytes(1000))
            client.close(), other.close(), server.close()"""
        warm = Sandbox(LIMITS)
        try:
            for signed in (False, True):
                session = Session(warm)
                code = dedent(undelivered).replace("SIGNED", str(signed))
                assert "rror" not in text_of(session, code)
                assert session.close() == (not signed)
        finally:
            warm.close()

    def test_a_closed_terminal_is_opened_for_the_next(self) -> None:
        warm = Sandbox(LIMITS)
        session = Session(warm)
        text_of(session, "import os; os.chmod('/dev/pts/ptmx', 0); os.chmod('/dev/pts', 0)")
        assert "out of pty" in text_of(session, "!echo hello")
        assert session.close()
        session = Session(warm)
        assert text_of(session, "!echo hello").strip() == "hello"
        session.close()
        warm.close()

    @pytest.mark.parametrize(
        ("code", "clean"),
        [
            ("os.makedirs(place.parent / 'a/b'); (place.parent / 'c').write_text('1')", True),
            ("os.rename('/tmp/' + place.parts[2], '/tmp/elsewhere')", False),
            ("os.makedirs('/tmp/a/b/c'); os.chmod('/tmp/a/b', 0)", False),
            ("for _ in range(1500): os.mkdir('d'); os.chdir('d')", False),
            ("os.symlink('/etc', '/tmp/link')", True),
        ],
        ids=["beside", "renamed", "closed", "deep", "link"],
    )
    def test_a_course_under_tmp_is_nothing_left_over(
        self, monkeypatch: pytest.MonkeyPatch, code: str, clean: bool
    ) -> None:
        place = Path(tempfile.mkdtemp(dir="/tmp")) / "course"  # one of those that a sandbox shows
        place.mkdir()
        (place / "ours").touch()
        monkeypatch.setattr(recorded, "PLACES", (place,))
        warm = Sandbox(LIMITS)
        try:
            session = Session(warm)
            assert "ours" in text_of(session, f"import os; os.listdir({str(place)!r})")
            assert session.close()
            session = Session(warm)
            setup = f"import os; from pathlib import Path; place = Path({str(place)!r})"
            assert "rror" not in text_of(session, f"{setup}\n{code}")
            assert session.close() == clean
            assert warm.process.poll() is None  # it has told what is left, and not died of it
        finally:
            warm.close()
            shutil.rmtree(place.parent)

    def test_calls_that_no_notebook_needs_are_refused(
        self, monkeypatch: pytest.MonkeyPatch, kernel: Session
    ) -> None:
        numbers = seccomp.NUMBERS[platform.machine()]
        refused = f"""
            import ctypes, errno
            libc = ctypes.CDLL(None, use_errno=True)
            def refused(number):
                done = libc.syscall(number, -1, -1, -1, -1, -1)
                return done == -1 and ctypes.get_errno() == errno.EPERM
            [name for name, number in {numbers}.items() if refused(number)]"""
        assert ast.literal_eval(text_of(kernel, dedent(refused))) == list(numbers)
        monkeypatch.setattr(seccomp, "program", lambda: b"")
        leaky = Sandbox(LIMITS)
        session = Session(leaky)
        found = ast.literal_eval(text_of(session, dedent(refused)))
        assert not {"shmget", "semget", "sched_setaffinity", "add_key"} & set(found)
        session.close()
        leaky.close()

    @pytest.mark.rotating
    def test_a_crowd_is_kept_on_one_core_and_cannot_leave_it(self) -> None:
        warm = Sandbox(LIMITS)
        session = Session(warm)
        free = os.sched_getaffinity(0)
        ask = "import os, time; os.sched_getaffinity(0)"
        assert ast.literal_eval(text_of(session, ask)) == free
        crowd = """
            import warnings
            warnings.simplefilter("ignore")  # since Python 3.12 of a fork where there are threads
            for _ in range(30):
                if os.fork() == 0:
                    time.sleep(30)
                    os._exit(0)
            time.sleep(1)"""
        assert text_of(session, dedent(crowd)) == ""
        assert ast.literal_eval(text_of(session, ask)) == {max(free)}
        assert "not permitted" in text_of(session, f"os.sched_setaffinity(0, {free})")
        assert session.close()
        session = Session(warm)
        assert ast.literal_eval(text_of(session, ask)) == free
        session.close()
        warm.close()

    def test_what_cannot_be_removed_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(seccomp, "program", lambda: b"")
        warm = Sandbox(LIMITS)
        session = Session(warm)
        code = "import ctypes; ctypes.CDLL(None).shmget(77, 4096, 0o1600)"
        assert int(text_of(session, code)) >= 0
        assert not session.close()
        warm.close()


def test_ci_has_a_sandbox() -> None:
    assert ISOLATED or not os.environ.get("CI")


def test_without_bubblewrap_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt install bubblewrap" in bubblewrap.available()
    assert "--no-sandbox" in bubblewrap.available()
