"""A bad source is refused with its line and with what to write instead."""

from pathlib import Path

import pytest

from helpers.course.authoring import source
from helpers.course.settings import Course, CourseError
from tests.common import LESSON


def test_the_sources_of_the_course_are_good(course: Course) -> None:
    for unit in course.units():
        assert source.points(source.read(course.text(unit))) > 0


def test_a_cell_knows_what_it_is(tiny: Course) -> None:
    cells = source.read(tiny.text("01-tiny"))
    assert [(c.kind, c.name, c.line) for c in cells] == [
        ("", "", 1),
        ("exercise", "double", 4),
        ("solution", "double", 7),
        ("test", "double", 14),
    ]
    assert source.points(cells) == source.points(cells, "double") == 2


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("points=2", "pionts=2", 14, "unknown key 'pionts'"),
        ("points=2", "", 14, "test= needs points="),
        ("points=2", "points=0", 14, "write a number above 0"),
        ("points=2", 'points="two"', 14, "write a number above 0"),
        ("points=2", "points=true", 14, "write a number above 0"),
        ('solution="double"', 'solution="double" points=1', 7, "points= on nothing"),
        ('solution="double"', "points=1", 7, "points= on nothing"),
        ('test="double" points', 'test="double" essay="x" points', 14, "make two cells"),
        ("difficulty=1", "difficulty=9", 4, "from 1 to 5"),
        ('exercise="double"', 'exercise="Double it"', 4, 'write a name like exercise="my_table"'),
        ("minutes=2", "", 4, "needs minutes="),
        ("# %% [markdown] exercise", "# %% exercise", 4, "belongs in a markdown cell"),
        ("    ### END SOLUTION\n", "", 7, "must take turns"),
        (
            "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
            "    return 2 * x",
            7,
            "needs",
        ),
        ('# %% test="double" points=2', "# %%", 14, "would reach the learner"),
        ('solution="double"', 'solution="other"', 7, 'has no exercise="other" cell above'),
        ('test="double" points', 'test="triple" points', 4, 'has no test="double" cell'),
        ("points=2", "points=Infinity", 14, "write a number above 0"),
        ("difficulty=1", "difficulty=true", 4, "from 1 to 5"),
        ('title="Twice"', "title=3", 4, "write one line of text"),
        ('title="Twice"', 'title="a|b"', 4, "write one line of text"),
        ('solution="double"', 'solution=["double"]', 7, "write a name like"),
        (
            "# %% [markdown]\n# # A tiny",
            "# %% [markdown]\n# x\n\n# %% [raw]\n# # A",
            4,
            "a raw cell",
        ),
        ("### BEGIN HIDDEN TESTS", "### begin hidden tests", 14, "a mark stands alone"),
        ("assert double(2) == 4", "### BEGIN MARK SCHEME", 14, "a mark stands alone"),
        ("# Write it.", '# x\n\n# %% [markdown] essay="double"', 7, "essay= needs points="),
        ("# Write it.", '# x\n\n# %% [markdown] essay="own" points=1', 7, 'no exercise="own"'),
        (
            "# Write it.",
            '# x\n\n# %% [markdown] essay="double" points=1',
            9,
            "in code or in prose",
        ),
    ],
)
def test_a_fault_is_named_with_its_line(
    tiny: Course, old: str, new: str, line: int, words: str
) -> None:
    path = tiny.text("01-tiny")
    assert old in LESSON
    path.write_text(LESSON.replace(old, new))
    with pytest.raises(CourseError) as error:
        source.read(path)
    told = str(error.value).splitlines()
    assert any(f"{path.name}:{line}: " in row and words in row for row in told), told


def test_tags_are_a_list(tiny: Course) -> None:
    path = tiny.text("01-tiny")
    path.write_text(LESSON.replace('solution="double"', 'solution="double" tags="training"'))
    with pytest.raises(CourseError, match=r'write tags as tags=\["training"\]'):
        source.read(path)


@pytest.mark.parametrize("cell", ['x = """\n# %% not a cell"""', "#%%\n1", "# %%time\n1"])
def test_marks_that_confuse_are_said_or_read(tiny: Course, cell: str) -> None:
    path = tiny.text("01-tiny")
    path.write_text(f"{LESSON}\n# %%\n{cell}\n")
    try:
        assert source.read(path)
    except CourseError as error:
        assert path.name in str(error)


def test_a_duplicate_names_the_first(tiny: Course) -> None:
    path = tiny.text("01-tiny")
    path.write_text(LESSON + "\n" + LESSON[LESSON.index("# %% solution") :])
    with pytest.raises(CourseError, match=r'test="double" is used in line 14'):
        source.read(path)


@pytest.mark.parametrize("content", [b"", b"print(1)\n", b"\xff\xfe\x00"])
def test_what_is_no_source_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "unit.py"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=r"unit\.py"):
        source.read(path)
