"""`make quick` looks at what has changed."""

import pytest

from tests import changed
from tests.common import ROOT, UNITS


@pytest.mark.parametrize(
    ("path", "exercise"),
    [
        ("helpers/checks/sinusoidal/table.py", "02-sinusoidal/table"),
        ("helpers/checks/learned/table_start.py", "03-learned/table"),
        ("tests/checks/variants/relative_terms.py", "04-relative/skew"),
        ("tests/saboteurs/harmless/stacking.toml", "06-stacking/tree"),
        ("source/06-stacking/equivalent.toml", "06-stacking/tree"),
        ("helpers/checks/engine/compare.py", "00-start-here/positions"),
    ],
)
def test_a_file_belongs_to_an_exercise(path: str, exercise: str) -> None:
    assert exercise in changed.exercises([path])
    assert changed.ASKING[0] in changed.tests([path])


def test_mistakes_of_one_exercise_change_no_other() -> None:
    assert changed.exercises(["helpers/checks/sinusoidal/table.py"]) == ["02-sinusoidal/table"]
    assert changed.exercises(["helpers/course/export.py", "README.md"]) == []


def test_a_cell_that_is_edited_changes_its_exercise(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = "source/02-sinusoidal/02-sinusoidal.py"
    now = (ROOT / lesson).read_text(encoding="utf-8")
    before = now.replace(
        '# %% [markdown] exercise="shift"', '# %% [markdown]\n# %% [markdown] exercise="shift" '
    )
    assert before != now
    monkeypatch.setattr(changed, "_git", lambda *command: before if "show" in command else "")
    assert changed.exercises([lesson]) == ["02-sinusoidal/shift"]
    monkeypatch.setattr(changed, "_git", lambda *command: now if "show" in command else "")
    assert changed.exercises([lesson]) == []
    assert changed.units([lesson, "README.md"]) == ["02-sinusoidal"]


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("helpers/encodings/rotary.py", "tests/encodings/"),
        ("helpers/course/intake/repair.py", "tests/course/intake/"),
        ("helpers/course/export.py", "tests/course/test_export.py"),
        ("tests/web/test_text.py", "tests/web/test_text.py"),
        ("web/markdown.py", "tests/web/"),
    ],
)
def test_the_nearest_tests_come_first(path: str, nearest: str) -> None:
    assert changed.tests([path])[0].startswith(nearest)


def test_every_place_that_is_named_is_there() -> None:
    assert all((ROOT / place).exists() for place in changed.tests(["README.md", *changed.READ_BY]))
    assert changed.tests(["README.md"]) == ["tests/project"]
    assert changed.units(["helpers/course/authoring/build.py"]) == UNITS
