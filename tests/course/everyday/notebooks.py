"""Everyday notebooks: the rows of rows.toml, those that take some Python, and platforms' zips."""

from __future__ import annotations

# ruff: noqa: E501
import copy
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from tests.course.everyday.cells import (
    essay_as_code,
    large_outputs,
    named_by_editor,
    of_colab,
    of_kind,
    old_format,
    without_marker,
    without_metadata,
)
from tests.course.everyday.rows import of_table, row
from tests.course.everyday.work import (
    Work,
    above,
    answers,
    before,
    beside,
    checks,
    doubled,
    each_cell,
    edited,
    in_zip,
    metadata,
    released,
    without_checks,
    written,
    zipped,
)

HALVED = "def half(x):\n    return x / 2\n"


def _conflicted(text: str) -> str:
    """Write a merge's lines into a file, both sides the same."""
    lines = text.split("\n")
    third = len(lines) // 3
    both = lines[third : third + 3]
    merge = ["<<<<<<< HEAD", *both, "=======", *both, ">>>>>>> abc"]
    return "\n".join([*lines[:third], *merge, *lines[third + 3 :]])


def _given_first(work: Work) -> None:
    """Exchange the halves of a doubled notebook, the first of which is as it was given."""
    work.cells[: len(work.cells) // 2] = released(work.unit)["cells"]


def _counted(work: Work) -> None:
    """Give the cells counters that fall."""
    counter = count(100, -1)
    for cell in work.cells:
        if "execution_count" in cell:
            cell["execution_count"] = next(counter)


ROWS = [
    *of_table(),
    *(
        row(
            f"the default device is {device}",
            "02",
            above(1, f'torch.set_default_device("{device}")'),
        )
        for device in ("meta", "cuda", "mps")
    ),
    *(
        row(
            f"handed in at {zone}",
            "02",
            beside("timestamp.txt", f"2026-07-01 10:00:00.000000 {zone}"),
            never="time",
        )
        for zone in ("CEST", "PDT", "MSK", "Europe/Berlin")
    ),
    row(
        "all cells again, the answers behind",
        "02",
        doubled(solved=True),
        _given_first,
        says="cells of this name",
    ),
    row(
        "lines without line ends",
        "02",
        each_cell(lambda cell: cell.update(source=cell["source"].splitlines())),
        says="line ends",
    ),
    row(
        "a module of their own in the zip",
        "02",
        above(1, "from mine import half"),
        edited(1, lambda source: source.replace("2 * math.pi *", "half(4) * math.pi *")),
        beside("mine.py", HALVED),
        in_zip(),
    ),
    row("a merge's lines in the file", "02", written(_conflicted), says="merge conflict"),
    row(
        "a web page",
        "02",
        written(lambda _: "<!DOCTYPE html><html><body>notebook</body></html>"),
        points=0,
        says="web page.*download",
        never="Expecting",
    ),
    row(
        "a PDF",
        "02",
        written(lambda _: "%PDF-1.7"),
        points=0,
        says="PDF.*download",
        never="Expecting",
    ),
    row("no-break spaces", "02", edited(1, lambda source: source.replace("    ", "\u00a0" * 4))),
    row("carriage returns", "02", edited(2, lambda source: source.replace("\n", "\r"))),
    row(
        "a part of an answer in a cell of its own",
        "02",
        before(
            1,
            "def my_exponents(d_model):\n    return torch.arange(0, d_model, 2, dtype=torch.float64)",
        ),
        edited(
            1,
            lambda source: source.replace(
                "torch.arange(0, d_model, 2, dtype=torch.float64)", "my_exponents(d_model)"
            ),
        ),
    ),
    row(
        "the imports come twice, once at the end",
        "02",
        lambda work: work.cells.append(copy.deepcopy(work.imports)),
    ),
    row(
        "notes of their own",
        "02",
        lambda work: work.cells.insert(
            9,
            {
                "cell_type": "markdown",
                "metadata": {},
                "id": "notes",
                "source": "# My *notes*\n<b>and</b> $x$",
            },
        ),
    ),
    row("run in another order", "02", lambda work: _counted(work)),
    row("no checks", "02", without_checks),
    # vscode-jupyter 2325 and 5933
    row("an editor took metadata and ids away", "00", each_cell(without_metadata)),
    # nbdev 206
    row(
        "saved by Colab",
        "00",
        each_cell(of_colab),
        metadata(colab={"provenance": [], "toc_visible": True}, accelerator="GPU"),
    ),
    # jupyter-collaboration 594
    row("a cell's text doubled", "01", edited(2, lambda source: source + source)),
    # nbgrader 92
    row(
        "a check made text",
        "03",
        lambda work: of_kind("markdown", work.check(1)),
        says="another kind of cell",
    ),
    # nbgrader's own test of changed kinds of cells
    row(
        "an answer made raw",
        "03",
        lambda work: of_kind("raw", work.answer(4)),
        says="another kind of cell",
    ),
    # nbgrader's own tests of older versions of its metadata
    row("saved in format 3", "04", written(old_format), says="old notebook format"),
    # nbgrader's own test of changed locked cells
    row(
        "checks made comments",
        "04",
        checks(lambda cell: cell.update(source=cell["source"].replace("\ncheck", "\n# check"))),
        says="edited",
    ),
    # nbgrader 424
    row(
        "answers without metadata, ids and first lines",
        "05",
        answers(without_metadata),
        answers(without_marker),
    ),
    # nbviewer 799
    row(
        "an answer as a form",
        "05",
        above(3, '#@title Exercise 3 { display-mode: "form" }\nheads = 8 #@param {type:"integer"}'),
        each_cell(lambda cell: cell["metadata"].update(cellView="form")),
        metadata(kernelspec={}),
    ),
    # nbgrader 1941
    row("the essay made code", "06", essay_as_code, says="another kind of cell"),
    # otter-grader 524 and 928
    row("saved in UTF-16", "07", written(lambda text: text.encode("utf-16")), says="utf-16"),
    # otter-grader 380
    row(
        "a mark of the encoding, line ends of Windows",
        "09",
        written(
            lambda text: text.replace("\\n", "\\r\\n").replace("\n", "\r\n").encode("utf-8-sig")
        ),
    ),
    # vscode 143396
    row("all cells with the same id", "09", each_cell(named_by_editor)),
    # Syllabus-2022-2 174
    row(
        "a zip with what a Mac adds",
        "10",
        lambda work: work.beside.update(
            {"{who}/__MACOSX/._{unit}.ipynb": b"\0\5\26\7", "{who}/.DS_Store": b"\0"}
        ),
        in_zip(),
    ),
    # nbgrader 138
    row("outputs of thousands of lines", "10", each_cell(large_outputs)),
]


class Archive(NamedTuple):
    """A platform's zip: what is in it, who has handed in, and the list of groups, if any."""

    content: Callable[[], bytes]
    students: set[str]
    platform: str = ""
    groups: str = ""


def _platforms(*paths: str) -> bytes:
    """Return a zip of perfect notebooks of unit 00, each at a path."""
    content = next(iter(Work("00").files("").values()))
    return zipped(dict.fromkeys(paths, content))


ARCHIVES = {
    "names of an old program": Archive(
        lambda: _platforms("Ivan-Petrov_77_assignsubmission_file_/00-start-here.ipynb").replace(b"Ivan-Petrov", "Иван Петров".encode("cp866")),
        {"Иван-Петров-77"},
        "moodle",
    ),
    "paths of Windows": Archive(
        lambda: _platforms("ada\\00-start-here\\00-start-here.ipynb", "bob\\00-start-here\\00-start-here.ipynb"),
        {"ada", "bob"},
    ),
    "a group": Archive(
        lambda: _platforms("Team Blue_9_assignsubmission_file_/00-start-here.ipynb", "zoe_5_assignsubmission_file_/00-start-here.ipynb"),
        {"ada", "bob", "zoe-5"},
        "moodle",
        "group,student\nTeam Blue,ada\nTeam Blue,bob\n",
    ),
}  # fmt: skip
