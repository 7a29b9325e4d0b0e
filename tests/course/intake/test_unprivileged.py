"""Where root grades, what is handed in is read by nobody, who may read it and change nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.course import drop, intake
from helpers.course.settings import Course
from tests.common import ROOT

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights")
READ, MOUNT = "dac_read_search", "sys_admin"
LOOK = """
import sys
from pathlib import Path
from helpers.course import intake, settings
root, submissions, unpacked = map(Path, sys.argv[1:])
for each in intake.find(settings.find(root), submissions, unpacked):
    print(each.student, each.unit, each.problem, each.path.is_file())
"""


@pytest.fixture
def handed_in(two_units: Course, tmp_path: Path) -> Path:
    """A notebook that root alone may read, in folders that root alone may enter."""
    path = tmp_path / "in" / "ada" / "01-tiny" / "01-tiny.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text('{"nbformat": 4, "cells": []}')
    path.chmod(0o600)
    tmp_path.chmod(0o700)
    return tmp_path


def _look(course: Course, place: Path, *without: str) -> subprocess.CompletedProcess[str]:
    """What is found where root lacks some rights, as in a container."""
    bound = "--bounding-set=" + ",".join(f"-{each}" for each in without)
    words = ["setpriv", bound, sys.executable, "-c", LOOK, str(course.root)]
    words += [str(place / "in"), str(place / "out" / "unpacked")]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(
    os.geteuid() == 0 and not drop.may_read(), reason="this root may not read everything either"
)
def test_the_process_is_nobody_with_the_right_to_read(two_units: Course, handed_in: Path) -> None:
    [ada] = intake.find(two_units, handed_in / "in", handed_in / "unpacked")
    assert (ada.problem, ada.path.stat().st_uid) == ("", drop.NOBODY)
    assert intake.READER.process
    told = Path(f"/proc/{intake.READER.process.pid}/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in told)
    assert set(status["Uid"].split()) == set(status["Gid"].split()) == {str(drop.NOBODY)}
    assert status["Groups"].strip() == ""
    for rights in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        assert int(status[rights], 16) == 1 << drop.CAP_DAC_READ_SEARCH


def test_a_container_that_passes_no_rights_on(two_units: Course, handed_in: Path) -> None:
    """Folders can be shown still; a file that root alone may read costs its row."""
    done = _look(two_units, handed_in, READ)
    assert done.stdout.startswith("ada  01-tiny.ipynb is closed to others than root: grade as an")
    (handed_in / "in" / "ada" / "01-tiny" / "01-tiny.ipynb").chmod(0o644)
    assert _look(two_units, handed_in, READ).stdout == "ada 01-tiny  True\n"


def test_where_nothing_can_be_shown_it_says_what_to_do(two_units: Course, handed_in: Path) -> None:
    done = _look(two_units, handed_in, READ, MOUNT)
    assert "grade as an ordinary user" in done.stderr
    assert "cannot be read" in done.stderr and not done.stdout


def test_it_starts_anew_for_another_folder(two_units: Course, handed_in: Path) -> None:
    used = []
    for folder in ("a", "b"):
        assert intake.find(two_units, handed_in / "in", handed_in / folder)[0].problem == ""
        used.append(intake.READER.process)
    assert used[0] and used[0] is not used[1] and used[0].poll() is not None
