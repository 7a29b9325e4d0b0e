"""Where root runs `course` on a graded class, it is nobody who does it, from the beginning."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import nbformat
import pandas as pd
import psutil
import pytest

from helpers.course import drop, unprivileged
from helpers.course.authoring import build
from helpers.course.grading.journal import LOCK
from helpers.course.sandbox import bubblewrap, cgroup
from helpers.course.settings import Course, CourseError
from tests.common import ISOLATED

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights")
UNIT = "01-tiny"
COURSE = str(Path(sys.executable).with_name("course"))
READS = 1 << drop.CAP_DAC_READ_SEARCH if drop.may_read() else 0


@pytest.fixture
def handed_in(tiny: Course, tmp_path: Path) -> Path:
    """Two notebooks that root alone may read, or all where root may not."""
    built = build.make(tiny, UNIT, tmp_path / "made")
    for student in ("ada", "bob"):
        path = tmp_path / "in" / student / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(built.solution, path)
        path.chmod(0o600 if READS else 0o644)
    return tmp_path / "in"


def _course(course: Course, *words: object, without: str = "") -> subprocess.Popen[str]:
    """The command, as root starts it, or a root who lacks rights."""
    before = ["setpriv", f"--bounding-set=-{without}"] if without else []
    command = [*before, COURSE, *map(str, words)]
    return subprocess.Popen(command, cwd=course.root, stdout=-1, stderr=-1, text=True)


def _graded(course: Course, submissions: Path, out: Path) -> subprocess.Popen[str]:
    bare = [] if ISOLATED else ["--no-sandbox"]
    return _course(course, "grade", submissions, "--out", out, "--workers", 1, *bare)


def _rights(process: psutil.Process) -> tuple[set[int], int]:
    """Who a process is, and what of root's rights it has or may take."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    kinds = ("CapEff", "CapPrm", "CapInh", "CapAmb")
    held = [int(status[kind], 16) for kind in kinds]
    return {*map(int, status["Uid"].split())}, held[0] | held[1] | held[2] | held[3]


@pytest.mark.rotating
def test_no_process_of_it_is_root(tiny: Course, handed_in: Path, tmp_path: Path) -> None:
    running = _graded(tiny, handed_in, tmp_path / "out")
    seen: dict[str, tuple[set[int], int]] = {}
    while running.poll() is None:
        with suppress(psutil.Error, OSError, KeyError):
            for each in psutil.Process(running.pid).children(recursive=True):
                seen[" ".join(each.cmdline())] = _rights(each)
            seen["main"] = _rights(psutil.Process(running.pid))  # the last look counts
        time.sleep(0.02)
    assert running.returncode == 0, running.communicate()
    assert seen.pop("main") == ({drop.NOBODY}, READS)
    assert {user for users, _ in seen.values() for user in users} == {drop.NOBODY}
    rights = {told: rights for told, (_, rights) in seen.items()}
    assert {right for told, right in rights.items() if "reader" in told} == {READS}
    ours = {right for told, right in rights.items() if "warm" in told and "drop.py" not in told}
    assert ours == {0}


@pytest.mark.rotating
def test_nobody_owns_the_folder_and_what_root_has_written_there(
    tiny: Course, handed_in: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    told = _graded(tiny, handed_in, out).communicate()[1]
    assert f"nobody goes on, who owns {out} from now on" in told
    assert pd.read_csv(out / "grades.csv").score.tolist() == [2, 2]
    assert {each.lstat().st_uid for each in (out, *out.rglob("*"))} == {drop.NOBODY}
    for path in (out / "report.html", out / "grades.csv", out / "journal.jsonl"):
        os.chown(path, 0, 0)
    for begin in (lambda: _course(tiny, "report", out), lambda: _graded(tiny, handed_in, out)):
        running = begin()  # one after the other
        told = running.communicate()[1]
        assert running.returncode == 0 and "nobody goes on" not in told  # that was said before
    assert {each.lstat().st_uid for each in (out, *out.rglob("*"))} == {drop.NOBODY}


@pytest.mark.rotating
@pytest.mark.skipif(not ISOLATED, reason="needs bubblewrap")
def test_a_container_that_passes_no_rights_on_grades_too(
    tiny: Course, handed_in: Path, tmp_path: Path
) -> None:
    for path in handed_in.rglob("*.ipynb"):
        path.chmod(0o644)
    tmp_path.chmod(0o700)
    for words in (("grade", "in", "--out", "out"), ("report", "out")):  # of the folder it is in
        running = _course(tiny, *words, without="dac_read_search")
        assert running.communicate()[0] and running.returncode == 0
    assert pd.read_csv(tmp_path / "out" / "grades.csv").score.tolist() == [2, 2]


def test_links_in_the_folder_give_nothing_else_away(
    tiny: Course, handed_in: Path, tmp_path: Path
) -> None:
    out, roots = tmp_path / "out", tmp_path / "roots"
    (out / "feedback").mkdir(parents=True)
    (out / LOCK).touch()
    roots.mkdir()
    for name in ("soft", "hard", "below"):
        (roots / name).write_text("root's")
    (out / "feedback" / "a").symlink_to(roots / "soft")
    (out / "feedback" / "b").hardlink_to(roots / "hard")
    (out / "feedback" / "c").symlink_to(roots)
    _graded(tiny, handed_in, out).communicate()
    assert {each.stat().st_uid for each in (roots, *roots.iterdir())} == {0}
    assert out.stat().st_uid == drop.NOBODY


@pytest.mark.parametrize("place", ["other", "in/out", "."])
def test_a_folder_that_is_not_a_class_s_stays_root_s(
    tiny: Course, handed_in: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()
    out = tiny.root if place == "." else tmp_path / place
    running = _graded(tiny, handed_in, out)
    shown, told = running.communicate()
    assert running.returncode == 1 and shown == ""
    assert "name a" in told.splitlines()[-1]
    assert {each.lstat().st_uid for each in tmp_path.rglob("*")} == {0}
    assert not (handed_in / "out").exists()  # it would be a learner's


def test_a_report_without_a_class_makes_no_folder(tiny: Course, tmp_path: Path) -> None:
    running = _course(tiny, "report", tmp_path / "none")
    assert "holds no grades.csv" in running.communicate()[1]
    assert not (tmp_path / "none").exists()


def test_a_root_that_can_show_nothing_says_what_to_do(
    tiny: Course, handed_in: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    words = ("grade", handed_in, "--out", tmp_path / "out")
    told = _course(tiny, *words, without="dac_read_search,-sys_admin").communicate()[1]
    assert "grade as an ordinary user instead" in told and "Traceback" not in told
    assert not (tmp_path / "out" / "gradebook.db").exists()


@pytest.mark.skipif(not ISOLATED, reason="needs bubblewrap")
def test_where_no_sandbox_can_be_made_it_says_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has come from root is told that root is the reason."""
    monkeypatch.setattr(bubblewrap, "_trial", lambda: "no")
    for user, told in ((0, True), (drop.NOBODY, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert (bubblewrap.AS_ROOT.strip() in bubblewrap.available()) is told


def test_a_server_may_read_no_more_than_nobody(tiny: Course, tmp_path: Path) -> None:
    """The formgrader, which begins as root: no class, and it ends; its rights are its page's."""
    (tmp_path / LOCK).touch()
    code = "from helpers.course import cli; cli.main()"
    look = "import helpers.course.formgrade as f; f.formgrade = lambda *_: print(open("
    look += "'/proc/self/status').read()); "
    words = [sys.executable, "-c", look + code, "formgrade", str(tmp_path)]
    told = subprocess.run(words, cwd=tiny.root, capture_output=True, text=True).stdout
    assert f"Uid:\t{drop.NOBODY}\t" in told
    assert {line.split()[1] for line in told.splitlines() if line.startswith("Cap")} >= {"0" * 16}
    assert f"CapEff:\t{0:016x}\nCapBnd" in told


def test_a_folder_is_asked_for_before_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "theirs").touch()
    with pytest.raises(CourseError, match="has not written"):
        unprivileged.restart(tmp_path, [], reads=True)


def test_what_nobody_needs_goes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (made := tmp_path / "a.scope").mkdir()
    (made / "cgroup.controllers").write_text("memory pids\n")
    (made / "cgroup.procs").write_text(f"{os.getpid()}\n")
    (tmp_path / "own").write_text("0::/a.scope\n")
    monkeypatch.setattr(cgroup, "ROOT", tmp_path)
    monkeypatch.setattr(cgroup, "OWN", tmp_path / "own")
    (out := tmp_path / "out").mkdir()
    begun: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: begun.append(words))
    with monkeypatch.context() as patch:
        for name in ("HOME", "USER", "LOGNAME", "XDG_CACHE_HOME"):
            patch.setenv(name, os.environ.get(name, str(tmp_path)))
        unprivileged.restart(out, [], reads=True)
        assert Path.home() == out / unprivileged.HOME and "XDG_CACHE_HOME" not in os.environ
    assert begun[0][-len(sys.orig_argv) + 1 :] == sys.orig_argv[1:]
    owners = {each.name: each.stat().st_uid for each in (out, made, *made.iterdir())}
    given = dict.fromkeys(("out", "a.scope", "cgroup.procs"), drop.NOBODY)
    assert owners == given | {"cgroup.controllers": 0}  # a real one has subtree_control besides
