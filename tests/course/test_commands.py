"""The command `course`: without make, on other systems, for a learner alone, and what it prints."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from helpers.course import cli, practice
from helpers.course.cli import MISSING, POSIX, main
from helpers.course.grading import journal
from helpers.course.intake import platforms
from helpers.course.settings import WINDOWS
from tests.common import ROOT, UNITS
from tests.course.judged import UNIT, Desk

TARGETS = {
    "lab": "lab --port 8888",
    "work": "work",
    "grade": "grade here --out graded",
    "demo": "demo",
    "build": "build",
    "check": "build --check",
}


def test_the_page_names_them() -> None:
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "starting.md").read_text(encoding="utf-8"))
    [same] = re.findall(r"does what `make` does for (.*?);", page)
    others = {"check": "build --check"}
    assert {*re.findall(r"`(\w+)`", same)} == TARGETS.keys() - others.keys()
    assert all(f"`{words}` is `make {target}`" in page for target, words in others.items())


@pytest.mark.parametrize("target", TARGETS)
def test_make_and_the_command_run_the_same(target: str) -> None:
    words = ["make", "-n", "--no-print-directory", target, "SUBMISSIONS=here"]
    for extras in ("lab", "lab,grading", "lab,grading,site,test"):
        words += ["-o", f".venv/installed-{extras}"]  # make runs us, maybe
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    made = done.stdout.splitlines()[-1].replace('"', "").split()
    assert made == [".venv/bin/course", *TARGETS[target].split()]


PROGRAM = """
import sys, psutil
sys.modules |= dict.fromkeys({missing})
from pathlib import Path
from helpers.course import servers, settings, work
from helpers.course.cli import main
course = settings.Course(Path.cwd())
print(*work.begin(course), *work.outdated(course))
assert "jupyterlab" in servers.lab_command(course, 8888)
assert main(["work"]) == 0
assert main(["grade", "notebooks"]) == 1
assert not psutil.Process().children()  # no sandbox has begun
"""


@pytest.mark.parametrize(
    ("missing", "told"), [(POSIX, WINDOWS), (("nbgrader",), MISSING.format(name="nbgrader"))]
)
def test_a_learner_has_copies_and_jupyterlab_and_a_grader_is_told_what_is_missing(
    tmp_path: Path, missing: tuple[str, ...], told: str
) -> None:
    for name in ("docs", "source", "notebooks", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    words = [sys.executable, "-c", PROGRAM.format(missing=missing)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, told + "\n")
    assert done.stdout.split("\n")[:2] == [" ".join(UNITS), "All copies are of this release."]


def test_only_a_page_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(practice, "FIRST", UNIT)
    monkeypatch.chdir(desk.course.root)
    assert main(["try"]) == 1
    assert "there is no notebook" in capsys.readouterr().err
    place = desk.course.work / UNIT
    place.mkdir(parents=True)
    (place / f"{UNIT}.ipynb").write_text(desk.work(triple="return x"))
    assert main(["try"]) == 0
    said = capsys.readouterr().out
    page = place / f"{UNIT}-feedback.html"
    assert f"feedback: {page}\nNobody else has seen this, and no mark is kept." in said
    assert "<strong>2</strong> of 4" in page.read_text() and "That is not it." in said
    assert sorted(each.name for each in place.iterdir()) == [page.name, f"{UNIT}.ipynb"]

    (mine := desk.root / "mine.ipynb").write_text("{")
    assert main(["try", str(mine)]) == 1
    assert "could not be graded" in Path(desk.root / "mine-feedback.html").read_text()


def test_the_table_and_the_hints_are_spelt_out() -> None:
    for escape in ("\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r", "\u202e", "\n", "\x00"):
        row: dict[str, object] = dict.fromkeys(journal.EMPTY, name := f"ada{escape}bob")
        row |= {"unit": "01-tiny", "score": 1.0, "pending": 0.0, "max_score": 2.0, "penalty": 0.5}
        row["hints"] = [name]
        told = journal.as_text(pd.DataFrame([row], columns=journal.EMPTY))
        assert all(each.isprintable() for each in told.split("\n"))
        assert told.count("ada\\") == 5  # a table of two lines, and hints


def test_the_commands_know_every_platform() -> None:
    assert sorted(cli.PLATFORMS) == sorted(platforms.PLATFORMS)


def test_a_long_reason_leaves_the_table_readable() -> None:
    row = journal.EMPTY | {"student": "ada", "status": "not graded: " + "long " * 60}
    told = journal.as_text(pd.DataFrame([row], columns=journal.EMPTY))
    assert max(map(len, told.split("\n"))) < 140 and "not graded: long long" in told
