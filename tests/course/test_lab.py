"""Where a learner works: what `course lab` says, what git leaves alone, and what VS Code finds."""

import subprocess
from argparse import Namespace
from pathlib import Path

import pytest

from helpers.course import servers
from helpers.course.settings import Course
from tests.common import ROOT, UNITS


@pytest.mark.parametrize("root", [True, False])
def test_the_first_unit_is_open_and_root_may_start_it(
    tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], root: bool
) -> None:
    ran: list[list[str]] = []

    def run(words: list[str], folder: Path) -> int:
        assert folder == tiny.work
        ran.append(words)
        return 0

    (tiny.notebooks / "01-tiny").mkdir(parents=True)
    (tiny.notebooks / "01-tiny" / "01-tiny.ipynb").touch()
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")  # which lab sets, and pytest puts back
    monkeypatch.setattr(servers, "is_root", lambda: root)
    monkeypatch.setattr(servers, "run", run)
    assert servers.lab(tiny, Namespace(port=8888, no_browser=True)) == 0
    [layout] = (tiny.work / servers.LAYOUT).iterdir()
    assert f'"{UNITS[0]}/{UNITS[0]}.ipynb"' in layout.read_text()
    assert capsys.readouterr().out.endswith("Ctrl-C ends it.\n")
    assert ("--allow-root" in ran[0]) == root
    assert not any("token" in word for word in ran[0])  # Jupyter makes a secret one


def test_git_leaves_alone_what_a_learner_wrote() -> None:
    """The copies, the layout of JupyterLab, and what was there before a newer release."""
    unit = f"{UNITS[0]}/{UNITS[0]}.ipynb"
    paths = [f"work/{unit}", f"work/{servers.LAYOUT}/default", f"work/backup/{unit}", ".venv/x"]
    words = ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", *paths]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == paths
    words[-len(paths) :] = [f"notebooks/{unit}", "source", "docs"]
    assert subprocess.run(words, cwd=ROOT, capture_output=True).stdout == b""
