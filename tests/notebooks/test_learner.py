"""Released notebooks run from top to bottom with nothing written; the lesson goes on."""

import html
import os
import re
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from helpers import checks, widgets
from helpers.checks.engine.report import FINDINGS, STUB
from helpers.course.settings import Course
from tests.common import UNITS
from tests.tiers import sample

OUTCOMES = tomllib.loads(Path(__file__).with_name("outcomes.toml").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("unit", sample(UNITS[::-1], len(UNITS)))  # another than is solved
def test_a_learner_who_writes_nothing_meets_no_error(
    course: Course, unit: str, tmp_path: Path
) -> None:
    notebook = nbformat.read(course.notebooks / unit / f"{unit}.ipynb", as_version=4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    client = NotebookClient(
        notebook,
        timeout=600,
        allow_errors=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(tmp_path)}},
    )
    # What training comes to is for the solutions to show, which nbval runs.
    client.execute(env=os.environ | {"ORDER_MATTERS_PROFILE": "dry"})
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    errors = {output.ename for output in outputs if output.output_type == "error"}
    assert errors <= {"NotImplementedError"}, errors

    reports = [output.data[FINDINGS] for output in outputs if FINDINGS in output.get("data", {})]
    assert len(reports) == len(checks.exercises(unit))
    for report in reports:
        assert {finding["message"] for finding in report["findings"]} == {STUB}
        assert sum(finding["earned"] for finding in report["findings"]) == 0


@pytest.mark.parametrize("unit", UNITS)
def test_each_lesson_has_what_a_learner_expects(course: Course, unit: str) -> None:
    cells = nbformat.read(course.notebooks / unit / f"{unit}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells)
    assert "By the end of" in text
    assert "## Further reading" in text
    assert text.count("*Why care:*") == len(checks.exercises(unit))
    assert text.count("<summary>Hint") >= len(checks.exercises(unit))
    code = [cell.source.count("\n") + 1 for cell in cells if cell.cell_type == "code"]
    assert sorted(code)[len(code) // 2] <= 8
    assert max(code) <= 30


@pytest.mark.parametrize("unit", UNITS)
def test_each_prediction_comes_out_as_the_text_below_it_says(course: Course, unit: str) -> None:
    """Where an outcome has changed, read the text that follows it before outcomes.toml is changed.

    Numbers differ from run to run; of a choice, the letter counts.
    """
    cells = nbformat.read(course.solutions / unit / f"{unit}.ipynb", as_version=4).cells
    outcomes = {}
    for cell in cells:
        if asked := re.search(r'^outcome\("(\w+)"', cell.source, re.MULTILINE):
            [shown] = [each for each in cell.outputs if each.output_type == "execute_result"]
            outcomes[asked[1]] = shown.data["text/plain"].removeprefix("Measured: ")
    names = {name for cell in cells for name in re.findall(r'^predict\("(\w+)', cell.source, re.M)}
    assert names == set(outcomes)
    letters = {name: told[0] for name, told in outcomes.items() if re.match(r"[a-z]\)", told)}
    assert letters == OUTCOMES.get(unit, {})


@pytest.mark.parametrize("unit", UNITS)
def test_every_picture_has_a_text_and_every_slider_a_picture(course: Course, unit: str) -> None:
    cells = nbformat.read(course.solutions / unit / f"{unit}.ipynb", as_version=4).cells
    for cell in cells:
        shown = [output.data for output in cell.get("outputs", []) if "data" in output]
        pictures = [data for data in shown if "<img" in data.get("text/html", "")]
        for data in shown:
            assert not {"image/png", "application/vnd.jupyter.widget-view+json"} & data.keys()
        for data in pictures:
            assert len(data["text/plain"]) > 20
            assert f'alt="{html.escape(data["text/plain"])}"' in data["text/html"]
        if "widgets.explore(" in cell.source:
            assert len(pictures) == 1
            assert {widgets.AGAIN, widgets.TYPE} & {data["text/plain"] for data in shown}
