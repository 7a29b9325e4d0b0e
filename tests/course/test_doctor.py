"""`course doctor` says what is missing, and only that fails."""

import io
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.course import doctor, foreground, install
from helpers.course.cli import main
from helpers.course.doctor import Finding
from helpers.course.sandbox import bubblewrap
from helpers.course.settings import Course
from tests.common import ROOT


def _said(course: Course, look: str) -> list[Finding]:
    return list(getattr(doctor, f"_{look}")(course))


def _course_with(tmp_path: Path, before: str, after: str) -> Course:
    """A course whose pyproject.toml and lock files say `after` where ours say `before`."""
    for name in ("pyproject.toml", *install.LOCKS):
        text = (ROOT / name).read_text()
        (tmp_path / name).write_text(text.replace(before, after))
    return Course(tmp_path)


def test_this_machine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(bubblewrap, "available", lambda: "")
    status = main(["doctor"])
    printed = capsys.readouterr().out
    assert status == ("missing" in [line[:7].strip() for line in printed.splitlines()])
    shown = ("Python 3", "packages", "PyTorch", "nbgrader", "makes a sandbox", "kernel python3")
    for words in (*shown, "disk", "memory", "port 8889"):
        assert words in printed


def test_an_old_python(tmp_path: Path) -> None:
    course = _course_with(tmp_path, 'requires-python = ">=3.11"', 'requires-python = ">=9.9"')
    found = _said(course, "python")
    assert [each.state for each in found] == ["missing"]
    assert "install a newer Python" in found[0].text


def test_a_package_that_is_not_there_or_too_old(tmp_path: Path) -> None:
    found = _said(_course_with(tmp_path, '"jupytext>=1.19"', '"jupytext>=99"'), "packages")
    assert found[0].state == "missing"
    assert "jupytext>=99 (found 1." in found[0].text
    assert "helpers.course setup test`" in found[0].text
    found = _said(_course_with(tmp_path, '"jupytext>=1.19"', '"no-such-package"'), "packages")
    assert "no-such-package (found none)" in found[0].text


def test_a_package_not_as_tested_is_only_noted(tmp_path: Path) -> None:
    found = _said(_course_with(tmp_path, "\npsutil==", "\npsutil==99."), "packages")
    assert [each.state for each in found] == ["note", "ok"]
    assert "psutil" in found[0].text


def test_an_environment_older_than_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = _course_with(tmp_path, "", "")
    assert _said(course, "environment")[0].state == "ok"  # another one, such as conda's
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    found = _said(course, "environment")[0]
    assert found.state == "note" and "helpers.course setup" in found.text


def test_no_sandbox(course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bubblewrap, "available", lambda: bubblewrap.MISSING)
    monkeypatch.setattr(doctor, "SETTINGS", tmp_path)
    assert _said(course, "sandbox") == [Finding("missing", bubblewrap.MISSING)]


@pytest.mark.parametrize("name", doctor.FORBIDDING)
def test_the_setting_that_forbids_a_sandbox_is_named(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setattr(bubblewrap, "available", lambda: "bubblewrap cannot")
    monkeypatch.setattr(doctor, "SETTINGS", tmp_path)
    forbids, cure = doctor.FORBIDDING[name]
    place = tmp_path / name
    place.parent.mkdir()
    place.write_text(f"{forbids}\n")
    assert f"sudo sysctl -w {cure}" in _said(course, "sandbox")[0].text
    place.write_text(f"{1 - int(forbids)}\n")
    assert "sysctl" not in _said(course, "sandbox")[0].text


@pytest.mark.parametrize(
    ("system", "name", "words"),
    [("darwin", "posix", "container with Linux"), ("win32", "nt", "WSL 2")],
)
def test_where_no_sandbox_can_be_it_is_said_what_stands_for_it(
    course: Course, monkeypatch: pytest.MonkeyPatch, system: str, name: str, words: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("os.name", name)
    [found] = _said(course, "sandbox")
    assert found.state == "note" and words in found.text


def test_another_package_called_helpers(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    [found] = _said(course, "kernel")
    assert found.state == "missing"
    assert str(tmp_path) in found.text and "pip uninstall helpers" in found.text


def test_a_file_that_hides_the_helpers(tiny: Course) -> None:
    unit = tiny.work / "01-tiny"
    unit.mkdir(parents=True)
    assert _said(tiny, "namesakes") == []
    (unit / "helpers.py").touch()
    [found] = _said(tiny, "namesakes")
    assert found.state == "missing" and "rename it" in found.text


def test_root_is_told(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreground, "is_root", lambda: True)
    assert "ordinary user" in _said(course, "root")[0].text
    monkeypatch.setattr(foreground, "is_root", lambda: False)
    assert _said(course, "root") == []


def test_a_kernel_that_does_not_find_the_helpers(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise RuntimeError('broken')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = _said(course, "kernel")
    assert found[0].state == "missing"
    assert "RuntimeError: broken" in found[0].text


def test_a_full_disk_is_missing_and_little_memory_is_noted(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "DISK", 10**9)
    monkeypatch.setattr(doctor, "MEMORY", 10**9)
    assert [each.state for each in _said(course, "disk")] == ["missing"]
    assert [each.state for each in _said(course, "memory")] == ["note"]


def test_a_port_that_is_taken(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr(doctor, "PORTS", {other.getsockname()[1]: "make lab PORT=1"})
        assert "make lab PORT=1" in _said(course, "ports")[0].text
    assert _said(course, "ports")[0].state == "ok"


def test_what_cannot_be_looked_at_is_missing_and_stops_nothing(
    course: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def _psutil(_course: Course) -> Iterator[Finding]:
        raise ImportError("No module named 'psutil'")

    monkeypatch.setattr(doctor, "LOOKS", (_psutil, doctor._ports))
    assert doctor.report(course) == 1
    printed = capsys.readouterr().out
    assert "psutil: ImportError: No module named 'psutil'" in printed
    assert "port 8888" in printed
    assert "1 to fix" in printed


def test_each_line_comes_when_it_is_known_and_a_long_look_is_not_silent(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()

    def _first(_course: Course) -> Iterator[Finding]:
        yield Finding("ok", "the first thing")

    def _slow(_course: Course) -> Iterator[Finding]:
        written = out.buffer.getvalue()
        yield Finding("ok", f"before it came {written!r}")
        begun = time.monotonic()
        while "slow: 2 s" not in err.getvalue() and time.monotonic() < begun + 60:
            time.sleep(0.01)

    monkeypatch.setattr(doctor, "SECOND", 0.05)
    monkeypatch.setattr(doctor, "LOOKS", (_first, _slow))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    doctor.report(course)
    out.seek(0)
    assert "before it came b'ok       the first thing" in out.read()
    told = err.getvalue().split("\r")
    assert {"looking at slow: 0 s", "looking at slow: 1 s", "looking at slow: 2 s"} <= {*told}
    assert told[-1] == "" and told[-2].isspace() and len(told[-2]) > len("looking at slow: 2 s")
