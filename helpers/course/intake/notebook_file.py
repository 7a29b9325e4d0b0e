"""Reads the file that a learner handed in as the cells of a notebook; nothing of it is executed.

Every cell is made anew from its type and source, so that what an editor adds or leaves out does not
matter.
"""

from __future__ import annotations

import codecs
import json
from itertools import islice
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course.settings import CourseError
from helpers.predict import ANSWER

LARGEST = 50 * 2**20  # bytes of a file; figures in outputs make some notebooks large
# Commas and brackets, since each may be an object: so many are read in a second, in 500 MB. A plot
# has as many as numbers, an executed unit 8,000.
PARTS = 5_000_000
CELLS = 2_000
TEXT = 2**20  # characters in all cells; the longest unit has 60,000
STUB = "raise NotImplementedError"  # the last line of what is to be answered
PICTURES = {"image/png", "image/jpeg", "image/gif"}
ATTACHED = 100  # pictures of a text cell
DOWNLOAD = (
    "download the notebook (JupyterLab: File > Download; Colab: File > Download > Download .ipynb) "
    "and hand that in"
)
NO_NOTEBOOK = {"PK": "a zip archive or an Office document", "%PDF": "a PDF", "<": "a web page"}


def read(content: bytes) -> tuple[list[NotebookNode], list[str]]:
    """Return the cells in a file, without outputs, and the repairs that this took.

    Raises:
        CourseError: there is no notebook in it; the text says what there is instead.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CourseError("the file is saved as UTF-16: save it as UTF-8")
    text = content.decode("utf-8-sig", "replace").strip()
    found = _cells(text)
    if len(found) > CELLS:
        raise CourseError(f"the notebook has {len(found):,} cells; {CELLS:,} are allowed")
    cells = [fresh(cell) for cell in found]
    if (size := sum(len(cell.source) for cell in cells)) > TEXT:
        raise CourseError(f"its cells have {size:,} characters; {TEXT:,} are allowed")
    joined = any(_lacks_line_ends(cell.get("source")) for cell in found)
    lost = text.count("\ufffd") - content.count("\ufffd".encode())  # which stands for each
    repairs = ["lines without line ends, joined with them"] * joined
    return cells, repairs + [f"characters that are not in UTF-8, lost: {lost:,}"] * bool(lost)


def _cells(text: str) -> list[dict[str, Any]]:
    if not text:
        raise CourseError("the file is empty; save the notebook and hand it in again")
    for begin, what in NO_NOTEBOOK.items():
        if text.startswith(begin):
            raise CourseError(f"the file is {what}, no notebook; {DOWNLOAD}")
    if (parts := sum(map(text.count, ",[{"))) > PARTS:
        raise CourseError(
            f"the file has {parts:,} lines and values; {PARTS:,} are allowed: clear its outputs"
        )
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        text = f"the file is no notebook, or breaks off ({error}); {DOWNLOAD}"
        raise CourseError(text) from error
    found = found if isinstance(found, dict) else {}
    cells = found.get("cells")
    if not isinstance(cells, list):
        what = "no notebook: it has no cells"
        if "url" in found or "doc_id" in found:
            what = "only a link to Google Drive"
        elif "worksheets" in found:
            what = "a notebook of nbformat 3: open it in Jupyter and save it"
        raise CourseError(f"the file holds {what}; {DOWNLOAD}")
    return [cell for cell in cells if isinstance(cell, dict)]


def _lacks_line_ends(source: Any) -> bool:
    """Return whether it is a list of lines as some programs split them."""
    lines = source[:-1] if isinstance(source, list) else []
    return bool(lines) and not any("\n" in str(each) for each in lines)


def fresh(cell: dict[str, Any]) -> NotebookNode:
    """Make a cell of the same type and text; of its metadata only what grading reads.

    A prediction that was chosen below a cell is written into it, as if it had been typed.
    """
    source = cell.get("source") or ""
    if isinstance(source, list):
        source = ("\n" if _lacks_line_ends(source) else "").join(map(str, source))
    source = str(source).encode(errors="replace").decode()  # half a letter cannot be written
    source = source.replace("\r\n", "\n").replace("\r", "\n")  # the line ends of some editors
    kind = cell.get("cell_type")
    kind = kind if kind in ("code", "markdown") else "raw"
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    known: dict[str, Any] = {"id": _word(metadata.get("id"))}
    if isinstance(given := metadata.get("nbgrader"), dict):
        known["nbgrader"] = {"grade_id": _word(given.get("grade_id"))}
    made = nbformat.from_dict({"cell_type": kind, "source": source, "metadata": known})
    made.id = _word(cell.get("id")) or made.metadata.id
    if kind == "code":
        answer = f"answer={_chosen(cell.get('outputs'))}"
        made.source = source.replace('answer=""', answer, 1)  # of many, gigabytes would come
        made.outputs, made.execution_count = [], None
    if isinstance(pictures := cell.get("attachments"), dict) and kind == "markdown":
        kept = ((name, each) for name, each in pictures.items() if _is_picture(each))
        made.attachments = nbformat.from_dict(dict(islice(kept, ATTACHED)))
    return made


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _chosen(outputs: Any) -> str:
    """Return the prediction that a cell's output holds, quoted; empty quotes if it holds none."""
    for output in outputs if isinstance(outputs, list) else []:
        match output:
            case {"data": {**data}} if isinstance(answer := data.get(ANSWER), str):
                return json.dumps(answer[:50])
    return '""'


def _is_picture(bundle: Any) -> bool:
    kinds = bundle if isinstance(bundle, dict) else {}
    texts = all(isinstance(each, str) for each in kinds.values())
    return bool(kinds) and set(kinds) <= PICTURES and texts
