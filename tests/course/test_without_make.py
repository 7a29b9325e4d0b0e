"""What make does, `python -m helpers.course` does as well, as far as docs/starting.md says so."""

import re
import subprocess
import sys

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


def test_the_page_names_them() -> None:
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "starting.md").read_text(encoding="utf-8"))
    [same] = re.findall(r"does what `make` does for (.*?);", page)
    others = {"quick": "test --quick", "check": "build --check"}
    assert {*re.findall(r"`(\w+)`", same)} == TARGETS.keys() - others.keys()
    assert all(f"`{words}` is `make {target}`" in page for target, words in others.items())


@pytest.mark.parametrize("target", TARGETS)
def test_make_and_the_command_run_the_same(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["make", "-n", "--no-print-directory", target, "SUBMISSIONS=here"]
    for level in ("lab", "grading", "test"):
        words += ["-o", f".venv/installed-{level}"]  # make runs us, maybe
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    made = done.stdout.splitlines()[-1].replace('"', "").split()
    if target not in ("test", "quick"):
        assert made == [".venv/bin/course", *TARGETS[target].split()]
        return
    monkeypatch.chdir(ROOT)
    expected = ([sys.executable, *made[1:]], ROOT)
    monkeypatch.setattr(foreground, "run", lambda *said: 3 * (said == expected))
    assert main(TARGETS[target].split()) == 3
