"""What `course` prints of learners' data moves no cursor and colours nothing."""

from pathlib import Path

import pandas as pd
import pytest

from helpers.course import cli
from helpers.course.cli import main
from helpers.course.grading import grades_csv
from helpers.course.intake import platforms
from helpers.course.settings import Course


def test_the_table_and_the_hints_are_spelt_out() -> None:
    for escape in ("\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r", "\u202e", "\n", "\x00"):
        row: dict[str, object] = dict.fromkeys(grades_csv.COLUMNS, name := f"ada{escape}bob")
        row |= {"unit": "01-tiny", "score": 1.0, "pending": 0.0, "max_score": 2.0, "penalty": 0.5}
        row["hints"] = [name]
        told = grades_csv.as_text(pd.DataFrame([row], columns=grades_csv.COLUMNS))
        assert all(each.isprintable() for each in told.split("\n"))
        assert told.count("ada\\") == 5  # a table of two lines, and hints


def test_names_of_files_are_spelt_out(
    tiny: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tiny.root)
    missing = tmp_path / "no\x1b[2Jthing"
    assert main(["grade", str(missing), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert "no\\x1b[2Jthing" in said.err and "\x1b" not in said.out + said.err


def test_the_commands_know_every_platform() -> None:
    assert sorted(cli.PLATFORMS) == sorted(platforms.PLATFORMS)
