"""Predictions on a page: the choices as buttons, and what was measured folded until one is made."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nbformat import NotebookNode

from web.markdown import prose, raw

ASKED = re.compile(r'^predict\("(\w+)"', re.MULTILINE)
TOLD = re.compile(r'\boutcome\(\s*"(\w+)"')
CHOICE = re.compile(r"^  (\w+)\) (.+)", re.MULTILINE)
MEASURED = re.compile(r">(?:✓ )?Measured: (.+?)\.(?: |<)")
HEADING = re.compile(r"^#", re.MULTILINE)
SCRIPT = '<script defer src="../_static/predictions.js"></script>'


def asks(cell: NotebookNode) -> str:
    """Name of the prediction that a cell asks for; empty where it asks for none."""
    found = ASKED.search(cell.source) if cell.cell_type == "code" else None
    return found[1] if found else ""


@dataclass(frozen=True)
class Fold:
    """Cells by number: the first and the last, and the one that tells what was measured."""

    first: int
    last: int
    tells: int
    name: str


def folds(cells: Sequence[NotebookNode]) -> Iterator[Fold]:
    """What is folded: from each question on to what was measured, with the prose that discusses it.

    Where a section begins in between, which the page's contents name, it is the end alone.
    """
    for begin, cell in enumerate(cells):
        if name := asks(cell):
            told = (n for n, each in enumerate(cells) if name in TOLD.findall(each.source))
            tells = next(n for n in told if n >= begin)
            between = any(map(_begins_section, cells[begin + 1 : tells]))
            after = cells[tells + 1]
            discussed = after.cell_type == "markdown" and not after.source.startswith("#")
            yield Fold(tells if between else begin + 1, tells + discussed, tells, name)


def _begins_section(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and bool(HEADING.search(cell.source))


def question(name: str, said: str) -> str:
    """What is asked, with a button for each choice or a field for a number.

    Args:
        said: the prediction as plain text: the question, the choices, what to do.
    """
    asked = said.split("\n")[0]
    choices = "".join(
        f'<button type="button" value="{letter}">{letter}) {html.escape(text)}</button>'
        for letter, text in CHOICE.findall(said)
    )
    number = '<input type="number" step="any" aria-label="Your number">'
    number += '<button type="button">Predict</button>'
    return (
        f'<fieldset class="prediction" data-name="{name}"><legend>Your prediction</legend>'
        f"<p>{prose(asked)}</p><div>{choices or number}</div>"
        f'<p class="reveals" role="status"></p></fieldset>'
    )


def begin(name: str, measured: str) -> str:
    """The fold's beginning; `measured` is the HTML that tells what was."""
    [found] = MEASURED.findall(measured)
    return raw(
        f'<details id="measured-{name}" data-measured="{found}">'
        "<summary>What was measured</summary>"
    )
