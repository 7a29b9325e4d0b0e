"""Imports run one way only, the picture shows them, and the page names what there is."""

import re

from importlinter import cli

from tests.common import ROOT
from tests.project import architecture


def test_imports_run_one_way_only() -> None:
    assert cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_the_picture_shows_what_the_imports_say() -> None:
    graph = architecture.packages()
    stale = "run: python -m tests.project.architecture"
    assert architecture.PATH.read_text(encoding="utf-8") == architecture.svg(graph), stale


def test_the_page_names_what_there_is() -> None:
    """Files by their path, functions and classes by one that some file defines."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    modules = sorted((ROOT / "helpers").rglob("*.py"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in modules)
    found = re.findall(r"`([^`\n]+)`", page)
    paths = [each for each in found if re.fullmatch(r"[\w./-]+/[\w./-]*", each)]
    assert [each for each in paths if not (ROOT / each).exists()] == []
    names = [
        part for each in found if re.fullmatch(r"[\w.]+\(\)", each) for part in each.split(".")
    ]
    defined = set(re.findall(r"(?:def|class) (\w+)|(\w+) = Exercise\(", code))
    known = {name for pair in defined for name in pair} | {path.stem for path in modules}
    assert [each for each in names if each.removesuffix("()") not in known] == []
