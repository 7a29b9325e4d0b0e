"""The builder: deterministic, careful, and telling where a notebook has drifted."""

import dataclasses
import json
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from helpers.course.authoring import build, contents
from helpers.course.authoring.published import set_up
from helpers.course.cli import main
from helpers.course.settings import Course, CourseError
from tests.common import LESSON, UNITS

UNIT = "01-tiny"
LISTED = """
from helpers.checks.tiny.double import double

__all__ = [
    "double",
]
"""


def _read(folder: Path, unit: str = UNIT) -> nbformat.NotebookNode:
    return nbformat.read(folder / unit / f"{unit}.ipynb", as_version=4)


def test_learners_get_no_answer_and_no_hidden_test(tiny: Course) -> None:
    build.build(tiny, [UNIT])
    released, solved = (nbformat.writes(_read(each)) for each in (tiny.notebooks, tiny.solutions))
    assert "2 * x" not in released and "2 * x" in solved and "BEGIN SOLUTION" not in solved
    assert "seed=1" not in released + solved
    assert "Twice x." in released and "# your lines here" in released
    assert "YOUR CODE HERE" not in released  # nbgrader's own shouts
    assert {path.name for path in tiny.notebooks.rglob("*") if path.is_file()} == {f"{UNIT}.ipynb"}
    marks = {c.id: c.metadata.get("nbgrader", {}) for c in _read(tiny.notebooks).cells}
    assert marks["double"].solution and not marks["double"].grade
    assert marks["double-test"].points == 2 and marks["double-test"].locked


def test_a_cell_that_only_draws_is_folded_with_its_picture_in_sight(tiny: Course) -> None:
    tiny.text(UNIT).write_text(f'{LESSON}\n# %% tags=["figure"]\n6 * 7\n\n# %%\n1 + 1\n')
    build.build(tiny, [UNIT])
    for folder in (tiny.notebooks, tiny.solutions):
        hidden, seen = _read(folder).cells[-3:-1]
        assert hidden.source == "# This cell shows a result; its code is folded.\n6 * 7"
        assert hidden.metadata["jupyter"] == {"source_hidden": True}  # JupyterLab and VS Code
        assert hidden.metadata["cellView"] == "form"  # Colab
        assert "jupyter" not in seen.metadata
    assert hidden.outputs[0].data["text/plain"] == "42"


def test_an_edit_changes_no_other_cell_id(tiny: Course) -> None:
    def ids(text: str) -> list[str]:
        tiny.text(UNIT).write_text(text)
        return [cell.id for cell in build.make(tiny, UNIT, tiny.root / "made").released.cells]

    before = ids(LESSON)
    after = ids(LESSON.replace("# Write it.", "# Write it well.\n\n# %%\nimport math"))
    assert len(set(before)) == len(before)
    assert len(set(before) - set(after)) == 1
    *_, one, other, _end = ids(LESSON + "\n# %%\n1 + 1\n\n# %%\n1 + 1\n")
    assert other == f"{one}-1"


def test_drift_is_named(
    tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tiny.root)
    (tiny.root / "README.md").write_text("# Tiny\n\n| unit | exercises |\n| old |\n\nMore.\n")
    mistakes = tiny.root / "helpers/checks/tiny/double.toml"
    mistakes.parent.mkdir(parents=True)
    mistakes.touch()
    assert main(["build", "--check"]) == 1  # nothing is built yet
    assert main(["build"]) == 0
    assert f"{UNIT}: its solution ran in" in capsys.readouterr().out
    readme = tiny.root / "README.md"
    assert readme.read_text().endswith("| Twice | 2 | 2 |\n| | | | 2 |\n\nMore.\n")
    assert (mistakes.parent / "__init__.py").read_text().endswith(LISTED)
    (tiny.notebooks / ".DS_Store").touch()
    assert main(["build", "--check"]) == 0
    path = tiny.solutions / UNIT / f"{UNIT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[3].execution_count = None
    nbformat.write(notebook, path)
    assert build.drift(tiny, [UNIT]) == [f"{path}: not executed"]
    titles = tiny.root / contents.PLACE
    told = {"points": 2, "by_hand": 0, "titles": {"double": "Twice"}}
    assert json.loads(titles.read_text()) == {UNIT: told}
    titles.write_text(titles.read_text().replace("Twice", "Thrice"))
    mistakes.with_name("triple.toml").touch()
    (tiny.notebooks / "99-stray").mkdir()
    tiny.text(UNIT).write_text(LESSON.replace("Write it.", "Write it now."))
    capsys.readouterr()
    assert main(["build", "--check"]) == 1
    printed = capsys.readouterr().out
    assert f"notebooks/{UNIT}/{UNIT}.ipynb: not what its source says" in printed
    assert "99-stray: has no source" in printed
    assert printed.count("not what the sources say") == 2  # the titles, and the list of checks


@pytest.mark.rotating
@pytest.mark.parametrize("wrong", ["1 / 0", "import sys; print('x', file=sys.stderr)"])
def test_a_solution_that_fails_leaves_nothing_behind(tiny: Course, wrong: str) -> None:
    tiny.text(UNIT).write_text(LESSON + f"\n# %%\n{wrong}\n")
    with pytest.raises(CourseError, match="a solution") as raised:
        build.build(tiny, [UNIT])
    assert "\x1b" not in str(raised.value)
    assert not list(tiny.root.rglob("*.ipynb"))


def test_a_solution_runs_with_the_helpers_that_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (other := tmp_path / "other" / "helpers").mkdir(parents=True)
    (other / "__init__.py").write_text("raise ImportError('those of the other copy')")
    monkeypatch.setattr(build, "HELPERS", other)
    solution = v4.new_notebook(cells=[v4.new_code_cell("import helpers")])
    with pytest.raises(CourseError, match="those of the other copy"):
        build.run(UNIT, solution, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("points=2", "points=4", ['00-start-here.py:101: test="positions" has points=4',
                                  "add up to 2; write points=2"]),
        ("check.positions(", "check.place(", ["there is no check.place, but "]),
        ("check.positions(", "check(", ["start-here.py:101: ", "check.EXERCISE(ANSWER, seed=NUM"]),
        pytest.param(
            "    ### BEGIN SOLUTION", "    ### BEGIN SOLUTION\n    return 7",
            ["00-start-here: a solution loses points", "positions: 0 of 2 points", "found 7"],
            marks=pytest.mark.rotating,
        ),
    ],
)  # fmt: skip
def test_a_right_answer_has_all_points(
    course: Course, tiny: Course, old: str, new: str, told: list[str]
) -> None:
    path, text = tiny.text(UNITS[0]), course.text(UNITS[0]).read_text()
    assert old in text
    path.parent.mkdir()
    path.write_text(text.replace(old, new))
    with pytest.raises(CourseError) as error:
        build.build(tiny, [UNITS[0]])
    assert all(each in str(error.value) for each in told), str(error.value)
    assert not list(tiny.root.rglob("*.ipynb"))


@pytest.mark.parametrize("work", ["run", "written", "conflict"])
def test_work_in_a_released_notebook_is_spared(tiny: Course, work: str) -> None:
    for _ in range(2):  # the second time over what is as it was
        build.build(tiny, [UNIT], execute=False)
    path = tiny.notebooks / UNIT / f"{UNIT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    if work == "run":
        notebook.cells[1].execution_count = 1
    elif work == "written":
        notebook.cells[3].source += "\n    return 2 * x  # hours of work"
    nbformat.write(notebook, path)
    if work == "conflict":
        path.write_text("<<<<<<< HEAD\n" + path.read_text())
    before = path.read_bytes()
    with pytest.raises(CourseError, match="move it away"):
        build.build(tiny, [UNIT], execute=False)
    assert path.read_bytes() == before


def test_a_notebook_says_where_it_stands_and_leads_to_the_next(
    tiny: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    later = "02-later"
    tiny.text(later).parent.mkdir()
    tiny.text(later).write_text(LESSON.replace("A tiny unit", "02 · Later"))
    named = {"owner": "someone", "repository": "order", "release": "v1"}
    published = dataclasses.replace(tiny, wheel="order_matters-0.1-py3.whl", **named)  # type: ignore[arg-type]
    first, last, shared = (
        build.make(course, unit, tiny.root / "made").released.cells
        for course, unit in ((tiny, UNIT), (tiny, later), (published, UNIT))
    )
    told = "(1 of 2) · 1 exercise · 2 points · about 2 minutes to solve"
    terms = "[glossary](../../docs/glossary.md)*"
    assert f"# A tiny unit\n\n*Unit 01 {told} · {terms}" in first[0].source
    assert f"before this: [A tiny unit](../{UNIT}/{UNIT}.ipynb) · {terms}" in last[0].source
    assert f"Next: [02 · Later](../{later}/{later}.ipynb)" in first[-1].source
    assert "last unit" in last[-1].source and "](" not in last[-1].source
    for cell in (first[0], first[-1], last[0], last[-1]):
        assert "nbgrader" not in cell.metadata
    assert f"github/someone/order/blob/v1/notebooks/{later}/{later}.ipynb" in shared[-1].source
    binder = f"mybinder.org/v2/gh/someone/order/v1?urlpath=lab/tree/notebooks/{UNIT}"
    assert binder in shared[0].source
    assert f"someone/order/blob/v1/notebooks/{UNIT}/{UNIT}.ipynb" in shared[0].source  # Colab
    assert shared[2].source == set_up(published)
    build.build(tiny, [UNIT], execute=False)
    assert "No Colab badge" in capsys.readouterr().out and "colab-badge" not in first[0].source


def test_commands_say_what_is_wrong_in_one_line(
    tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*arguments: str) -> str:
        assert main(list(arguments)) == 1
        return capsys.readouterr().err.strip()

    monkeypatch.chdir(tiny.root)
    assert told("build", "07-no") == "no unit 07-no; there are 01-tiny"
    assert "neither a folder nor a zip" in told("grade", "nowhere")
    project = tiny.root / "pyproject.toml"
    project.write_text("[tool.course]\nowned = 1\n")
    assert "pyproject.toml: [tool.course] cannot be read" in (said := told("build"))
    assert "'owned'" in said
    project.write_text("[tool.course]\n")
    (tiny.root / "helpers").mkdir()
    (tiny.root / "helpers" / "__init__.py").write_text("ADAPTED = True")
    assert f"the checks in {tiny.root} are others" in told("build")
    project.unlink()
    assert "not inside a checkout" in told("build")


def test_a_full_disk_is_said_plainly_and_the_old_file_stays(
    tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tiny.root)
    assert main(["build", "--no-execute"]) == 0
    before = (tiny.notebooks / UNIT / f"{UNIT}.ipynb").read_bytes()

    def full(self: Path, *_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    tiny.text(UNIT).write_text(LESSON.replace("Write it.", "Write it now."))
    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(["build", "--no-execute"]) == 1
    assert "free some space" in capsys.readouterr().err
    assert (tiny.notebooks / UNIT / f"{UNIT}.ipynb").read_bytes() == before
    assert not list(tiny.root.rglob("*.new"))
