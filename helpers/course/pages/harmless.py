"""What goes into autograded/: nbgrader's formgrader shows it as it stands, scripts and all.

So it holds what a learner wrote and drew as text, as pictures, and as HTML that nh3 has let
through, and no hidden tests: whatever program shows the notebook, nothing of it runs, is fetched or
lies over the page.
"""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Mapping
from typing import Any, cast

from nbformat import NotebookNode, from_dict, v4
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade

from helpers.checks.engine.report import FINDINGS
from helpers.course.authoring.notebook import METADATA
from helpers.course.pages import rendering
from helpers.course.pages.rendering import PATIENCE

WRITTEN = "order-matters-written"  # key of a text cell's metadata: what its author wrote
# One line, in which Markdown finds nothing. MathJax is told to keep out: formulas are drawn
# already, and its TeX knows links.
PAGE = '<div class="tex2jax_ignore mathjax_ignore">{}</div>'


def harmless(
    notebook: NotebookNode, resources: dict[str, Any]
) -> tuple[NotebookNode, dict[str, Any]]:
    """nbgrader's last step of autograding, by `autograde_preprocessors`."""
    end = time.monotonic() + PATIENCE
    made = v4.new_notebook(metadata=copy.deepcopy(METADATA))
    for cell in notebook.cells:
        late = time.monotonic() > end
        made.cells.append(_code(cell, late) if cell.cell_type == "code" else _text(cell, late))
    return made, resources


def written(cell: NotebookNode) -> str:
    """The text of a cell as its author wrote it."""
    return str(cell.metadata.get(WRITTEN, cell.source))


def _known(cell: NotebookNode) -> dict[str, Any]:
    return {name: cell.metadata[name] for name in ("nbgrader", "tags") if name in cell.metadata}


def _code(cell: NotebookNode, late: bool) -> NotebookNode:
    outputs = [kept for each in cell.outputs if (kept := _output(each, late))]
    made = _cell("code", rendering.without_blanks(cell.source), cell.id, _known(cell))
    made |= {"outputs": outputs, "execution_count": None}
    return ClearHiddenTests().preprocess_cell(made, {}, 0)[0] if is_grade(made) else made


def _text(cell: NotebookNode, late: bool) -> NotebookNode:
    """HTML in place of Markdown, also for a raw cell, which formgrader would take for HTML."""
    text = cell.source if cell.cell_type == "markdown" else _fenced(cell.source)
    shown = rendering.plain(text) if late else rendering.markdown(text, rendering.attached(cell))
    page = PAGE.format(str(shown).replace("\n", "&#10;"))
    made = _cell("markdown", page, cell.id, _known(cell) | {WRITTEN: text})
    if "attachments" in cell:
        made.attachments = cell.attachments
    return made


def _cell(kind: str, source: str, number: str, metadata: dict[str, Any]) -> NotebookNode:
    """nbformat's own functions would validate each; nbgrader does so with the whole notebook."""
    known = {"cell_type": kind, "source": source, "id": number, "metadata": metadata}
    return cast(NotebookNode, from_dict(known))


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _output(output: NotebookNode, late: bool) -> NotebookNode | None:
    """The same in kinds that no program runs; None where nothing of it is left."""
    match output:
        case {"output_type": "stream", "text": text}:
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return v4.new_output("stream", name=name, text=str(text))
        case {"output_type": "error"}:
            told = {name: str(output.get(name, "")) for name in ("ename", "evalue")}
            return v4.new_output(
                "error", traceback=[*map(str, output.get("traceback", []))], **told
            )
        case {"output_type": "display_data" | "execute_result" as kind, "data": {**data}}:
            kept = _data(data, late)
            metadata = {"image/png": {"alt": alt}} if (alt := rendering.description(output)) else {}
            return v4.new_output(kind, data=kept, metadata=metadata) if kept else None
    return None


def _data(data: Mapping[Any, Any], late: bool) -> dict[str, Any]:
    """Text, pictures that are what they say, clean HTML, and what a check has found."""
    kept: dict[str, Any] = {}
    if "text/plain" in data:
        kept["text/plain"] = str(data["text/plain"])
    if picture := rendering.image(data):
        kind, content = picture.removeprefix("data:").split(";base64,")
        kept[kind] = content
    if shown := "" if late else rendering.table(str(data.get("text/html", ""))):
        kept["text/html"] = PAGE.format(shown)
    if FINDINGS in data:
        kept[FINDINGS] = data[FINDINGS]
    return kept
