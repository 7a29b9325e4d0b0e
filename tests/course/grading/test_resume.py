"""A run that is stopped goes on where it was, and keeps what people have done to the gradebook."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import psutil
import pytest

from helpers.course.authoring import build
from helpers.course.grading import execute, grade
from helpers.course.grading.journal import graded
from helpers.course.sandbox import pool, process
from helpers.course.sandbox.process import Sandbox, SandboxDiedError
from helpers.course.sandbox.session import Session
from helpers.course.settings import Course, CourseError
from tests.common import ISOLATED
from tests.course.judged import Desk, hand_in, marks

pytestmark = pytest.mark.usefixtures("warm_sandboxes")
UNIT = "01-tiny"


def _class(course: Course, folder: Path, students: int) -> Path:
    built = build.make(course, UNIT, folder / "made")
    both = (built.released, built.solution)
    return hand_in(folder / "in", **{f"s{n:02}": both[n % 2] for n in range(students)})


def _grade(course: Course, submissions: Path, out: Path) -> pd.DataFrame:
    return grade.grade(course, submissions, out, isolated=ISOLATED, workers=1)


def test_what_is_graded_is_not_executed_again(desk: Desk) -> None:
    right, wrong = desk.work(), desk.work(double="return x")
    hand_in(submissions := desk.root / "in", ada=right, bob=right)
    first = desk.grade(submissions)
    pd.testing.assert_frame_equal(first, desk.grade(submissions))
    assert len(desk.executed) == 2
    for text, score, executed in ((wrong, "2.0", 3), (right, "4.0", 4)):  # and back again
        hand_in(submissions, ada=text)
        assert desk.grade(submissions).score.tolist() == [score, "4.0"]
        assert len(desk.executed) == executed
    source = desk.course.text("01-tiny")
    source.write_text(source.read_text().replace("seed=1", "seed=2"))
    desk.grade(submissions)
    assert len(desk.executed) == 6  # another test is another mark


@pytest.mark.rotating
def test_a_sandbox_that_dies_of_itself_is_no_mark(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submissions, out = _class(tiny, tmp_path, 2), tmp_path / "out"
    left, real = [SandboxDiedError("the sandbox ended")] * 3, Session

    def dying(sandbox: Sandbox, files: Mapping[str, bytes] | None = None) -> Session:
        if left:
            raise left.pop()
        return real(sandbox, files)

    monkeypatch.setattr(execute, "Session", dying)
    table = _grade(tiny, submissions, out)
    assert table.status[0] == "not graded: the sandbox ended, twice; run again"
    assert table.status[1] == "graded"  # at the second try
    assert [entry["row"]["student"] for entry in graded(out)] == ["s01"]
    assert _grade(tiny, submissions, out).status.tolist() == ["graded", "graded"]


def test_where_no_sandbox_starts_the_run_stops_at_once_and_writes_no_page(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submissions, out = _class(tiny, tmp_path, 2), tmp_path / "out"
    program = "import sys; sys.exit('line\\n' * 999 + 'No module named torch')"
    with monkeypatch.context() as patched:
        patched.setattr(process, "COMMAND", [sys.executable, "-c", program])
        patched.setattr(pool, "_idle", [])
        with pytest.raises(CourseError, match=r"(?s)start: … .{1,200}named torch.* same command"):
            _grade(tiny, submissions, out)
    assert graded(out) == [] and not (out / "feedback").exists()
    assert _grade(tiny, submissions, out).status.tolist() == ["graded", "graded"]


def _running(course: Course, submissions: Path, out: Path, done: int) -> subprocess.Popen[str]:
    """`course grade`, as from a terminal, with so many notebooks graded."""
    command = [str(Path(sys.executable).with_name("course")), "grade", str(submissions)]
    command += ["--out", str(out), "--workers", "1", *([] if ISOLATED else ["--no-sandbox"])]
    here = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, a child ignores it
    running = subprocess.Popen(
        command, cwd=course.root, stdout=-1, stderr=-1, text=True, start_new_session=True
    )
    signal.signal(signal.SIGINT, here)
    end = time.monotonic() + 120
    while len(graded(out)) < done and time.monotonic() < end:
        time.sleep(0.02)
    return running


@pytest.mark.rotating
def test_ctrl_c_keeps_what_is_graded_and_makes_no_row(tiny: Course, tmp_path: Path) -> None:
    submissions, out = _class(tiny, tmp_path, 16), tmp_path / "out"
    running = _running(tiny, submissions, out, 1)
    with pytest.raises(CourseError, match="somebody is grading into"):
        _grade(tiny, submissions, out)
    started = psutil.Process(running.pid).children(recursive=True)
    os.killpg(running.pid, signal.SIGINT)  # a terminal sends it to all
    shown, told = running.communicate(timeout=60)
    assert (running.returncode, shown) == (130, "")
    assert told.splitlines()[-1].startswith("stopped; what has been graded is kept")
    assert "Traceback" not in told and "Warning" not in told
    assert 0 < len(graded(out)) < 16
    assert started and psutil.wait_procs(started, timeout=10)[1] == []
    assert sorted(_grade(tiny, submissions, out).score) == [0] * 8 + [2] * 8


@pytest.mark.rotating
def test_a_killed_run_goes_on(tiny: Course, tmp_path: Path) -> None:
    submissions, out = _class(tiny, tmp_path, 6), tmp_path / "out"
    running = _running(tiny, submissions, out, 2)
    started = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert started and psutil.wait_procs(started, timeout=10)[1] == []
    end = time.monotonic() + 10
    while (left := [*Path("/tmp").glob(f"om-{running.pid}-*")]) and time.monotonic() < end:
        time.sleep(0.1)  # without a sandbox a process has to notice
    assert not left
    assert 2 <= len(graded(out)) < 6
    assert _grade(tiny, submissions, out).score.tolist() == [0, 2, 0, 2, 0, 2]
    assert len(marks(out)) == 6
