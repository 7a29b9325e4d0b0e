"""`make quick` looks at what has changed."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests import changed, conftest, tiers
from tests.common import ROOT, UNITS


@pytest.mark.parametrize(
    ("path", "exercise"),
    [
        ("helpers/checks/sinusoidal/table.py", "02-sinusoidal/table"),
        ("helpers/checks/learned/table.toml", "03-learned/table"),
        ("tests/checks/variants/relative.py", "04-relative/skew"),
        ("source/02-sinusoidal/02-sinusoidal.py", "02-sinusoidal/shift"),
        ("helpers/checks/engine/compare.py", "00-start-here/positions"),
    ],
)
def test_a_file_belongs_to_an_exercise(path: str, exercise: str) -> None:
    assert exercise in changed.exercises([path])
    assert "tests/checks/test_mistakes.py" in changed.tests([path])


def test_mistakes_of_one_exercise_change_no_other() -> None:
    for file in ("shift.py", "shift.toml"):
        for found in (changed.exercises, changed.asked):
            assert found([f"helpers/checks/sinusoidal/{file}"]) == ["02-sinusoidal/shift"]
    assert changed.exercises(["helpers/course/export.py", "README.md"]) == []
    assert changed.asked(["helpers/checks/engine/compare.py", "helpers/encodings/bias.py"]) == []
    lesson = "source/02-sinusoidal/02-sinusoidal.py"
    assert changed.units([lesson, "README.md"]) == ["02-sinusoidal"]


@pytest.mark.parametrize(
    ("path", "tried"),
    [
        ("helpers/course/export.py", "tests/course/test_export.py"),
        ("tests/web/test_text.py", "tests/web/test_text.py"),
        ("web/markdown.py", "tests/web/"),
        # What nothing imports has tests, too.
        ("helpers/course/pages/templates/report.html", "tests/course/pages/"),
        ("helpers/course/intake/gone.py", "tests/course/intake/"),
        ("tests/web/conftest.py", "tests/web/test_figures.py"),
        ("docs/claims.md", "tests/claims/test_claims.py"),
    ],
)
def test_a_change_has_its_tests(path: str, tried: str) -> None:
    assert any(file.startswith(tried) for file in changed.tests([path]))


def test_the_nearest_come_first_and_each_once() -> None:
    found = changed.tests(["helpers/encodings/rope_scaling.py"])
    near = [file for file in found if file.startswith("tests/encodings/")]
    assert near and found[: len(near)] == near
    found = changed.tests(["README.md", *changed.READ_BY])
    assert all((ROOT / file).is_file() for file in found) and len(found) == len(set(found))
    assert changed.units(["helpers/course/authoring/build.py"]) == UNITS


def test_in_a_rotating_test_all_of_a_sample_comes_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "NIGHTLY", False)
    tried = set[int]()
    for seed in range(0, 24 * tiers.ROTATION, tiers.ROTATION):  # those that choose the same group
        monkeypatch.setenv("SAMPLE_SEED", str(seed))
        assert tiers.rotated(range(tiers.ROTATION)) == [0]
        tried |= {*tiers.sample(range(4), 4)}
    assert tried == {*range(4)}


def test_of_changed_checks_all_that_is_known_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "_changed", lambda: {"05-after-bert/turn"})
    monkeypatch.setattr(tiers, "NIGHTLY", False)
    found = tiers.known(lambda unit, each: [(unit, each.name, n) for n in range(3)], 99)
    assert {n for unit, name, n in found if name == "turn"} == {0, 1, 2}
    assert len(found) < 9 and len({name for _, name, _ in found}) > 1


def _item(name: str, mark: pytest.Mark | None) -> Mock:
    """As much of a test as the choice asks for."""
    found = Mock(nodeid=f"tests/test_x.py::{name}", path=Path("tests/test_x.py"))
    found.get_closest_marker = lambda kind: mark if mark and mark.name == kind else None
    return found


SLOW, ROTATING, SITE = (pytest.mark.slow, pytest.mark.rotating, pytest.mark.rotating("site"))
MARKED = {"plain": None, "slow": SLOW, "a[1]": ROTATING, "b[1]": ROTATING, "b[2]": ROTATING}
MARKED |= {"c": SITE, "d": SITE}


@pytest.mark.parametrize(
    ("tier", "path", "kept"),
    [
        ("quick", "web/conf.py", "plain"),
        ("test", "README.md", "plain slow b[1] b[2]"),
        ("test", "web/conf.py", "plain slow b[1] b[2] c d"),
        ("test", "tests/test_x.py", " ".join(MARKED)),
        ("nightly", "README.md", " ".join(MARKED)),
    ],
)
def test_a_mark_leaves_out_what_bears_it_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tier: str, path: str, kept: str
) -> None:
    monkeypatch.setenv("SAMPLE_SEED", "1")
    monkeypatch.setattr(conftest, "TIER", tier)
    monkeypatch.setattr(tiers, "NIGHTLY", tier == "nightly")
    monkeypatch.setattr(changed, "paths", lambda: [path])
    items: Any = [_item(name, mark.mark if mark else None) for name, mark in MARKED.items()]
    left_out = conftest._left_out(items)
    found = [each.nodeid.partition("::")[2] for each in items if each not in left_out]
    assert found == kept.split()
