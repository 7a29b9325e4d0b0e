"""What somebody who joins relies on: the recipes, the forms, the hooks, the list of changes."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import __version__
from helpers.course.settings import Course
from tests.common import ROOT
from tests.notebooks import smoke

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml"))
RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def _yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_all_that_repeats_what_happened(course: Course, form: Path) -> None:
    fields = {each["id"]: each for each in _yaml(str(form))["body"] if "id" in each}
    assert set(fields) == {"unit", "exercise", "answer", "shown", "why", "versions"}
    assert all(each["validations"]["required"] for each in fields.values())
    assert fields["unit"]["attributes"]["options"] == course.units()
    assert "seed" in fields["shown"]["attributes"]["description"]


def test_the_workflow_runs_a_learners_units_on_other_systems(course: Course) -> None:
    job = _yaml(".github/workflows/test.yml")["jobs"]["learner"]
    assert job["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]
    command = shlex.split(job["steps"][-1]["run"])
    assert command[:3] == ["python", "-m", smoke.__name__]
    assert command[3:] and set(command[3:]) <= set(course.units())


@pytest.mark.rotating
def test_a_learners_unit_earns_all_points_and_a_wrong_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert smoke.main([]) == 0
    assert re.search(r"00-start-here: ([1-9]\d*) of \1 points", capsys.readouterr().out)
    unit = tmp_path / "00-start-here"
    unit.mkdir()
    text = (smoke.SOLUTIONS / unit.name / f"{unit.name}.ipynb").read_text(encoding="utf-8")
    wrong = text.replace("return torch.arange(tokens", "return 1 + torch.arange(tokens")
    assert wrong != text
    (unit / f"{unit.name}.ipynb").write_text(wrong, encoding="utf-8")
    monkeypatch.setattr(smoke, "SOLUTIONS", tmp_path)
    assert smoke.main([]) == 1
    assert "00-start-here: several sentences" in capsys.readouterr().err


def test_the_recipes_name_files_that_there_are() -> None:
    paths = re.findall(r"`([\w./-]+\.(?:py|md|toml|yml|yaml))`", RECIPES)
    named = [path for path in paths if "/" in path and "name" not in path]
    assert len(named) >= 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_list_of_changes_has_this_version_and_what_comes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.MULTILINE)
    assert versions[0] == ("Unreleased", "")
    assert versions[1][0] == __version__ and versions[1][1]
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (\w+)$", text, re.MULTILINE)) <= kinds
