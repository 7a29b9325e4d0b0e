"""A kernel in the sandbox starts warm, sees little, stays within its limits and leaves nothing."""

import ast
import os
import platform
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import psutil
import pytest

from helpers import recorded
from helpers.course.sandbox import bubblewrap, seccomp
from helpers.course.sandbox.process import Limits, Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED, ROOT, needs_sandbox

LIMITS = Limits(cell_seconds=3, notebook_seconds=60, memory=1 << 30, output=20_000)
HELPERS = str(ROOT / "helpers")
SANDBOXED = pytest.param(True, marks=needs_sandbox)


@pytest.fixture(scope="module", params=[SANDBOXED, False], ids=["sandbox", "plain"])
def warm(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    made = Sandbox(LIMITS, request.param)
    yield made
    made.close()


def _text(session: Session, code: str, seconds: float = 10) -> str:
    return "".join(
        output.get("text") or output.get("evalue") or output.get("data", {}).get("text/plain", "")
        for output in session.run(code, seconds)
    )


def test_cells_share_a_kernel_and_sessions_do_not(warm: Sandbox) -> None:
    session = Session(warm)
    _text(session, "import torch; kept = torch.arange(3)")
    assert _text(session, "kept.sum().item()") == "3"
    shown = _text(session, "import sys; print('out'); print('err', file=sys.stderr)")
    assert sorted(shown.split()) == ["err", "out"]  # two streams, in no order
    assert "division" in _text(session, "1 / 0")
    assert "image/png" in session.run("import matplotlib.pyplot as p; p.plot([1]);", 20)[-1].data
    ours = "from helpers import plots; plots.show(p.figure(), 'an empty frame')"
    assert session.run(ours, 20)[-1].data == {"text/plain": "[picture: an empty frame]"}
    session.close()
    session = Session(warm)
    assert "not defined" in _text(session, "kept")
    session.close()


def test_a_cell_that_takes_too_long_is_stopped_and_the_next_one_runs(warm: Sandbox) -> None:
    session = Session(warm)
    assert "more than 1 s" in _text(session, "while True: pass", 1)
    assert _text(session, "1 + 1") == "2"
    session.close()


def test_half_a_character_holds_up_no_output(warm: Sandbox) -> None:
    session = Session(warm)
    code = r"print('\ud800'); display('\udcff'); print(len('\ud800')); raise ValueError('\udfff')"
    for _ in range(3):
        began = time.monotonic()
        outputs = session.run(code, 20)
        assert time.monotonic() - began < 5
        streams = [each.text for each in outputs if each.output_type == "stream"]
        assert "".join(streams).split() == ["?", "1"]
        assert outputs[-1].evalue == "?"
    assert _text(session, "1 + 1") == "2"
    session.close()


def test_a_cell_that_heeds_only_the_second_interrupt_goes_no_further(warm: Sandbox) -> None:
    session = Session(warm)
    twice = "import time\ntry:\n    time.sleep(9)\nexcept KeyboardInterrupt:\n    time.sleep(9)"
    assert "more than 1 s" in _text(session, twice, 1)
    assert _text(session, "1 + 1") == "2"
    session.close()


def test_a_cell_that_has_stopped_may_have_shown_more_than_is_looked_at_in_time(
    monkeypatch: pytest.MonkeyPatch, warm: Sandbox
) -> None:
    session = Session(warm)
    following = session._next

    def slowly(seconds: float) -> dict[str, Any]:
        time.sleep(0.02)  # as where the machine has much else to do
        return following(seconds)

    monkeypatch.setattr(session, "_next", slowly)
    shown = _text(session, "while True: display('x')", 1)
    assert "more was shown" in shown and "more than 1 s" in shown
    assert _text(session, "1 + 1") == "2"
    session.close()


def test_a_cell_that_does_not_heed_is_the_end_of_the_kernel(warm: Sandbox) -> None:
    session = Session(warm)
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    with pytest.raises(SandboxError, match="did not stop"):
        session.run(deaf, 1)
    session.close()
    session = Session(warm)
    assert _text(session, "1 + 1") == "2"
    session.close()


@pytest.mark.parametrize(
    ("code", "reason"),
    [("import os; os._exit(3)", "status 3"), ("import os; os.kill(os.getpid(), 9)", "SIGKILL")],
)
def test_a_kernel_that_ends_says_how(warm: Sandbox, code: str, reason: str) -> None:
    session = Session(warm)
    with pytest.raises(SandboxError, match=reason):
        session.run(code, 10)
    session.close()


def test_what_is_shown_is_bounded(warm: Sandbox) -> None:
    session = Session(warm)
    assert len(_text(session, "for _ in range(10**5): print('x' * 99)", 60)) < 3 * LIMITS.output
    assert len(_text(session, "print('x' * 40_000_000)", 60)) < 3 * LIMITS.output
    assert len(session.run("for _ in range(1000): display(1)", 60)) < 50
    assert _text(session, "1 + 1") == "2"
    session.close()


def test_a_kernel_ends_with_its_sandbox(warm: Sandbox) -> None:
    own = Sandbox(LIMITS, warm.isolated)
    session = Session(own)
    session.client.execute("import signal; signal.signal(2, signal.SIG_IGN)\nwhile True: pass")
    kernels = psutil.Process(own.process.pid).children(recursive=True)
    own.close()
    assert not session.close()
    assert kernels
    assert psutil.wait_procs(kernels, timeout=10)[1] == []


@pytest.fixture(scope="module")
def kernel() -> Iterator[Session]:
    """One for all questions about what is out of its reach."""
    made = Sandbox(LIMITS)
    session = Session(made)
    yield session
    session.close()
    made.close()


@needs_sandbox
class TestIsolated:
    """What only bubblewrap can promise."""

    @pytest.mark.parametrize(
        "path",
        [ROOT / "source", ROOT / "solutions", ROOT / "tests", ROOT / ".git", Path.home() / ".ssh"],
    )
    def test_the_course_is_not_there(self, kernel: Session, path: Path) -> None:
        assert _text(kernel, f"import os; os.path.exists({str(path)!r})") == "False"

    def test_the_helpers_are_there_to_be_read_only(self, kernel: Session) -> None:
        place = ROOT / "helpers" / "new.py"
        assert "Read-only" in _text(kernel, f"open({str(place)!r}, 'w')")

    def test_there_is_no_network_and_no_environment(self, kernel: Session) -> None:
        os.environ["A_SECRET"] = "1"
        assert "A_SECRET" not in _text(kernel, "import os; print(dict(os.environ))")
        connect = "import socket; socket.create_connection(('127.0.0.1', 22), 1)"
        assert "refused" in _text(kernel, connect) or "unreachable" in _text(kernel, connect)
        known = _text(kernel, "[line.split(':')[0].strip() for line in open('/proc/net/dev')][2:]")
        assert known == "['lo']"

    def test_the_warm_process_is_out_of_reach(self, kernel: Session) -> None:
        attempts = "import os; os.kill(1, 9); os.kill(1, 15); os.path.exists('/proc/1')"
        assert _text(kernel, attempts) == "True"
        for name in ("mem", "environ", "fd/0", "fd/1", "root/tmp"):
            assert "ermission" in _text(kernel, f"open('/proc/1/{name}')")

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
        leaky = Sandbox(LIMITS)
        session = Session(leaky)
        with socket.create_server(("127.0.0.1", 0)) as server:
            ask = f"import os, socket; {reached.replace('PORT', str(server.getsockname()[1]))}"
            assert (_text(kernel, ask), _text(session, ask)) == ("False", "True")
        session.close()
        leaky.close()

    def test_memory_is_bounded(self, kernel: Session) -> None:
        assert "MemoryError" in str(kernel.run("a = bytearray(8 << 30)", 10))

    def test_nothing_is_left_for_the_next(self) -> None:
        warm = Sandbox(LIMITS)
        session = Session(warm)
        _text(session, "open('/dev/shm/a', 'w').write('1'); open('/tmp/b', 'w').write('2')")
        _text(
            session,
            "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)",
        )
        session.close()
        session = Session(warm)
        assert _text(session, "import os; os.listdir('/dev/shm')") == "[]"
        assert _text(session, "os.path.exists('/tmp/b')") == "False"
        assert "sleep" not in _text(
            session, "[open(f'/proc/{p}/comm').read() for p in os.listdir('/proc') if p.isdigit()]"
        )
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
            assert "ours" in _text(session, f"import os; os.listdir({str(place)!r})")
            assert session.close()
            session = Session(warm)
            setup = f"import os; from pathlib import Path; place = Path({str(place)!r})"
            assert "rror" not in _text(session, f"{setup}\n{code}")
            assert session.close() == clean
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
        assert ast.literal_eval(_text(kernel, dedent(refused))) == list(numbers)
        monkeypatch.setattr(seccomp, "program", lambda: b"")
        leaky = Sandbox(LIMITS)
        session = Session(leaky)
        found = ast.literal_eval(_text(session, dedent(refused)))
        assert not {"shmget", "semget", "sched_setaffinity", "add_key"} & set(found)
        session.close()
        leaky.close()

    def test_a_crowd_is_kept_on_one_core_and_cannot_leave_it(self) -> None:
        warm = Sandbox(LIMITS)
        session = Session(warm)
        free = os.sched_getaffinity(0)
        ask = "import os, time; os.sched_getaffinity(0)"
        assert ast.literal_eval(_text(session, ask)) == free
        crowd = """
            import warnings
            warnings.simplefilter("ignore")  # since Python 3.12 of a fork where there are threads
            for _ in range(40):
                if os.fork() == 0:
                    time.sleep(30)
                    os._exit(0)
            time.sleep(1)"""
        assert _text(session, dedent(crowd)) == ""
        assert ast.literal_eval(_text(session, ask)) == {max(free)}
        assert "not permitted" in _text(session, f"os.sched_setaffinity(0, {free})")
        assert session.close()
        session = Session(warm)
        assert ast.literal_eval(_text(session, ask)) == free
        session.close()
        warm.close()

    def test_what_cannot_be_removed_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(seccomp, "program", lambda: b"")
        warm = Sandbox(LIMITS)
        session = Session(warm)
        code = "import ctypes; ctypes.CDLL(None).shmget(77, 4096, 0o1600)"
        assert int(_text(session, code)) >= 0
        assert not session.close()
        warm.close()


def test_ci_has_a_sandbox() -> None:
    assert ISOLATED or not os.environ.get("CI")


def test_without_bubblewrap_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt install bubblewrap" in bubblewrap.available()
    assert "--no-sandbox" in bubblewrap.available()
