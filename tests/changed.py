"""What `make quick` tries: what uncommitted changes can break, or those of the last commit.

Tests are found by what they import, the nearest first; exercises by what their checks import, and
by the lesson of their unit.
"""

import re
import subprocess
from functools import cache

import grimp

from helpers import checks
from tests.common import ROOT, UNITS

NEAREST = 40  # files of tests; those further off import nearly everything
FEW = 8  # exercises of which all answers can be tried in a minute
ASKING = ["tests/checks", "tests/promises", "tests/probes"]
BUILT = ("source/", "notebooks/", "solutions/")
# Files that no test imports, and the tests that read them.
READ_BY = {
    "source/": ["tests/promises", "tests/course/authoring", "tests/notebooks"],
    "solutions/": ["tests/notebooks"],
    "benchmarks/results/": ["tests/benchmarks", "tests/notebooks", "tests/claims", "tests/web"],
    "docs/": ["tests/web/test_text.py", "tests/encodings/test_oracles.py", "tests/claims"],
    "docs/grading.md": ["tests/course/grading/test_exchange.py"],
    "docs/starting.md": ["tests/course/test_commands.py"],
    "web/": ["tests/web"],
    "Makefile": ["tests/course/test_commands.py", "tests/project"],
    "nbgrader_config.py": ["tests/course/grading", "tests/course/authoring"],
    "pyproject.toml": ["tests/course/test_doctor.py"],
}


def paths() -> list[str]:
    """Return the files that differ from the last commit; where none does, those that it changed."""
    return _uncommitted() or _git("diff", "--no-renames", "--name-only", "HEAD~1", "HEAD").split()


def tests(changed: list[str]) -> list[str]:
    """Return the nearest files of tests that read or import changed files.

    First those that have changed, then those in the folder of the same name, and of each of these
    those that import a change most directly; tests of the project itself stand at the end.
    """
    graph = _imports()
    reached = [name for path in changed for name in _modules(path)]
    for module in reached:  # which grows by all that import it
        reached += sorted(graph.find_modules_that_directly_import(module) - set(reached))
    found = [f"{each.replace('.', '/')}.py" for each in reached if ".test_" in each]
    for module in reached:
        if module.endswith(".conftest"):  # which sets up all tests of its folder
            found.append(module.rpartition(".")[0].replace(".", "/"))
    for place, read_by in READ_BY.items():
        found += read_by if any(path.startswith(place) for path in changed) else []
    near = tuple(map(_tested_in, changed))
    found.sort(key=lambda file: (file not in changed, not file.startswith(near)))
    asked = exercises(changed)
    asking = ASKING if asked else []
    places = [*asking, *found] if len(asked) <= FEW else [*found, *asking]
    files = list(dict.fromkeys(file for place in places for file in _files(place)))[:NEAREST]
    return list(dict.fromkeys([*files, *_files("tests/project")]))


def _tested_in(path: str) -> str:
    """Return the folder of tests that is named as a file's: "tests/encodings"."""
    inside = path.removeprefix("helpers/").removeprefix("tests/")
    return f"tests/{inside}".rpartition("/")[0]


def _files(place: str) -> list[str]:
    """Return a file of tests, or those of a folder."""
    below = sorted((ROOT / place).rglob("test_*.py"))
    return [path.relative_to(ROOT).as_posix() for path in below] or [place]


def exercises(changed: list[str]) -> list[str]:
    """Return the exercises whose questions, answers or text have changed: "02-sinusoidal/table"."""
    return [f"{unit}/{name}" for unit in UNITS for name in sorted(_of_unit(unit, changed))]


def asked(changed: list[str]) -> list[str]:
    """Return the exercises whose own checks, or known answers, have changed."""
    own = re.compile(r"helpers/checks/(?!engine/)\w+/|tests/checks/variants/")
    return exercises([path for path in changed if own.match(path)])


def units(changed: list[str]) -> list[str]:
    """Return the units whose source or notebooks have changed; all if what builds them has."""
    if any(path.startswith("helpers/course/authoring/") for path in changed):
        return UNITS
    folders = {path.split("/")[1] for path in changed if path.startswith(BUILT)}
    return [unit for unit in UNITS if unit in folders]


@cache
def _imports() -> grimp.ImportGraph:
    return grimp.build_graph("helpers", "tests", "benchmarks", "web", cache_dir=None)


def _of_unit(unit: str, changed: list[str]) -> set[str]:
    package = checks.package(unit)
    folder = package.rsplit(".", 1)[1]
    names = set(checks.exercises(unit))
    whole = (
        f"source/{unit}/",
        f"helpers/checks/{folder}/__init__.py",
        f"tests/checks/variants/{folder}.py",
    )
    if any(path.startswith(whole) for path in changed):
        return names
    modules = [name for path in changed for name in _modules(path)]
    above = {each for name in modules for each in (name, *_imports().find_downstream_modules(name))}
    return {name for name in names if f"{package}.{name}" in above}


def _modules(path: str) -> list[str]:
    """Return the module of a file, or of the file of mistakes beside it.

    For another file of data, or one that is gone, return those of its folder.
    """
    known = _imports().modules
    name = path.removesuffix(".toml").removesuffix(".py").removesuffix("/__init__")
    name = name.replace("/", ".")
    if name in known:
        return [name]
    while path.startswith(("helpers/", "tests/")) and "/" in path:
        path = path.rpartition("/")[0]
        folder = path.replace("/", ".")
        if found := sorted(each for each in known if each.rpartition(".")[0] == folder):
            return found
    return []


def _uncommitted() -> list[str]:
    now = _git("diff", "--no-renames", "--name-only", "HEAD").split()
    return now + _git("ls-files", "--others", "--exclude-standard").split()


def _git(*command: str) -> str:
    """Return what git prints; nothing where there is no git, or no such commit."""
    try:
        return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True).stdout
    except OSError:
        return ""
