"""Where the system lends a cgroup, the kernel holds the limits of a sandbox; elsewhere looks do."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.course import doctor
from helpers.course.sandbox import bubblewrap, cgroup
from helpers.course.sandbox.cgroup import Cgroup
from helpers.course.sandbox.process import Limits, Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from helpers.course.settings import Course
from tests.common import ISOLATED

LIMITS = Limits(memory=1 << 30, files=64 << 20, processes=150)
BOMB = """
import os
if os.fork() == 0:
    kept = []
    while len(kept) < 50:
        kept.append(bytes(range(256)) * 40_000)
os.wait()
"""
CROWD = """
import os, time
try:
    for number in range(60):
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
except OSError:
    print(number)
"""


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of a cgroup that is lent to us, and holds this process."""
    made = tmp_path / "root" / "a.scope"
    made.mkdir(parents=True)
    (made / "cgroup.controllers").write_text("cpu io memory pids\n")
    (made / "cgroup.procs").write_text(f"{os.getpid()}\n{os.getppid()}\n")
    (tmp_path / "own").write_text("4:memory:/elsewhere\n0::/a.scope\n")
    monkeypatch.setattr(cgroup, "ROOT", tmp_path / "root")
    monkeypatch.setattr(cgroup, "OWN", tmp_path / "own")
    return made


def test_the_limits_stand_in_a_cgroup_of_its_own(scope: Path) -> None:
    assert cgroup.unavailable() == ""
    one, other = Cgroup(5 << 30, 200), Cgroup(1 << 30, 100)
    assert one.path.parent == other.path.parent == scope and one.path != other.path
    told = {path.name: path.read_text() for path in one.path.iterdir()}
    assert told == {
        "memory.max": str(5 << 30),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "200",
    }
    assert (scope / "cgroup.subtree_control").read_text() == "+memory +pids"
    moved = (scope / cgroup.GRADER / "cgroup.procs").read_text()
    assert moved in (str(os.getpid()), str(os.getppid()))  # the last; a real one keeps all


def test_who_has_gone_into_it_already_divides_the_same_one(scope: Path) -> None:
    cgroup.OWN.write_text(f"0::/a.scope/{cgroup.GRADER}\n")
    assert Cgroup(1 << 30, 100).path.parent == scope


def test_what_is_missing_is_said_and_looks_hold_alone(scope: Path) -> None:
    (scope / "cgroup.procs").write_text(f"{os.getpid()}\n999999999\n")
    assert "holds other processes, as 999999999" in cgroup.unavailable()
    (scope / "cgroup.controllers").write_text("cpu pids\n")
    assert "does not limit memory" in cgroup.unavailable()
    for text in ("0::/gone\n", "4:memory:/a.scope\n"):
        cgroup.OWN.write_text(text)
        assert cgroup.unavailable() == "there are no cgroups of version 2"
    cgroup.OWN.unlink()
    assert cgroup.lent(1, 1) is None


def test_doctor_says_who_holds_the_limits(
    scope: Path, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "available", lambda: "")
    assert list(doctor._sandbox(course))[1].text.endswith("held by cgroup")
    cgroup.OWN.unlink()
    found = list(doctor._sandbox(course))[1]
    assert found.state == "note" and "no cgroups of version 2; systemd-run" in found.text


@pytest.mark.rotating
def test_a_sandbox_begins_in_it_and_says_why_the_kernel_ended_it(scope: Path) -> None:
    sandbox = Sandbox(LIMITS, ISOLATED)
    try:
        assert sandbox.cgroup and sandbox.limited == "cgroup"
        path = sandbox.cgroup.path
        assert (path / "memory.max").read_text() == str((1 << 30) + (64 << 20))
        (path / "memory.events").write_text("low 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n")
        session = Session(sandbox)
        assert (path / "cgroup.procs").read_text() == "0\n"  # "whoever writes this"
        assert session.run("1 + 1", 10)[0].data["text/plain"] == "2"
        (path / "memory.events").write_text("low 0\nmax 9\noom 1\noom_kill 4\noom_group_kill 1\n")
        sandbox.process.kill()  # as the kernel does
        with pytest.raises(SandboxError, match=r"more than 1\.0 GiB of memory"):
            session.run("import time; time.sleep(9)", 10)
        session.close()
    finally:
        sandbox.close()


def test_it_is_closed_once_and_as_soon_as_it_is_empty(
    scope: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Cgroup(1 << 30, 100)
    left = list(made.path.iterdir())  # as many looks as processes that end
    looks = len(left)

    def sleep(_seconds: float) -> None:
        left.pop().unlink()

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(Path, "write_text", lambda *_: None)  # a real one has no file to be made
    made.close()
    assert looks == 4 and not left and not made.path.exists()
    made.close()  # a sandbox that is ended is closed again by those who keep them; nobody waits


needs_cgroup = pytest.mark.skipif(
    bool(cgroup.unavailable()), reason=f"no cgroup to divide: {cgroup.unavailable()}"
)


@needs_cgroup
def test_the_kernel_ends_all_of_a_memory_bomb() -> None:
    made = Cgroup(100 << 20, 40)
    done = subprocess.run([*made.words, sys.executable, "-c", BOMB])
    assert done.returncode == -9 and made.burst()  # its parent, which waits, as well
    made.close()
    assert not made.path.exists()


@needs_cgroup
def test_the_kernel_starts_no_more_processes_than_are_allowed() -> None:
    made = Cgroup(100 << 20, 20)
    done = subprocess.run([*made.words, sys.executable, "-c", CROWD], capture_output=True)
    assert int(done.stdout) == 19
    made.close()
    assert not made.path.exists()
