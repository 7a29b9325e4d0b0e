"""What make does, `python -m helpers.course` does as well, as far as docs/starting.md says so."""

import re
import subprocess

import pytest

from tests.common import ROOT

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
