"""The files around the code agree with each other and with what they say."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from helpers.checks import sinusoidal as check
from helpers.checks.sinusoidal.table import table_base_forgotten
from helpers.course.authoring import overview, source
from helpers.course.settings import Course
from tests.common import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _locked() -> dict[str, str]:
    lines = [
        line.split("==")
        for name in ("requirements.lock", "requirements-no-deps.lock")
        for line in (ROOT / name).read_text().splitlines()
        if line and not line.startswith("#")
    ]
    return {_name(name): version for name, version in lines}


def _name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_is_locked_within_its_range() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(extras) == {"lab", "grading", "test"}
    locked = _locked()
    assert locked["torch"] == "2.13.0"
    for text in [*PROJECT["dependencies"], *(each for extra in extras.values() for each in extra)]:
        need = Requirement(text)
        assert locked[_name(need.name)] in need.specifier, text


def test_conda_installs_the_same_versions() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["channels"] == ["conda-forge"]
    *base, pip = environment["dependencies"]
    assert pip == {"pip": ["-r requirements.lock"]}
    assert f"python {PROJECT['requires-python']},<3.14" in base


def test_readme_says_why_each_dependency_is_there() -> None:
    readme = (ROOT / "README.md").read_text()
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(each for extra in extras for each in extra), "d2l"]:
        assert f"`{Requirement(text).name}`" in readme, text


def test_readme_has_the_generated_table_of_units(course: Course) -> None:
    assert overview.as_markdown(course) in (ROOT / "README.md").read_text()


def test_readme_shows_what_a_check_answers() -> None:
    report = str(check.table(table_base_forgotten))
    shown = report.replace("table_base_forgotten", "sinusoidal_table")
    assert shown in (ROOT / "README.md").read_text()


def test_the_points_of_ten_units_are_a_hundred(course: Course) -> None:
    points = [source.points(source.read(course.text(unit))) for unit in course.units()]
    assert (len(points), sum(points)) == (10, 100)


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("vendor.github-workflows", ".github/workflows/test.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/right-answer-refused.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/wrong-answer-passed.yml"),
    ],
)
def test_files_follow_their_published_schema(schema: str, path: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_workflow_and_ci_run_the_readmes_command() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    job = workflow["jobs"]["test"]
    assert job["steps"][-1]["run"] == "make test"
    supported = PROJECT["requires-python"]
    assert all(each in SpecifierSet(supported) for each in job["strategy"]["matrix"]["python"])
    assert f">={job['strategy']['matrix']['python'][0]}" == supported
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line.split(" #")[0] for line in lines[-2:]] == ["make test", "make plain"]
    assert "make test" in (ROOT / "README.md").read_text()


def test_make_help_lists_the_targets() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in ("demo", "test", "lab", "grade", "build", "study", "bench", "table"):
        assert f"make {target}" in done.stdout


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("no-such-python", "There is no no-such-python"),
        ("old", "is too old; the course needs 3.11"),
        ("bare", "has no venv module"),
    ],
)
def test_installing_says_what_is_missing(tmp_path: Path, python: str, words: str) -> None:
    for name, answers in {"old": "1", "bare": "0"}.items():
        fake = tmp_path / name  # old: too old for anything; bare: new enough, without venv
        fake.write_text(
            f'#!/bin/sh\ncase "$*" in *version_info*) exit {answers};; --version) echo Python 3.9;;'
            " *) exit 1;; esac\n"
        )
        fake.chmod(0o755)
    chosen = python if python.startswith("no") else str(tmp_path / python)
    done = subprocess.run(
        ["sh", "tools/install.sh", str(tmp_path / "venv")],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHON": chosen},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert words in done.stderr
    assert not (tmp_path / "venv").exists()


def test_without_internet_it_says_so_and_can_go_on(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "tools/install.sh", str(tmp_path / "venv")],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
        | {"PIP_CONFIG_FILE": "/dev/null"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "Is there internet and disk space?" in done.stderr
    assert "run the same command again" in done.stderr


def test_no_file_is_long() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.split():
        if not name.startswith("source/"):
            assert len((ROOT / name).read_text().splitlines()) <= 310, name
