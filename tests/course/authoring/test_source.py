"""A bad source is refused with its line and with what to write instead."""

import pytest

from helpers.course.authoring import source
from helpers.course.settings import Course, CourseError
from tests.common import LESSON

ANSWER = "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
FAULTS = [
    ("points=2", "pionts=2", 14, "unknown key 'pionts'"),
    ("points=2", "", 14, "test= needs points="),
    ("points=2", "points=Infinity", 14, "write a number above 0"),
    ('solution="double"', "points=1", 7, "points= on nothing"),
    ('test="double" points', 'test="double" essay="x" points', 14, "make two cells"),
    ("difficulty=1", "difficulty=9", 4, "from 1 to 5"),
    ('exercise="double"', 'exercise="Double it"', 4, 'write a name like exercise="my_table"'),
    ("minutes=2", "", 4, "needs minutes="),
    ('title="Twice"', 'title="a|b"', 4, "write one line of text"),
    ("# %% [markdown] exercise", "# %% exercise", 4, "belongs in a markdown cell"),
    ("# %% [markdown]\n# # A", "# %% [markdown]\n# x\n\n# %% [raw]\n# # A", 4, "a raw cell"),
    ("    ### END SOLUTION\n", "", 7, "must take turns"),
    (ANSWER, "    return 2 * x", 7, "needs"),
    ('# %% test="double" points=2', "# %%", 14, "would reach the learner"),
    ("### BEGIN HIDDEN TESTS", "### begin hidden tests", 14, "a mark stands alone"),
    ('solution="double"', 'solution="other"', 7, 'has no exercise="other" cell above'),
    ('test="double" points', 'test="triple" points', 4, 'has no test="double" cell'),
    ("# Write it.", '# x\n\n# %% [markdown] essay="own" points=1', 7, 'no exercise="own"'),
    ("# Write it.", '# x\n\n# %% [markdown] essay="double" points=1', 9, "in code or in prose"),
    ("", LESSON[LESSON.index("# %% solution") :] + "\n", 8, 'test="double" is used in line'),
    ('solution="double"', 'solution="double" tags="training"', 0, "write tags as tags=["),
    ("### END HIDDEN TESTS", 'x = """\n# %% not a cell"""', 0, "keep that mark out of strings"),
    (LESSON, "", 1, "a source begins with"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), FAULTS)
def test_a_fault_is_named_with_its_line(
    tiny: Course, old: str, new: str, line: int, words: str
) -> None:
    path = tiny.text("01-tiny")
    assert old in LESSON
    path.write_text(LESSON.replace(old, new, 1) if old else LESSON + "\n" + new)
    with pytest.raises(CourseError) as error:
        source.read(path)
    told = str(error.value).splitlines()
    place = f"{path.name}:{line}: " if line and old else f"{path.name}:"
    assert any(place in row and words in row for row in told), told


def test_the_sources_of_the_course_are_good(course: Course) -> None:
    for unit in course.units():
        assert source.points(source.read(course.text(unit))) > 0
