"""`course doctor` says what is missing, and only that fails."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.course import doctor
from helpers.course.cli import main
from helpers.course.sandbox import bubblewrap
from helpers.course.settings import Course
from tests.common import ROOT


def _said(course: Course, check: str) -> list[tuple[str, str]]:
    [found] = [each for each in doctor.CHECKS if each.__name__ == f"_{check}"]
    return list(found(course))


def test_this_machine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(bubblewrap, "available", lambda: "")
    status = main(["doctor"])
    printed = capsys.readouterr().out
    assert status == ("missing" in [line[:7].strip() for line in printed.splitlines()])
    for words in ("Python 3", "packages", "makes a sandbox", "kernel python3"):
        assert words in printed


@pytest.mark.parametrize(
    ("before", "after", "state", "words"),
    [
        ('"jupytext>=1.19"', '"no-such-package>=2"', "missing", "packages: no-such-package; run"),
        ("", "", "ok", "packages that are asked for"),
    ],
)
def test_packages(tmp_path: Path, before: str, after: str, state: str, words: str) -> None:
    text = (ROOT / "pyproject.toml").read_text().replace(before, after)
    (tmp_path / "pyproject.toml").write_text(text)
    assert words in dict(_said(Course(tmp_path), "packages"))[state]


def test_what_is_missing_goes_into_this_environment_and_never_into_a_systems_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    for base, cure in (("/usr", f"folder: {sys.executable} -m pip"), (sys.prefix, "`make lab`")):
        monkeypatch.setattr(sys, "base_prefix", base)
        assert cure in doctor._mend()


def test_a_python_that_is_too_old_is_named() -> None:
    code = "import runpy, sys; sys.version_info = (3, 10); runpy.run_module('helpers.course')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.startswith("Python 3.11 or newer is needed; ") and done.returncode == 1


def test_no_sandbox(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, name, value, words in (
        (sys, "platform", "darwin", "container with Linux"),
        (os, "name", "nt", "WSL 2"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, value)
            [(state, text)] = _said(course, "sandbox")
        assert state == "note" and words in text
    monkeypatch.setattr(bubblewrap, "available", lambda: "bubblewrap cannot")
    assert _said(course, "sandbox") == [("missing", "bubblewrap cannot")]
    monkeypatch.setattr(doctor, "_grades", lambda: False)
    assert _said(course, "sandbox")[0][0] == "note"


def test_a_kernel_that_finds_something_else(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    [(state, told)] = _said(course, "kernel")
    assert state == "missing" and "another package called helpers, " in told


def test_what_cannot_be_looked_at_is_missing_and_stops_nothing(
    tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def _psutil(_course: Course) -> Iterator[tuple[str, str]]:
        raise ImportError("No module named 'psutil'")

    monkeypatch.chdir(tiny.root)
    monkeypatch.setattr(doctor, "CHECKS", (_psutil, doctor.CHECKS[-1]))
    assert main(["doctor"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert "psutil: ImportError: No module named 'psutil'" in printed[0] and len(printed) > 2
