"""Wrong answers that examiners found accepted, and that have no hint of their own, are refused."""

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from helpers.checks.engine import Exercise, Written
from helpers.checks.engine.hints import edited

FILE = Path(__file__).with_name("examined.toml")
EXAMINED = [
    pytest.param(
        getattr(importlib.import_module(f"helpers.checks.{package}"), name), entry, id=name
    )
    for package, exercises in tomllib.loads(FILE.read_text(encoding="utf-8")).items()
    for name, entries in exercises.items()
    for entry in entries
]


@pytest.mark.parametrize(("exercise", "entry"), EXAMINED)
def test_a_wrong_answer_that_was_accepted_is_refused(exercise: Exercise, entry: Any) -> None:
    text = entry.get("code") or edited(exercise.right_answers[0].text, entry["edit"])
    report = exercise(Written("wrong", text).answer)
    # Some part is right: it is refused for what is wrong with it, and not as a whole.
    assert 0 < report.earned < report.points
