"""What make does, `python -m helpers.course` does as well, as far as docs/starting.md says so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.course import foreground
from helpers.course.cli import main
from tests.common import ROOT

TARGETS = {
    "lab": "lab --port 8888",
    "work": "work",
    "grade": "grade here --out graded",
    "demo": "demo",
    "build": "build",
    "check": "build --check",
    "test": "test",
    "quick": "test --quick",
}


def _made(target: str) -> list[str]:
    """The words that make would run."""
    words = ["make", "-n", "--no-print-directory", "-o", ".venv/installed-lab"]
    words += ["-o", ".venv/installed-grading", "-o", ".venv/installed-test"]  # make runs us, maybe
    words += [target, "SUBMISSIONS=here"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].replace('"', "").split()


def test_the_page_names_them() -> None:
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "starting.md").read_text(encoding="utf-8"))
    [same] = re.findall(r"does what `make` does for (.*?);", page)
    others = {"quick": "test --quick", "check": "build --check"}
    assert {*re.findall(r"`(\w+)`", same)} == TARGETS.keys() - others.keys()
    assert all(f"`{words}` is `make {target}`" in page for target, words in others.items())


@pytest.mark.parametrize("target", sorted(TARGETS.keys() - {"test", "quick"}))
def test_make_runs_this_command(target: str) -> None:
    assert _made(target) == [".venv/bin/course", *TARGETS[target].split()]


@pytest.mark.parametrize("target", ["test", "quick"])
def test_the_command_runs_what_make_runs(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(words: list[str], folder: Path) -> int:
        assert folder == ROOT
        ran.append(words)
        return 3

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(foreground, "run", run)
    assert main(TARGETS[target].split()) == 3
    assert ran == [[sys.executable, *_made(target)[1:]]]
