"""What `course` prints of learners' data moves no cursor and colours nothing."""

import pandas as pd

from helpers.course import cli
from helpers.course.grading import journal
from helpers.course.intake import platforms


def test_the_table_and_the_hints_are_spelt_out() -> None:
    for escape in ("\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r", "\u202e", "\n", "\x00"):
        row: dict[str, object] = dict.fromkeys(journal.EMPTY, name := f"ada{escape}bob")
        row |= {"unit": "01-tiny", "score": 1.0, "pending": 0.0, "max_score": 2.0, "penalty": 0.5}
        row["hints"] = [name]
        told = journal.as_text(pd.DataFrame([row], columns=journal.EMPTY))
        assert all(each.isprintable() for each in told.split("\n"))
        assert told.count("ada\\") == 5  # a table of two lines, and hints


def test_the_commands_know_every_platform() -> None:
    assert sorted(cli.PLATFORMS) == sorted(platforms.PLATFORMS)


def test_a_long_reason_leaves_the_table_readable() -> None:
    row = journal.EMPTY | {"student": "ada", "status": "not graded: " + "long " * 60}
    told = journal.as_text(pd.DataFrame([row], columns=journal.EMPTY))
    assert max(map(len, told.split("\n"))) < 140 and "not graded: long long" in told
