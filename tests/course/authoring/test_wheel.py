"""The wheel of the helpers works elsewhere, and is the same bytes whenever it is made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.common import ROOT, wheel

IMPORTED = """\
import helpers
from helpers import explorable, results
from helpers.checks import sinusoidal
assert results.load("lag3").note.startswith("Recorded ")
assert sinusoidal.table(lambda *_: None).points == 3
assert "notebook.begin(" in explorable.script(explorable.PLACES[1], "unseen-angles")
print(helpers.__file__)
"""


@pytest.mark.rotating
def test_what_is_inside_works_in_an_environment_of_its_own(tmp_path: Path) -> None:
    packed = wheel(ROOT, tmp_path / "out")
    target = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(target), str(packed)], check=True)
    here = os.environ | {"PYTHONPATH": str(target)}
    words = [sys.executable, "-c", IMPORTED]
    where = subprocess.run(words, env=here, cwd=tmp_path, stdout=-1, text=True, check=True).stdout
    assert Path(where.strip()).is_relative_to(target)


def test_a_wheel_is_the_same_bytes_whenever_it_is_made(tmp_path: Path) -> None:
    """Else the checksum in the notebooks would not be that of the release."""
    first = wheel(ROOT, tmp_path / "first").read_bytes()
    os.utime(ROOT / "helpers" / "__init__.py")
    assert wheel(ROOT, tmp_path / "second").read_bytes() == first
