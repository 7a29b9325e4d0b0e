"""What a notebook shows of a check: states in symbols and words, and nobody's markup."""

import json
import re
import sys
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from helpers import checks
from helpers.checks import learned, start_here
from helpers.checks import sinusoidal as check
from helpers.checks.engine import Finding, Report
from helpers.checks.engine.report import COLOURS, FINDINGS, PRAISE, STUB
from tests.checks import variants
from tests.common import ROOT, UNITS


class _Shell(InteractiveShell):
    """One for each test, with nothing of the others."""


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    """IPython as a notebook has it, but for its kernel."""
    shell = _Shell(user_ns={})
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: shell)
    return shell


@pytest.fixture(autouse=True)
def _begun(monkeypatch: pytest.MonkeyPatch) -> None:
    # As in a kernel that has just been started.
    monkeypatch.setattr("helpers.checks.engine.report._best", {})


def _page(report: Report) -> str:
    return str(report._repr_mimebundle_()["text/html"])


def _text(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).strip()


def _right(unit: str, name: str) -> Any:
    return variants.of(unit)[name][0].answer


def test_all_that_is_right_is_said_with_a_warm_word() -> None:
    page = _page(check.table(_right("02-sinusoidal", "table")))
    text = _text(page)
    assert text.startswith("✓ The table right · 3 of 3 points ✓ the paper&#x27;s base : right, 2")
    assert any(word in text for word in PRAISE)
    assert COLOURS["right"] in page and COLOURS["wrong"] not in page and "Hint" not in page


def test_the_warm_word_is_the_same_for_an_exercise_and_not_the_same_for_all() -> None:
    exercises = [each for unit in UNITS for each in checks.exercises(unit).values()]
    texts = [str(Report(each.name, [Finding("all", 1, 1)])) for each in exercises]
    assert {text.splitlines()[-1].strip() for text in texts} == set(PRAISE)


def test_a_mistake_gets_its_hint_in_one_box_and_its_state_in_words() -> None:
    forgotten = next(m for m in check.table.mistakes if m.name == "base forgotten")
    text = _text(_page(check.table(forgotten.answer)))
    assert text.startswith("◐ The table partly right · 2 of 3 points")
    assert "✗ any other base : not yet, 0 of 1" in text
    assert f"  Hint: {forgotten.hint}" in str(check.table(forgotten.answer))
    everywhere = _page(check.table(check.table.mistakes[1].answer))
    assert everywhere.count("<b>Hint:</b>") == 1
    assert not any(word in text for word in PRAISE)


def test_what_is_not_written_is_said_once_and_not_part_by_part() -> None:
    def table(num_positions: int, d_model: int, base: float = 10_000.0) -> Any:
        raise NotImplementedError()

    report = check.table(table)
    assert [each.message for each in report.findings] == [STUB, STUB]
    text = _text(_page(report))
    assert text.count("Not written yet") == 1 and "the paper" not in text and "✗" not in text
    assert str(report).count("Not written yet") == 1
    half = Report("table", [Finding("first", 1, 0, STUB), Finding("second", 1, 0, "off by one")])
    assert "second : not yet, 0 of 1" in _text(_page(half)) and "off by one" in str(half)


def test_an_exception_shows_the_learners_line_and_not_the_librarys(
    shell: InteractiveShell,
) -> None:
    line = "return torch.nn.Linear(2, 3)(torch.zeros(5))"
    shell.run_cell(f"import torch\n\n\ndef f(tokens):\n    {line}")
    report = start_here.positions(shell.user_ns["f"])
    assert "your code stops with RuntimeError" in report.findings[0].message
    assert report.findings[0].line == f"line 5: {line}"
    assert _page(report).count("line 5: return torch.nn.Linear(2, 3)") == 1
    assert report._repr_mimebundle_()[FINDINGS]["findings"][0]["line"]
    shell.run_cell("def g(tokens):\n    return f(tokens)")
    assert start_here.positions(shell.user_ns["g"]).findings[0].line == f"line 5: {line}"


def test_nothing_that_a_learner_wrote_becomes_markup() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=y>"
    finding = Finding(evil, 1, 0, evil, evil, evil)
    page = _page(Report(evil, [finding], evil, evil, evil))
    assert set(re.findall(r"<(\w+)", page)) == {"div", "b", "span", "ul", "li", "pre"}
    assert _text(page).count("alert(1)") == 7


def _all_points(unit: str) -> str:
    text = (ROOT / "source" / unit / f"{unit}.py").read_text(encoding="utf-8")
    return f"{sum(map(float, re.findall(r'^# %%.* points=([0-9.]+)', text, re.MULTILINE))):g}"


def test_the_points_of_the_unit_add_up_the_best_of_each_exercise() -> None:
    right, wrong = _right("02-sinusoidal", "table"), check.table.mistakes[1].answer
    whole = _all_points("02-sinusoidal")
    assert f"This unit so far: 3 of {whole} points" in _page(check.table(right))
    assert f"This unit so far: 3 of {whole} points" in _page(check.table(wrong))
    assert f"5 of {whole} points" in _page(check.shift(_right("02-sinusoidal", "shift")))
    # Another unit's exercise of the same name is another exercise.
    other = learned.table(wrong)
    assert other.title == "A table that learns"
    assert f"so far: 0 of {_all_points('03-learned')} points" in other.so_far


def test_a_unit_with_an_essay_says_who_gives_its_points() -> None:
    said = checks.exercises("06-stacking")["cost"](lambda *_: None).so_far
    whole = _all_points("06-stacking")
    told = rf"This unit so far: 0 of {whole} points; \d of them are given by a person"
    assert re.fullmatch(told, said)


def test_what_grades_knows_nothing_of_a_session() -> None:
    answer = _right("02-sinusoidal", "table")
    before = check.table(answer)
    judged = check.table.grade(check.table.ask(answer, 0), 0)
    assert before.so_far and not judged.so_far + judged.title + judged.notice
    data = before._repr_mimebundle_()[FINDINGS]
    assert judged._repr_mimebundle_()[FINDINGS] == data and "so far" not in json.dumps(data)
    assert repr(before) == repr(judged) == "3.0"


GOOD = "def f(tokens):\n    return tokens"
BROKEN = "def f(tokens):\n    return tokens +"
CHECK = "check.positions(f)"


@pytest.mark.parametrize(
    ("cells", "older"),
    [
        ([GOOD, BROKEN], True),
        ([GOOD, BROKEN, CHECK, "1 + 1", CHECK], True),
        ([GOOD, "f = lambda tokens: (tokens"], True),
        ([GOOD, "if True:\nreturn 1\n" + GOOD], True),
        ([GOOD], False),
        ([BROKEN, GOOD], False),
        ([GOOD, BROKEN, GOOD], False),
        ([GOOD, BROKEN, "%%time\n" + GOOD], False),
        ([GOOD, BROKEN, "f = (lambda g: g)(f)"], False),
        ([GOOD, BROKEN, "from math import floor as f"], False),
        ([GOOD, BROKEN, "%run cells.py"], False),
        ([GOOD, BROKEN, "print((f := lambda tokens: tokens))"], False),
        ([GOOD, "show(\n    f=f,\n    n=3"], False),
        ([GOOD, "def g(\n    f: int = 3,\n    n="], False),
        ([GOOD, "print(f(1)"], False),
        ([GOOD, "def ff(tokens):\n    return tokens +"], False),
        ([GOOD, "# def f: later\nx = ("], False),
    ],
)
def test_an_older_answer_is_named_where_the_newest_cell_is_no_python(
    shell: InteractiveShell, cells: list[str], older: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for cell in cells:
        shell.run_cell(cell, store_history=True)
    capsys.readouterr()
    report = start_here.positions(shell.user_ns["f"])
    note = "The newest cell that defines f has a syntax error"
    assert (f"Note: {note}" in _text(_page(report))) is (note in str(report)) is older


def test_outside_of_a_notebook_no_answer_is_older() -> None:
    assert "Note:" not in _page(start_here.positions(lambda tokens: tokens))


def test_no_heading_of_a_report_gets_into_the_notebooks_table_of_contents() -> None:
    assert not re.search("<h[1-6]", _page(check.table(lambda n, d, base=0: None)))
