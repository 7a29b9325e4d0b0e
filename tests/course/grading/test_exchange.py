"""nbgrader's exchange, both ways: three users type the commands of docs/grading.md."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from helpers.course.authoring import build
from helpers.course.authoring.nbgrade import COURSE
from tests.common import ROOT, tiny_course
from tests.course.judged import Desk, marks

UNIT = "01-tiny"
USERS = {"prof": 20001, "ada": 20002, "bob": 20003}
SECTION = (
    (ROOT / "docs" / "grading.md").read_text(encoding="utf-8").split("\n## With nbgrader's ")[1]
)
BLOCKS = re.findall(r"```console\n(.*?)```", SECTION.replace("02-sinusoidal", UNIT), re.DOTALL)
as_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("bwrap"),
    reason="only root, with bubblewrap, can be three users",
)


class Machine:
    """A folder with the course of `prof`, homes, an exchange, and a list of users."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.course = tiny_course(root / "prof")
        for name, number in USERS.items():
            home = root / name
            home.mkdir(exist_ok=True)
            for each in (home, *home.rglob("*")):
                os.chown(each, number, number)
        (root / "exchange").mkdir()
        (root / "exchange").chmod(0o777)
        (root / "config").mkdir()
        setting = f"c = get_config()\nc.Exchange.root = {str(root / 'exchange')!r}\n"
        (root / "config" / "nbgrader_config.py").write_text(setting)
        users = [f"{name}:x:{n}:{n}::{root / name}:/bin/sh\n" for name, n in USERS.items()]
        (root / "passwd").write_text(Path("/etc/passwd").read_text() + "".join(users))

    def type(self, user: str, lines: str) -> str:
        """Run lines in a shell of the user's, in their home; return what they print."""
        number = USERS[user]
        words = [*bubblewrap(), "--ro-bind", str(self.root / "passwd"), "/etc/passwd"]
        words += ["setpriv", "--clear-groups", f"--reuid={number}", f"--regid={number}"]
        words += ["sh", "-ec", lines]
        environment = {
            "HOME": str(self.root / user),
            "JUPYTER_CONFIG_PATH": str(self.root / "config"),
            "ORDER_MATTERS_PROFILE": "dry",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            words, cwd=self.root / user, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, lines + done.stdout + done.stderr
        return done.stdout + done.stderr


def bubblewrap() -> Iterator[str]:
    """Show root's machine, with this Python for all, which may be root's own.

    The list of users is one's own, so that no account is made.
    """
    yield from ("bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--cap-add", "ALL")
    yield from ("--tmpfs", "/root")
    for folder in {Path(each).resolve() for each in (sys.base_prefix, sys.prefix, ROOT)}:
        for parent in reversed(folder.parents):
            if parent.is_relative_to("/root"):
                yield from ("--perms", "0755", "--dir", str(parent))
        yield from ("--ro-bind", str(folder), str(folder))


@pytest.fixture
def machine() -> Iterator[Machine]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Machine(Path(name))


def typed(block: str) -> tuple[str, str]:
    """Return who types a block, and what."""
    [who] = {line.partition("$ ")[0] for line in block.splitlines()}
    return who, block.replace(f"{who}$ ", "")


@pytest.mark.rotating
@as_root
def test_three_users_do_as_the_page_says(machine: Machine) -> None:
    release, submit, grade, fetch, stock = map(typed, BLOCKS)
    solution = nbformat.writes(build.make(machine.course, UNIT, machine.root / "made").solution)
    machine.type(*release)
    fetching, submitting = submit[1].splitlines()
    for learner, work in {"ada": solution, "bob": ""}.items():  # who hands in what he fetched
        machine.type(learner, fetching)
        path = machine.root / learner / UNIT / f"{UNIT}.ipynb"
        path.write_text(work or path.read_text())
        machine.type(learner, submitting)
    said = machine.type(*grade)
    assert "cheating" not in said and "WARNING" not in said
    table = _table(machine.root / "prof" / "graded")
    assert table.score.to_dict() == {"ada": 2, "bob": 0} and set(table.repairs) == {""}
    ours = _returned(machine, fetch[1])
    assert "2 of 2" in ours["ada"] and "0 of 2" in ours["bob"]

    inbound = machine.root / "exchange" / COURSE / "inbound"
    machine.type("prof", f"course grade {inbound} --out again")
    columns = ["score", "status", "repairs", "late"]
    assert _table(machine.root / "prof" / "again")[columns].equals(table[columns])

    machine.type(*stock)
    assert marks(machine.root / "prof") == table.score.to_dict()
    assert _returned(machine, fetch[1]).keys() == ours.keys()


def _table(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "grades.csv", keep_default_na=False).set_index("student")


def _returned(machine: Machine, lines: str) -> dict[str, str]:
    """Return the page that each learner fetches."""
    pages = {}
    for learner in ("ada", "bob"):
        machine.type(learner, lines)
        [page] = (machine.root / learner / UNIT).glob(f"feedback/*/{UNIT}.html")
        pages[learner] = page.read_text()
        page.unlink()
    return pages


def test_what_release_feedback_reads_is_of_the_last_submission(desk: Desk) -> None:
    for day in ("29", "30"):  # the same notebook, which is not executed again
        desk.hand_in(f"2026-11-{day} 09:00:00 UTC", ada=desk.work())
        (desk.root / "in" / "ada" / UNIT / "submission_secret.txt").write_text(day)
        desk.grade()
        for kind in ("autograded", "feedback"):
            folder = desk.out / kind / "ada" / UNIT
            assert (folder / "submission_secret.txt").read_text() == day
            assert day in (folder / "timestamp.txt").read_text()
    assert len(desk.executed) == 1
