"""The benchmark of a large class: a dry run, in which sleeping workers give real marks."""

import pickle
import time
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from benchmarks import grading as small
from benchmarks import ten_thousand as bench
from helpers.course.grading.marking import Graded
from helpers.course.grading.work import Task
from helpers.course.sandbox import bubblewrap
from helpers.course.sandbox.process import Limits
from helpers.course.settings import Course
from tests.common import ISOLATED
from tests.course.pages.entered import UNIT


def test_no_answer_of_the_class_is_word_for_word_anothers(tmp_path: Path) -> None:
    answer = {"nbgrader": {"solution": True}}
    kinds = [v4.new_notebook(cells=[v4.new_code_cell(x, metadata=answer)]) for x in ("a", "b")]
    folder = bench.hand_in(kinds, 5, tmp_path)
    texts = [path.read_bytes() for path in sorted(folder.rglob("*.ipynb"))]
    assert len(set(texts)) == 5
    found = [bench.KIND.search(text) for text in texts]
    assert [each and int(each[1]) for each in found] == [0, 1, 0, 1, 0]


def test_a_worker_sleeps_as_long_as_the_real_one_took(tmp_path: Path) -> None:
    store = tmp_path / "graded"
    store.write_bytes(pickle.dumps([Graded(total=0.0), Graded(total=0.3, hints=["mine"])]))
    task = Task("ada", b"x\n# learner 7, kind 1", b"", {}, Limits())
    start = time.monotonic()
    assert bench.slept(store, task).hints == ["mine"]
    assert time.monotonic() - start >= 0.3


@pytest.mark.rotating
def test_a_dry_run(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "COURSE", tiny)
    monkeypatch.setattr(small, "UNIT", UNIT)
    monkeypatch.setattr(small, "people", lambda built: [built.solution, built.released])
    monkeypatch.setattr(bubblewrap, "available", lambda: "" if ISOLATED else "none")
    [row] = bench.study(6, [3], tmp_path).to_dict("records")
    assert (row["workers"], row["notebooks"]) == (3, 6)
    assert row["of the workers' pace"] < 1
    marks = (tmp_path / "out-3" / "grades.csv").read_text().splitlines()
    assert [line.split(",")[2] for line in marks[1:]] == ["2.0", "0.0"] * 3
    graded = tmp_path / "out-3" / "autograded" / "s00001" / UNIT / f"{UNIT}.ipynb"
    assert nbformat.read(graded, as_version=4).cells
