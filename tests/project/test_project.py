"""The files around the code agree with each other and with what they say."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from helpers.checks import sinusoidal as check
from helpers.course.settings import TRIED
from tests.common import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _locked() -> dict[str, str]:
    names = ("requirements.lock", "requirements-no-deps.lock")
    text = "\n".join((ROOT / name).read_text() for name in names)
    pins = re.findall(r"^([^#\n]+)==(.+)$", text, re.MULTILINE)
    return {_name(name): version for name, version in pins}


def _name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_is_locked_within_its_range() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(extras) == {"lab", "grading", "site", "test"}
    locked = _locked()
    assert locked["torch"] == "2.13.0"
    for text in [*PROJECT["dependencies"], *(each for extra in extras.values() for each in extra)]:
        need = Requirement(text)
        assert locked[_name(need.name)] in need.specifier, text


def _imported(path: Path) -> set[str]:
    """The packages that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found - {*sys.stdlib_module_names, "helpers", "tests", "benchmarks", "web", "d2l"}


# The extras that a folder may import besides what every learner has.
EXTRAS = {
    "helpers": (),
    "helpers/course": ("lab", "grading"),
    "web": ("lab", "grading", "site"),
    "benchmarks": ("lab", "grading", "site", "test"),
    "tests": ("lab", "grading", "site", "test"),
}


def test_what_is_imported_is_declared() -> None:
    owners = metadata.packages_distributions()
    for folder, extras in EXTRAS.items():
        asked = [*PROJECT["dependencies"]]
        asked += [each for extra in extras for each in PROJECT["optional-dependencies"][extra]]
        declared = {_name(Requirement(text).name) for text in asked}
        for path in (ROOT / folder).rglob("*.py"):
            if folder != "helpers" or "course" not in path.relative_to(ROOT).parts:
                for name in _imported(path):
                    mine = {_name(each) for each in owners.get(name, [name])}
                    assert mine & declared, (path, name)


def test_a_learners_commands_import_what_a_learner_has() -> None:
    """Where nothing is installed for grading: at the top of no module that they import."""
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["lab"]]
    there = {Requirement(text).name for text in asked} | {"ipykernel", "nbconvert", "nbclient"}
    gone = {Requirement(text).name.replace("-", "_") for text in extras["grading"]} - there
    gone -= {"jinja2", "markupsafe", "matplotlib_inline", "pygments", "traitlets"}  # JupyterLab's
    without = f"import sys; sys.modules |= dict.fromkeys({sorted(gone)})"
    modules = ("servers", "work", "doctor", "cli", "intake.repair")
    command = f"{without}; import {', '.join(f'helpers.course.{each}' for each in modules)}"
    subprocess.run([sys.executable, "-c", command], cwd=ROOT, check=True)


def test_everywhere_the_same_versions_are_installed() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["channels"] == ["conda-forge"]
    # Binder reads one version only, and takes an old Python where it finds a range.
    [python] = [each for each in environment["dependencies"] if each.startswith("python")]
    assert python.removeprefix("python=") in SpecifierSet(PROJECT["requires-python"])
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    container = json.loads(re.sub(r"^ *//.*", "", text, flags=re.MULTILINE))
    assert container["image"].endswith(f":{python.removeprefix('python=')}")
    make, target, flags = shlex.split(container["postCreateCommand"])
    assert make == "make" and flags.removeprefix("PIP_FLAGS=") in (ROOT / "postBuild").read_text()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"\n{target}: " in makefile and f"PORT ?= {container['forwardPorts'][0]}\n" in makefile
    for path in ("Makefile", "postBuild", "environment.yml", "docs/starting.md"):
        text = (ROOT / path).read_text(encoding="utf-8")
        for words in ("-c requirements.lock -e", "--no-deps -r requirements-no-deps.lock"):
            assert words in text, path
    assert os.access(ROOT / "postBuild", os.X_OK)  # repo2docker refuses it otherwise


def test_a_page_says_why_each_dependency_is_there() -> None:
    readme = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(each for extra in extras for each in extra), "d2l"]:
        assert f"`{Requirement(text).name}`" in readme, text


def test_the_pythons_that_are_said_to_be_tried_are() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    tried = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert (tried[0], tried[-1]) == tuple(f"{major}.{minor}" for major, minor in TRIED)


def test_readme_begins_with_a_picture_that_moves_and_loads_quickly() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = {path: alt for alt, path in re.findall(r"!\[([^]]+)\]\(([^)]+)\)", text)}
    first = next(iter(pictures))
    assert first == "docs/swap.svg" and (ROOT / first).stat().st_size <= 500_000
    assert "change places" in pictures[first]
    alt = pictures["docs/jupyterlab.png"]
    [forgotten] = [each for each in check.table.mistakes if each.name == "base forgotten"]
    report = check.table(forgotten.answer)
    assert f"{report.earned:g} of {report.points:g} points" in alt
    assert f"“Hint: {report.hints[0]}”" in " ".join(alt.split())


SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "citation-file-format": "CITATION.cff",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/*-*.yml",
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_follow_their_published_schema(schema: str) -> None:
    files = map(str, ROOT.glob(SCHEMAS[schema]))
    arguments = ["--builtin-schema", f"vendor.{schema}", *files]
    assert check_jsonschema(arguments, standalone_mode=False) == 0


def test_the_workflow_and_ci_run_the_readmes_command() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    job = workflow["jobs"]["test"]
    first = re.findall(r"'([^']+)'", job["steps"][-1]["run"])[0]
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text())
    assert nightly["jobs"]["everything"]["steps"][-1]["run"] == "make nightly"
    supported = PROJECT["requires-python"]
    assert all(each in SpecifierSet(supported) for each in job["strategy"]["matrix"]["python"])
    assert job["strategy"]["matrix"]["python"][0] == first
    assert f">={first}" == supported
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line.split(" #")[0] for line in lines[-2:]] == ["make test", "make plain"]
    assert "make test" in (ROOT / "README.md").read_text()


def test_no_file_is_long() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.split():
        if not name.startswith("source/"):
            assert len((ROOT / name).read_text().splitlines()) <= 310, name
