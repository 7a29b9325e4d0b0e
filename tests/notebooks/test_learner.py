"""Released notebooks run from top to bottom with nothing written; the lesson goes on."""

import html
import io
import os
import re
import tomllib
from base64 import b64decode
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from PIL import Image

from helpers import checks, widgets
from helpers.checks.engine.report import FINDINGS, STUB
from helpers.course.authoring.build import FIGURE_HTML
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
def test_every_picture_is_sharp_and_has_a_text_wherever_a_solution_is_shown(
    course: Course, unit: str
) -> None:
    path = course.solutions / unit / f"{unit}.ipynb"
    assert path.stat().st_size <= 1_500_000
    for cell in nbformat.read(path, as_version=4).cells:
        shown = [output for output in cell.get("outputs", []) if "data" in output]
        pictures = [output for output in shown if "image/png" in output.data]
        for output in shown:
            assert "application/vnd.jupyter.widget-view+json" not in output.data
            assert "<img" not in output.data.get("text/html", "")  # many viewers take it out
        for output in pictures:
            told, picture = output.metadata["image/png"], output.data["image/png"]
            assert len(told["alt"]) > 20 and told["alt"] == output.data["text/plain"]
            assert f'alt="{html.escape(told["alt"])}"' in output.data[FIGURE_HTML]
            # `told` is rounded to whole pixels of CSS, so two of the picture's may be one too many.
            assert Image.open(io.BytesIO(b64decode(picture))).width >= 2 * told["width"] - 1
        if "widgets.explore(" in cell.source:
            assert len(pictures) == 1
            assert {widgets.AGAIN, widgets.TYPE} & {each.data["text/plain"] for each in shown}
