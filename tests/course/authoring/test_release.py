"""The zip for learners without git: nothing hidden in it, and its helpers work elsewhere."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from helpers.course.authoring import release
from helpers.course.cli import main
from helpers.course.settings import Course, CourseError
from tests.common import ROOT

UNIT = "00-start-here"
IMPORTED = """\
import helpers
from helpers import explorable, recorded
from helpers.checks import sinusoidal
print(helpers.__file__)
print(recorded.load("lag3").note)
print(sinusoidal.table(lambda *_: None).points)
print('notebook.begin(' in explorable.script(explorable.PLACES[1], 'unseen-angles'))
"""


@pytest.mark.rotating
def test_what_is_inside_works_in_an_environment_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["release", UNIT, "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    (packed,) = (tmp_path / "out").glob("*.whl")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {f"{UNIT}.zip", packed.name}
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    assert f'[tool.course] in pyproject.toml: wheel = "{packed.name}#sha256={digest}"' in told
    with zipfile.ZipFile(tmp_path / "out" / f"{UNIT}.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / UNIT
    (wheel,) = folder.glob("*.whl")
    assert wheel.read_bytes() == packed.read_bytes()
    assert {path.name for path in folder.iterdir()} == {
        f"{UNIT}.ipynb", "README.txt", wheel.name,
    }  # fmt: skip

    text = (folder / f"{UNIT}.ipynb").read_text()
    released = nbformat.reads(text, as_version=4)
    assert released == nbformat.read(ROOT / "notebooks" / UNIT / f"{UNIT}.ipynb", as_version=4)
    assert "NotImplementedError" in text and "HIDDEN" not in text

    assert f"](../{UNIT}/{UNIT}.ipynb)" in (tmp_path / "docs" / "glossary.md").read_text()
    readme = (folder / "README.txt").read_text()
    assert f"./{UNIT}/{wheel.name}[lab]" in readme and f" {UNIT}/{UNIT}.ipynb" in readme
    assert "{" not in readme

    target = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(target), str(wheel)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED],
        env=os.environ | {"PYTHONPATH": str(target)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    where, note, points, figure = done.stdout.splitlines()
    assert Path(where).is_relative_to(target)
    assert note.startswith("Recorded ")
    assert points == "3"
    assert figure == "True"


def test_a_wheel_is_the_same_bytes_whenever_it_is_made(course: Course, tmp_path: Path) -> None:
    """Else the checksum in the notebooks would not be that of the release."""
    first = release.wheel(course, tmp_path / "first").read_bytes()
    os.utime(ROOT / "helpers" / "__init__.py")
    assert release.wheel(course, tmp_path / "second").read_bytes() == first


def test_helpers_that_cannot_be_packed(tiny: Course, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="the helpers cannot be packed: "):
        release.release(tiny, tiny.units(), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
