"""What all processes of a sandbox use together is checked, or held by systemd where it can."""

import ast
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import psutil
import pytest

from helpers.course.sandbox import process, usage
from helpers.course.sandbox.process import Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED, needs_sandbox
from tests.course.sandbox.conftest import BARE, LIMITS, begun, text_of

pytestmark = pytest.mark.usefixtures("bare")
SHARED = """
    held = b"x" * (300 << 20)
    for _ in range(8):
        if os.fork() == 0:
            time.sleep(1.5)
            os._exit(0)
    time.sleep(1)
    len(held) >> 20"""
LARGE_CHILDREN = """
    import os, time
    begun, filled = os.pipe()
    for _ in range(9):
        if os.fork() == 0:
            held = b"x" * (100 << 20)
            os.write(filled, b".")
            time.sleep(60)
        os.read(begun, 1)"""
# Nobody has opened those that wait in a queue.
QUEUED = """
    import socket, time
    kept = socket.socket(socket.AF_UNIX)
    kept.bind("\\0queue")
    kept.listen(4096)
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect("\\0queue")
    time.sleep(9)"""
CROWD = """
    import warnings
    warnings.simplefilter("ignore")  # since Python 3.12 of a fork where there are threads
    for _ in range(30):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
    time.sleep(1)"""
ENDED = """
    import subprocess
    for _ in range(60):
        subprocess.run("true &", shell=True)
    time.sleep(1)
    300"""
# As systemd-run, but writes down what it was asked for.
SYSTEMD = """\
#!/bin/sh
echo "$@" >> "{folder}/asked"
while case "$1" in --*) true;; *) false;; esac; do shift; done
exec "$@"
"""


@needs_sandbox
@pytest.mark.parametrize("code", [SHARED, ENDED])
def test_shared_memory_counts_once_and_what_has_ended_not_at_all(code: str) -> None:
    """Who takes too much memory or too many processes is ended: tests/course/grading/hostile."""
    with begun() as session:
        assert text_of(session, f"import os, time\n{dedent(code)}", 20) == "300"


@needs_sandbox
def test_who_opens_too_many_sockets_is_ended() -> None:
    with begun() as session, pytest.raises(SandboxError, match=r"opened [0-9]+ sockets"):
        session.run(dedent(QUEUED), 20)


@needs_sandbox
def test_why_no_kernel_starts_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from helpers.course.sandbox import namespaces\nnamespaces.isolate = None\n" + BARE
    monkeypatch.setattr(process, "COMMAND", [sys.executable, "-c", code])
    with closing(Sandbox(LIMITS)) as made, pytest.raises(SandboxError, match="not callable"):
        Session(made)


@needs_sandbox
def test_a_crowd_is_kept_on_one_core_and_cannot_leave_it() -> None:
    free = os.sched_getaffinity(0)
    ask = "import os, time; os.sched_getaffinity(0)"
    with closing(Sandbox(LIMITS)) as made:
        session = Session(made)
        assert ast.literal_eval(text_of(session, ask)) == free
        assert text_of(session, dedent(CROWD)) == ""
        assert ast.literal_eval(text_of(session, ask)) == {max(free)}
        assert "not permitted" in text_of(session, f"os.sched_setaffinity(0, {free})")
        session.close()
        session = Session(made)
        assert ast.literal_eval(text_of(session, ask)) == free
        session.close()


def test_where_systemd_makes_scopes_a_sandbox_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "systemd-run").write_text(SYSTEMD.format(folder=tmp_path))
    (tmp_path / "systemd-run").chmod(0o755)
    usage.makes_scopes.cache_clear()
    try:
        with closing(Sandbox(replace(LIMITS, files=1 << 29), ISOLATED)) as made:
            made.wait()
            asked = (tmp_path / "asked").read_text().splitlines()[-1]
            assert made.in_scope
            assert f"MemoryMax={3 << 29} " in asked and "TasksMax=200 " in asked
            session = Session(made)
            assert text_of(session, "1 + 1") == "2"
            made.process.kill()  # as Linux does with all that is in the scope
            with pytest.raises(SandboxError, match=r"more than 1\.0 GiB of memory"):
                session.run("import time; time.sleep(9)", 10)
    finally:
        usage.makes_scopes.cache_clear()


@needs_sandbox
def test_memory_that_is_slow_to_measure_holds_up_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux lets who asks how much is shared wait for a process that forks."""
    forked = threading.Event()

    def measured(_: psutil.Process) -> SimpleNamespace:
        assert forked.wait(60)
        return SimpleNamespace(pss=1 << 40)

    monkeypatch.setattr(psutil.Process, "memory_full_info", measured)
    with closing(Sandbox(replace(LIMITS, memory=512 << 20))) as made, closing(Session(made)) as ran:
        ran.run(dedent(LARGE_CHILDREN), 20)
        began = time.monotonic()
        made.check_limits(now=True)
        assert time.monotonic() - began < 5
        forked.set()
        with pytest.raises(SandboxError, match=r"more than 0\.5 GiB of memory"):
            made.check_limits(now=True)


@pytest.mark.skipif(not usage.makes_scopes(), reason="systemd makes no scope")
def test_linux_ends_all_of_a_scope_that_takes_too_much_memory() -> None:
    code = "import os\nif os.fork() == 0:\n    held = b'x' * (300 << 20)\nos.wait()"
    command = [*usage.scope(100 << 20, 40), "python3", "-c", code]
    assert subprocess.run(command, check=False).returncode == -9
