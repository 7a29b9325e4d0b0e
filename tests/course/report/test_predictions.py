"""What the class predicted stands in the report, whatever people wrote into the cell."""

from pathlib import Path

from helpers.course.settings import Course
from tests.course.pages.entered import RIGHT, UNIT, Classroom, code
from tests.course.report.test_report import row, section, written

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


def test_answers_are_counted_by_what_the_source_of_each_unit_asks(
    tiny: Course, tmp_path: Path
) -> None:
    for unit, learners in ((UNIT, [*WRITTEN, "fay"]), ("02-later", ["bob"])):
        made = Classroom(tiny, tmp_path / "out", unit)
        for student in learners:
            letter, number = WRITTEN.get(student, ("", ""))
            cells = [code(CALL.format(letter)), code(NUMBER.format(number))]
            made.enter(student, RIGHT, cells if student in WRITTEN else [])  # fay deleted both
        rows = [row(student, unit=unit) for student in learners]
        assert "predictions" not in written(tiny, made.out, rows)
        with tiny.text(unit).open("a") as file:
            file.write(ASKED)
    rows = [row(student) for student in [*WRITTEN, "fay"]]
    told = section(written(tiny, made.out, [*rows, row("bob", unit="02-later")]), "predictions")
    assert f"{UNIT} · At 96 tokens &lt;the&gt; loss is" in told
    assert "a) low 0 b) high 2 no prediction 5" in told
    assert "median -0.12, middle half -0.31 to 0.06 2 no prediction 5" in told
    assert "lower" not in told and "mine" not in told
    assert "a) low 0 b) high 1 no prediction 0" in told.split("02-later", 1)[1]


def test_questions_that_nobody_answered_are_folded(tiny: Course, tmp_path: Path) -> None:
    made = Classroom(tiny, tmp_path / "out", UNIT)
    made.enter("ada", RIGHT)
    with tiny.text(UNIT).open("a") as file:
        file.write(ASKED)
    page = written(tiny, made.out, [row("ada")])
    part = page.split('<section aria-labelledby="predictions">')[1].split("</section>")[0]
    assert "<table" not in part and "<details><summary>2 questions that nobody answered" in part
