"""Everyday notebooks: what was seen to cost marks, and habits beside the answers."""

from __future__ import annotations

# ruff: noqa: E501
from collections.abc import Callable
from typing import NamedTuple

from tests.course.everyday.habits import HABITS
from tests.course.everyday.rows import row
from tests.course.everyday.work import (
    Work,
    above,
    before,
    beside,
    called,
    doubled,
    each_cell,
    edited,
    in_zip,
    inside,
    on_top,
    released,
    written,
    zipped,
)

LIVE = """\
from IPython.display import clear_output
for n in range(60):
    clear_output(wait=True)
    plt.plot([n, 1, 2]); plt.show()"""
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


SEEN = [
    row("nothing but the answers", "02"),
    row(
        "a package that is not there, below one that is",
        "02",
        on_top("import einops\nimport seaborn as sns"),
        says="seaborn",
    ),
    row(
        "Colab's own package above the imports",
        "02",
        on_top("from google.colab import drive"),
        says="google",
    ),
    row("a backend that is not there", "02", on_top("%matplotlib widget")),
    row("an extension that is not there", "02", on_top("%load_ext nb_black"), says="nb_black"),
    row("pip above the imports", "02", on_top("!pip install --quiet seaborn")),
    *(
        row(
            f"the default device is {device}",
            "02",
            above(1, f'torch.set_default_device("{device}")'),
        )
        for device in ("meta", "cuda", "mps")
    ),
    row("a precision of products", "02", above(2, 'torch.set_float32_matmul_precision("medium")')),
    row("exit() ends the kernel between exercises", "02", before(3, "exit()")),
    row(
        "all cells again, as they were given",
        "02",
        doubled(solved=False),
        says="cells of this name",
    ),
    row("all cells again, answers and all", "02", doubled(solved=True), says="cells of this name"),
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
    row(
        "another unit's name",
        "01",
        called("{who}/02-sinusoidal/02-sinusoidal.ipynb"),
        says="01-order-blind",
        never="cells of this name",
    ),
    row("no-break spaces", "02", edited(1, lambda source: source.replace("    ", "\u00a0" * 4))),
    row("carriage returns", "02", edited(2, lambda source: source.replace("\n", "\r"))),
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
        "handed in at a time of several zones",
        "02",
        beside("timestamp.txt", "2026-07-01 10:00:00.000000 IST"),
        says="time zone",
    ),
    row("a breakpoint in an answer", "02", inside(2, "breakpoint()")),
    row("a live plot", "02", before(1, LIVE)),
]


class Archive(NamedTuple):
    """A platform's zip: what is in it, who has handed in, and the list of groups, if any."""

    content: Callable[[], bytes]
    students: set[str]
    groups: str = ""


def _platforms(*paths: str) -> bytes:
    """Return a zip of perfect notebooks of unit 00, each at a path."""
    content = next(iter(Work("00").files("").values()))
    return zipped(dict.fromkeys(paths, content))


ARCHIVES = {
    "names of an old program": Archive(
        lambda: _platforms("Ivan-Petrov_77_assignsubmission_file_/00-start-here.ipynb").replace(b"Ivan-Petrov", "Иван Петров".encode("cp866")),
        {"Иван-Петров-77"},
    ),
    "paths of Windows": Archive(
        lambda: _platforms("ada\\00-start-here\\00-start-here.ipynb", "bob\\00-start-here\\00-start-here.ipynb"),
        {"ada", "bob"},
    ),
    "a group": Archive(
        lambda: _platforms("Team Blue_9_assignsubmission_file_/00-start-here.ipynb", "zoe_5_assignsubmission_file_/00-start-here.ipynb"),
        {"ada", "bob", "zoe-5"},
        "group,student\nTeam Blue,ada\nTeam Blue,bob\n",
    ),
}  # fmt: skip

ROWS = SEEN + HABITS
