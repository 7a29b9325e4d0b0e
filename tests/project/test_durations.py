"""tests/durations.csv is read from pytest's own record of a run."""

from pathlib import Path

from tests import durations

RUN = """<testsuites><testsuite>
<testcase classname="tests.course.grading.test_class.TestTwo" name="a" time="1.25"/>
<testcase classname="tests.course.grading.test_class" name="b[1]" time="2"/>
<testcase classname="tests.checks.test_own" name="c" time="7"/>
<testcase classname="solutions.08-mini-bert.08-mini-bert.ipynb" name="Cell 1" time="3"/>
</testsuite></testsuites>"""


def test_seconds_are_added_up_by_file_and_kind(tmp_path: Path) -> None:
    (tmp_path / "run.xml").write_text(RUN)
    table = durations.by_file(tmp_path / "run.xml")
    assert table.values.tolist() == [
        ["checks", "tests/checks/test_own.py", 1, 7.0],
        ["course/grading", "tests/course/grading/test_class.py", 2, 3.2],
        ["solutions", "solutions/08-mini-bert/08-mini-bert.ipynb", 1, 3.0],
    ]
    assert durations.by_kind(table).index.tolist() == ["checks", "course/grading", "solutions"]
