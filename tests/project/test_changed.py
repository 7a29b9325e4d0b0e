"""`make quick` looks at what has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import changed
from tests.common import ROOT, UNITS


@pytest.mark.parametrize(
    ("path", "exercise"),
    [
        ("helpers/checks/sinusoidal/table.py", "02-sinusoidal/table"),
        ("helpers/checks/learned/table.toml", "03-learned/table"),
        ("tests/checks/variants/relative.py", "04-relative/skew"),
        ("source/02-sinusoidal/02-sinusoidal.py", "02-sinusoidal/shift"),
        ("tests/saboteurs/harmless/stacking.toml", "06-stacking/tree"),
        ("helpers/checks/engine/compare.py", "00-start-here/positions"),
    ],
)
def test_a_file_belongs_to_an_exercise(path: str, exercise: str) -> None:
    assert exercise in changed.exercises([path])
    assert "tests/checks/test_mistakes.py" in changed.tests([path])


def test_mistakes_of_one_exercise_change_no_other() -> None:
    for file in ("shift.py", "shift.toml"):
        assert changed.exercises([f"helpers/checks/sinusoidal/{file}"]) == ["02-sinusoidal/shift"]
    assert changed.exercises(["helpers/course/export.py", "README.md"]) == []
    lesson = "source/02-sinusoidal/02-sinusoidal.py"
    assert changed.units([lesson, "README.md"]) == ["02-sinusoidal"]


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("helpers/course/export.py", "tests/course/test_export.py"),
        ("tests/web/test_text.py", "tests/web/test_text.py"),
        ("web/markdown.py", "tests/web/"),
    ],
)
def test_the_nearest_tests_come_first(path: str, nearest: str) -> None:
    assert changed.tests([path])[0].startswith(nearest)


def test_every_place_that_is_named_is_there() -> None:
    found = changed.tests(["README.md", *changed.READ_BY])
    assert all((ROOT / place).is_file() for place in found) and len(found) == len(set(found))
    assert changed.units(["helpers/course/authoring/build.py"]) == UNITS


@pytest.mark.parametrize(
    ("path", "tried"),
    [
        ("helpers/course/pages/templates/report.html", "tests/course/pages/"),
        ("helpers/course/intake/gone.py", "tests/course/intake/"),
        ("tests/web/conftest.py", "tests/web/test_figures.py"),
        ("docs/claims.md", "tests/claims/test_claims.py"),
    ],
)
def test_a_file_that_nothing_imports_has_tests_too(path: str, tried: str) -> None:
    assert any(file.startswith(tried) for file in changed.tests([path]))


MARKED = """
import pytest
def test_plain(): ...
@pytest.mark.slow
def test_slow(): ...
@pytest.mark.rotating
def test_rare(): ...
@pytest.mark.rotating
def test_rotating(): ...
"""


@pytest.mark.parametrize(("tier", "tried"), [("quick", 1), ("test", 3)])
def test_a_mark_leaves_out_what_bears_it_and_nothing_else(
    tmp_path: Path, tier: str, tried: int
) -> None:
    place = tmp_path / "test_marked.py"
    place.write_text(MARKED)
    words = ["-m", "pytest", "-q", "-p", "tests.conftest", "--rootdir", str(tmp_path), str(place)]
    there = os.environ | {"TIER": tier, "SAMPLE_SEED": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=tmp_path, env=there, capture_output=True, text=True)
    assert f"{tried} passed" in done.stdout, done.stdout
