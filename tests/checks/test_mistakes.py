"""Every known wrong answer loses its points and gets its own hint; every right one keeps all.

`make quick` asks those of changed exercises, `make nightly` all; `make test` those of changed
checks, and of the rest a sixth of the wrong ones and a third of the right ones, as to refuse one of
these hurts most.
"""

import importlib
import json
import re
import tomllib
from itertools import chain
from typing import Any

import pytest

from helpers.checks.engine import Exercise, Mistake, Written
from helpers.checks.engine.hints import edited
from helpers.checks.engine.serialize import CapturedException
from helpers.course.sandbox.process import Limits
from helpers.course.sandbox.shell import to_json
from tests import tiers
from tests.checks import variants
from tests.common import ROOT
from tests.probes import trial

EXERCISES = [exercise for _, exercise in tiers.exercises()]


def _mistakes(_unit: str, exercise: Exercise) -> list[Any]:
    named = f"{exercise.name}: "
    return [pytest.param(exercise, each, id=named + each.name) for each in exercise.mistakes]


def _right(unit: str, exercise: Exercise) -> list[Any]:
    answers = variants.of(unit)[exercise.name]
    return [pytest.param(exercise, each, id=f"{exercise.name}: {each.name}") for each in answers]


@pytest.mark.parametrize(("exercise", "mistake"), tiers.known(_mistakes, 6))
def test_a_mistake_loses_its_parts_and_gets_its_hint(exercise: Exercise, mistake: Mistake) -> None:
    assert trial.mistake_fault(exercise, mistake) == ""


@pytest.mark.parametrize(("exercise", "answer"), tiers.known(_right, 3))
def test_a_right_answer_may_be_written_differently(exercise: Exercise, answer: Written) -> None:
    assert trial.variant_fault(exercise, answer) == ""


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_reference_answers_every_question(exercise: Exercise) -> None:
    """Where it failed, whoever failed in the same way would be right.

    What it says takes half of the room that a kernel's answer has in grading: others need more.
    """
    for seed in trial.SEEDS:
        answers = exercise.ask(exercise.reference, seed)
        said = [each for part in answers.found.values() for each in part]
        assert not any(isinstance(each, CapturedException) for each in said)
        assert len(json.dumps(to_json(answers))) <= Limits().output / 2


@pytest.mark.parametrize(
    ("unit", "exercise"), tiers.exercises(), ids=lambda each: getattr(each, "name", each)
)
def test_hints_are_different_and_there_are_at_least_three_right_ways(
    unit: str, exercise: Exercise
) -> None:
    entries = [re.sub(r", way \d+$", "", mistake.name) for mistake in exercise.mistakes]
    hints = [mistake.hint for mistake in exercise.mistakes]
    assert len(set(hints)) == len(set(entries)) == len({*zip(hints, entries, strict=True)}) >= 4
    assert len(variants.of(unit)[exercise.name]) >= 3


@pytest.mark.parametrize(
    ("unit", "exercise"), tiers.exercises(), ids=lambda each: getattr(each, "name", each)
)
def test_no_hint_of_a_lesson_shows_the_code_of_a_known_mistake(
    unit: str, exercise: Exercise
) -> None:
    lesson = (ROOT / "source" / unit / f"{unit}.py").read_text(encoding="utf-8")
    blocks = re.findall(r"<summary>Hint.*?</details>", lesson, re.DOTALL)
    assert blocks
    spans = [span for block in blocks for span in re.findall(r"`([^`]+)`", block)]
    file = ROOT / f"{exercise.module.replace('.', '/')}.toml"
    mistakes = tomllib.loads(file.read_text(encoding="utf-8"))
    entries = [each for each in mistakes.values() if isinstance(each, dict)]
    changed = [way for each in entries for way in (each.get("edit", []), *each.get("also", []))]
    for right, wrong in chain.from_iterable(changed):
        if len(wrong) > 2 and wrong not in right:
            shown = [span for span in spans if wrong in span and right not in span]
            assert not shown, f"{wrong} instead of {right}"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_a_stub_earns_nothing_and_is_told_what_to_do(exercise: Exercise) -> None:
    def stub(*_arguments: Any, **_options: Any) -> None:
        raise NotImplementedError

    report = exercise(stub)
    assert report.earned == 0
    assert all("Not written yet" in finding.message for finding in report.findings)


EXAMINED = [
    pytest.param(
        getattr(importlib.import_module(f"helpers.checks.{package}"), name), entry, id=name
    )
    for package, exercises in tomllib.loads(
        (ROOT / "tests/checks/examined.toml").read_text(encoding="utf-8")
    ).items()
    for name, entries in exercises.items()
    for entry in entries
]


@pytest.mark.parametrize(("exercise", "entry"), EXAMINED)
def test_a_wrong_answer_that_was_accepted_is_refused(exercise: Exercise, entry: Any) -> None:
    """What examiners found, and what has no hint of its own."""
    text = entry.get("code") or edited(exercise.right_answers[0].text, entry["edit"])
    report = exercise(Written("wrong", text).answer)
    # Some part is right: it is refused for what is wrong with it, and not as a whole.
    assert 0 < report.earned < report.points
