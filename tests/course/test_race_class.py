"""The board of a class: its encodings race in the sandbox, by pseudonyms, and nobody stops it."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest
from nbformat import v4

from helpers.course import race_class
from helpers.course.grading import journal
from helpers.course.sandbox import bubblewrap, pool
from helpers.course.sandbox.process import StartError
from helpers.course.settings import CourseError
from helpers.race import racing
from helpers.race.records import COLUMNS
from helpers.race.rules import RIVALS, TIMES
from tests.common import needs_sandbox
from tests.course.judged import book
from tests.race.test_race import TINY, _here, _scored, run_jobs_in_threads

UNIT = race_class.UNIT
IMPORTS = "import torch\nfrom helpers.encodings import Encoding, Positions"
MARKS = """\
class OwnEncoding(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.mark = torch.nn.Parameter(torch.ones(d_model))

    def embed(self, x, positions):
        return x + self.mark * (positions.queries == 0)[..., None]
"""
FORGES = """\
from helpers.race import records
records.as_rows = lambda name, *runs: runs[1].assign(loss=runs[1]["limit"])
"""
SHORTENS = """\
from helpers.race import racing, records
honest = records.as_rows
records.as_rows = lambda *runs: honest(*runs)[1:]
"""
CLASS = {
    "ada": (IMPORTS, MARKS),
    "ben <b>": (IMPORTS, MARKS.replace("return x", "return x / (1 // 0)")),
    "cem": (IMPORTS, "OwnEncoding = 3"),
    "dua": ("import os", "os._exit(3)"),
    "eva": (f"{IMPORTS}\n{FORGES}", MARKS),
    "fay": (f"{IMPORTS}\n{SHORTENS}", MARKS),
}  # fmt: skip
PROBLEMS = {
    "ada": "",
    "ben <b>": "breaks on 16 tokens: ZeroDivisionError",
    "cem": "this int must be a class derived from helpers.encodings.Encoding",
    "dua": "the kernel ended itself (status 3)",
    "eva": "each row must have",
    "fay": "are not those of the race",
}


def _graded(out: Path) -> Path:
    """Return a folder as `course grade` leaves it, with a few cells of each notebook."""
    out.mkdir()
    rows = []
    for student, cells in CLASS.items():
        code = [v4.new_code_cell(text) for text in cells]
        code[-1].metadata["nbgrader"] = {"grade_id": "own", "solution": True}
        code.append(v4.new_code_cell("raise SystemExit('after the class')"))
        path = out / "submitted" / student / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(v4.writes(v4.new_notebook(cells=code)))
        rows.append({"student": student, "unit": UNIT, "status": "graded"})
    rows.append({"student": "gil", "unit": UNIT, "status": "not graded: no notebook"})
    _journal(out, rows)
    return out


def _journal(out: Path, rows: list[dict[str, str]]) -> None:
    """Write rows of grades.csv into the gradebook of a class."""
    journal.create(out)
    with book(out) as found:
        for row in rows:
            found.update_or_create_student(row["student"])
            journal.put(found, row["student"], row["unit"], {"row": journal.EMPTY | row})


@needs_sandbox
@pytest.mark.slow
def test_a_class_has_its_board_by_pseudonym(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (racing, race_class):
        monkeypatch.setattr(module, "run_jobs", _here)
    out = _graded(tmp_path / "graded")
    told = race_class.board(out, TINY)
    whose = pd.read_csv(out / "race" / "pseudonyms.csv", keep_default_na=False)
    assert [*whose["student"]] == [*CLASS]
    for student, problem in PROBLEMS.items():
        [found] = whose.loc[whose["student"] == student, "problem"]
        assert found == problem if not problem else problem in found
    assert sum(line.startswith("left out, ") for line in told) == len(CLASS) - 1
    page = (out / "race" / "board.html").read_text()
    [ada] = whose.loc[whose["student"] == "ada", "pseudonym"]
    for name in (ada, *RIVALS):
        assert f'<th scope="row">{name}</th>' in page
    assert page.count('<th scope="row">') == 1 + len(RIVALS) and "5 could not take part" in page
    assert not any(student in page for student in CLASS)
    assert race_class._pseudonym(out, "ada") == ada


def test_a_race_that_failed_is_run_again_and_one_that_is_done_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_jobs_in_threads(monkeypatch)
    monkeypatch.setattr(bubblewrap, "available", lambda: "")
    none = pd.concat(_scored({"none": [2.0, 2.2]}).assign(times=times) for times in TIMES)
    monkeypatch.setattr(race_class, "run_all", lambda *_: (None, none))
    out, raced = _graded(tmp_path / "graded"), Counter[str]()
    ada = race_class._pseudonym(out, "ada")

    def race(_content: str, name: str, *_: object) -> pd.DataFrame:
        raced[name] += 1
        if name != ada and raced[name] == 1:
            return pd.DataFrame([{"encoding": name, "problem": "time is up"}])
        return none.assign(encoding=name, problem=None)

    monkeypatch.setattr(race_class, "_race", race)
    left_out = [
        sum(line.startswith("left out, ") for line in race_class.board(out, TINY)) for _ in range(3)
    ]
    assert left_out == [len(CLASS) - 1, 0, 0]
    assert raced.pop(ada) == 1 and {*raced.values()} == {2}


def test_what_has_no_encodings_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "available", lambda: "")
    for row in ([], [{"student": "ada", "unit": "02-sinusoidal", "status": "graded"}]):
        _journal(tmp_path, row)
        with pytest.raises(CourseError, match="no graded notebook of 08-mini-bert"):
            race_class.board(tmp_path)
    monkeypatch.setattr(bubblewrap, "available", lambda: "no bubblewrap")
    with pytest.raises(CourseError, match="no bubblewrap"):
        race_class.board(tmp_path)


def test_no_pseudonym_is_a_number(tmp_path: Path) -> None:
    for student in range(300):
        name = race_class._pseudonym(tmp_path, f"{student}")
        (path := tmp_path / "names.csv").write_text(f"name\n{name}\n")
        assert [*pd.read_csv(path)["name"]] == [name]


def test_no_row_of_a_learners_stops_the_race_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = v4.new_output("display_data", {race_class.JSON: [dict.fromkeys(COLUMNS, "\ud800")]})
    monkeypatch.setattr(pool, "taken", lambda *_, **__: nullcontext())
    monkeypatch.setattr(race_class, "Session", lambda _: Mock(run=lambda *_: [shown]))
    found = race_class._race(v4.writes(v4.new_notebook()), "ada", TINY, 0)
    assert [*found["encoding"]] == ["ada"] and found["problem"].all()


def test_where_no_sandbox_starts_no_learner_is_left_out_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "taken", Mock(side_effect=StartError("no torch")))
    with pytest.raises(StartError):
        race_class._race(v4.writes(v4.new_notebook()), "ada", TINY, 0)
