"""What the class predicted stands in the report, whatever people wrote into the cell."""

from pathlib import Path

import nbformat
import pandas as pd
from nbformat import v4

from helpers.course.pages import predictions, report
from helpers.course.settings import Course
from tests.common import LESSON
from tests.course.pages.entered import RIGHT, UNIT, Classroom, code
from tests.course.pages.test_report import _row, _section, _written

ASKED = """
# %%
from helpers.predict import predict

predict("far", "At 96 tokens <the> loss is", a="low", b="high", answer="")

# %%
predict("loss", "The loss will be", answer="")
"""
CALL = 'predict("far", "Another question", a="lower", c="mine", answer={})'
NUMBER = 'predict("loss", "The loss will be", answer={})'
WRITTEN = {
    "ada": ('"b"', "-0.5"),
    "bob": ('" B)"', "0.25"),
    "cem": ('"c"', "1e999"),  # neither is an answer to what the source asks
    "dua": ("open('/etc/passwd').read()", "True"),
    "eva": ("", "[1]"),  # no Python
    "gus": ('"none"', "9" * 400),  # a whole number beyond every float
}


def test_answers_are_counted_by_what_the_source_asks(tiny: Course, tmp_path: Path) -> None:
    made = Classroom(tiny, tmp_path / "out")
    with tiny.text(UNIT).open("a") as file:
        file.write(ASKED)
    for student, (letter, number) in WRITTEN.items():
        made.enter(student, RIGHT, [code(CALL.format(letter)), code(NUMBER.format(number))])
    made.enter("fay", RIGHT)  # deleted both cells
    rows = [_row(student) for student in [*WRITTEN, "fay"]]
    section = _section(_written(tiny, made.out, rows), "predictions")
    assert f"{UNIT} · At 96 tokens &lt;the&gt; loss is" in section
    assert "a) low 0 b) high 2 no prediction 5" in section
    assert "median -0.12, middle half -0.31 to 0.06 2 no prediction 5" in section
    assert "lower" not in section and "mine" not in section


def test_a_unit_without_predictions_has_no_such_section(tiny: Course, tmp_path: Path) -> None:
    made = Classroom(tiny, tmp_path / "out")
    made.enter("ada", RIGHT)
    assert "predictions" not in _written(tiny, made.out, [_row("ada")])
    assert predictions.predictions(tiny, made.out, pd.DataFrame({"unit": [], "student": []})) == []
    assert report.write(tiny, made.out).exists()


def test_each_unit_counts_its_own_learners(tiny: Course, tmp_path: Path) -> None:
    for unit, who in ((UNIT, "ada"), ("02-later", "bob")):
        tiny.text(unit).parent.mkdir(exist_ok=True)
        tiny.text(unit).write_text(LESSON + ASKED)
        place = tmp_path / "autograded" / who / unit / f"{unit}.ipynb"
        place.parent.mkdir(parents=True)
        nbformat.write(v4.new_notebook(cells=[code(CALL.format('"a"'))]), place)
    graded = pd.DataFrame({"unit": [UNIT, "02-later"], "student": ["ada", "bob"]})
    found = predictions.predictions(tiny, tmp_path, graded)
    assert [(each.given["a"], each.none) for each in found] == [(1, 0), (0, 1)] * 2
