"""What goes into autograded/: nbgrader's formgrader shows it as it stands, scripts and all.

So it holds what a learner wrote and drew as text, as pictures, and as HTML that nh3 has let
through, and no hidden tests: whatever program shows the notebook, nothing of it runs, is fetched or
lies over the page. The learner's page (`feedback`) shows this notebook, too.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from typing import Any, cast

from nbformat import NotebookNode, from_dict, v4
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade

from helpers.checks.engine.report import FINDINGS
from helpers.course.authoring.notebook import METADATA
from helpers.course.pages import markup
from helpers.course.pages.markup import printed

SECONDS = 5.0  # for HTML of one notebook: some is made to take long, and others wait
# One line, in which Markdown finds nothing. MathJax is told to keep out: formulas are drawn
# already, and its TeX knows links.
BOX = '<div class="tex2jax_ignore mathjax_ignore">{}</div>'


def sanitize(
    notebook: NotebookNode, resources: dict[str, Any]
) -> tuple[NotebookNode, dict[str, Any]]:
    """Return a harmless notebook; nbgrader's last step, by `autograde_preprocessors`.

    Text cells become clean HTML, outputs text, pictures and clean HTML. What takes too long or is
    too long becomes plain text.
    """
    end = time.monotonic() + SECONDS
    made = v4.new_notebook(metadata=copy.deepcopy(METADATA))
    for cell in notebook.cells:
        sanitized = _code if cell.cell_type == "code" else _text
        made.cells.append(sanitized(cell, time.monotonic() < end))
    return made, resources


def _cell(kind: str, source: str, cell: NotebookNode, **more: Any) -> NotebookNode:
    """Return a cell; nbformat's own functions would validate each, and nbgrader validates all."""
    metadata = {name: cell.metadata[name] for name in ("nbgrader", "tags") if name in cell.metadata}
    made = {"cell_type": kind, "source": source, "id": cell.id, "metadata": metadata}
    return cast(NotebookNode, from_dict(made | more))


def _text(cell: NotebookNode, in_time: bool) -> NotebookNode:
    """Return HTML in place of Markdown, also for a raw cell, which formgrader takes for HTML."""
    if in_time and cell.cell_type == "markdown":
        html = markup.markdown(cell.source, cell.get("attachments"))
    else:
        html = markup.plain(cell.source)
    return _cell("markdown", BOX.format(html.replace("\n", "&#10;")), cell)


def _code(cell: NotebookNode, in_time: bool) -> NotebookNode:
    outputs = [made for each in cell.outputs if (made := _output(each, in_time))]
    source = printed(markup.BLANK.sub("\n", cell.source.replace("\r", "\n")))
    clean = _cell("code", source, cell, outputs=outputs, execution_count=None)
    return ClearHiddenTests().preprocess_cell(clean, {}, 0)[0] if is_grade(clean) else clean


def _output(output: NotebookNode, in_time: bool) -> NotebookNode | None:
    """Return an output in kinds that no program runs; None where nothing of it is left."""
    match output:
        case {"output_type": "stream", "text": text} if seen := printed(text):
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return v4.new_output("stream", name=name, text=seen)
        case {"output_type": "error"}:
            words = {name: printed(output.get(name, "")) for name in ("ename", "evalue")}
            trace = printed("\n".join(map(str, output.get("traceback", []))))
            return v4.new_output("error", traceback=trace.split("\n"), **words)
        case {"output_type": "display_data" | "execute_result" as kind, "data": {**data}}:
            clean = _data(data, in_time)
            return v4.new_output(kind, data=clean, metadata=_alt(output)) if clean else None
    return None


def _data(data: Mapping[Any, Any], in_time: bool) -> dict[str, Any]:
    """Return text, pictures that are what they say, clean HTML, and what a check has found."""
    clean: dict[str, Any] = {}
    if "text/plain" in data:
        clean["text/plain"] = printed(data["text/plain"])
    if address := markup.picture(data):
        kind, content = address.removeprefix("data:").split(";base64,")
        clean[kind] = content
    if in_time and (html := markup.clean(str(data.get("text/html", "")))):
        clean["text/html"] = BOX.format(html)
    if FINDINGS in data:
        clean[FINDINGS] = data[FINDINGS]
    return clean


def _alt(output: NotebookNode) -> dict[str, Any]:
    """Return the metadata that say in words what a picture shows, where its author did."""
    match output.get("metadata"):
        case {"image/png": {"alt": str(text)}}:
            return {"image/png": {"alt": printed(text)}}
    return {}
