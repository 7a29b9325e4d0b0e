"""What a learner wrote, drew or printed, as text, pictures and HTML in which nothing can run.

`sanitize` makes of it what goes into autograded/, which nbgrader's formgrader shows as it stands,
and the learner's page (`feedback`) shows too; no hidden test is in it. nh3 alone decides what is
safe: `CLEANER` keeps what it lists and drops the rest. So that no text is dropped with it, a tag
that is not among `WRITTEN`, as the `<mask>` of an answer about BERT, and a formula that would lose
something are shown as they were written. Of pictures there are PNG and JPEG that the notebook
itself holds; of HTML that cells showed, only that of checks.
"""

from __future__ import annotations

import copy
import html
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, cast
from xml.etree import ElementTree

import nh3
from latex2mathml.converter import convert_to_element
from markupsafe import Markup
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode, from_dict, v4
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade

from helpers.checks.engine.report import FINDINGS
from helpers.course.authoring.notebook import METADATA
from helpers.course.intake.lesson import UNCHANGED

WRITTEN = {"details", "summary", "b", "i", "em", "strong", "sub", "sup", "kbd", "br"}  # by learners
HTML = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "span", "a", "pre", "code", "blockquote", "hr",
    "ul", "ol", "li", "dl", "dt", "dd", "del", "img", "table", "caption", "thead", "tbody", "tfoot",
    "tr", "th", "td",
}  # fmt: skip
# Without annotation-xml, mglyph and malignmark, by which HTML gets into a formula.
FORMULA = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle", "mfrac", "msqrt", "mroot",
    "msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd",
}  # fmt: skip
FORMULA_KEYS = {
    "display", "stretchy", "fence", "form", "width", "mathvariant", "minsize", "maxsize",
    "columnalign", "displaystyle", "scriptlevel", "accent", "lspace", "rspace", "linethickness",
    "tabindex",
}  # fmt: skip
ROWS = {"math", "mrow", "mstyle", "mtd"}  # whose parts stand side by side
APART = {"mo", "mspace"}  # has a space of its own
SIGNS, ENDS = {"+", "−", "±"}, {")", "]", "}", "|", "‖", "!", "∞", "⊤"}  # what a sum goes on after
# Where a browser's rules for a sign are not TeX's.
CLOSE = {"lspace": "0", "rspace": "0"}
UPRIGHT = {"stretchy": "false"}
AS_TEX = {"/": CLOSE, "…": CLOSE, "|": CLOSE | UPRIGHT, "‖": CLOSE | UPRIGHT}
PRIME = "′"  # stands high by itself
SPAN = {"colspan", "rowspan"}
LINK = re.compile(r"(?:https?://|mailto:|#)", re.IGNORECASE)
TAG = re.compile(rf"&lt;(/?(?:{'|'.join(sorted(WRITTEN))}))\s*/?&gt;")
PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]+")
BLANK = re.compile(r"\s{200,}")  # a lexer reads it again from each of its lines
LONGEST = 20_000  # characters of one cell or output
SECONDS = 5.0  # for the Markdown of one notebook: some is made to take long, and others wait
# One line, in which Markdown finds nothing. MathJax is told to keep out: formulas are drawn
# already, and its TeX knows links.
BOX = '<div class="tex2jax_ignore mathjax_ignore">{}</div>'


def _allowed(_tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute, or None where it leads to or draws what it may not."""
    form = {"href": LINK.match, "src": PICTURE.fullmatch}.get(name)
    return value if form is None or form(value) else None


CLEANER = nh3.Cleaner(
    tags=WRITTEN | HTML | FORMULA,
    clean_content_tags={"script", "style"},
    attributes=dict.fromkeys(FORMULA, FORMULA_KEYS)
    | {"td": SPAN, "th": SPAN, "a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}},
    attribute_filter=_allowed,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel="noreferrer",
)


class _Renderer(IPythonRenderer):
    """Markdown to HTML; what is safe in it `CLEANER` decides."""

    def __init__(self, attachments: Mapping[str, Any]) -> None:
        super().__init__(exclude_anchor_links=True, attachments=dict(attachments))

    def block_html(self, html: str) -> str:
        return TAG.sub(r"<\1>", self.escape_html(html)) + "\n"

    def inline_html(self, html: str) -> str:
        return TAG.sub(r"<\1>", self.escape_html(html))

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if address := picture(self.attachments.get(url.removeprefix("attachment:"), {})):
            return f'<img src="{address}" alt="{html.escape(text)}">'
        return f"[picture: {text or 'without a description'}]"

    def task_list_item(self, text: str, checked: bool = False) -> str:
        return f"<li>{'☑' if checked else '☐'} {text}</li>\n"

    def block_code(self, code: str, info: str | None = None) -> str:
        return f"<pre><code>{html.escape(code)}</code></pre>\n"  # some lexers take long

    def inline_math(self, body: str) -> str:
        return formula(body, "inline")

    def block_math(self, body: str) -> str:
        return formula(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        return formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


def formula(tex: str, display: str) -> str:
    """Return TeX as MathML, which browsers draw and screen readers say; as TeX where that fails.

    Args:
        display: "inline" or "block".
    """
    as_tex = f"<code>{html.escape(tex)}</code>"
    try:
        root = convert_to_element(tex, display=display, xmlns="")
    except Exception:  # whatever is wrong with somebody's TeX
        return as_tex
    root.attrib.pop("xmlns", None)
    if display == "block":
        root.set("tabindex", "0")  # a wide one is moved by the keyboard, too
    for each in list(root.iter()):
        each.text = html.unescape(each.text or "")
        if each.tag == "mo" and each.text[1:].isalpha():  # max, softmax: names, no operators
            each.tag = "mi"
        if each.tag == "msup" and html.unescape(each[1].text or "") == PRIME:
            each.tag = "mrow"
        if each.tag == "mo":
            each.attrib = AS_TEX.get(each.text, {}) | each.attrib
    for each in list(root.iter()):
        if each.tag in ROWS:
            _space(each)
    drawn = ElementTree.tostring(root, "unicode", short_empty_elements=False)
    kept = html.unescape(CLEANER.clean(drawn)) == html.unescape(drawn)
    return drawn if kept else as_tex  # \cancel would not be seen, and \phantom would


def _space(row: ElementTree.Element) -> None:
    """Set names of functions apart, except before a bracket, and signs close, as TeX does."""
    for n in range(len(row) - 1, 0, -1):
        left, right = row[n - 1], row[n]
        if right.text in SIGNS and left.tag == "mo" and left.text not in ENDS:
            right.set("form", "prefix")
        after = _is_name(left) and right.tag not in APART
        before = _is_name(right) and (left.tag not in APART or left.text == ")")
        if after or before:
            row.insert(n, ElementTree.Element("mspace", width="0.167em"))


def _is_name(part: ElementTree.Element) -> bool:
    """Return whether it is the name of a function, with an index or exponent or without."""
    part = part[0] if part.tag in ("msub", "msup", "msubsup") else part
    return part.tag == "mi" and len(part.text or "") > 1


def markdown(text: str, attachments: Mapping[str, Any] | None = None) -> str:
    """Return a text cell as clean HTML; one that is too long or too strange, as it was written."""
    if len(text) <= LONGEST:
        with suppress(Exception):  # as of a thousand brackets within brackets
            return _render(text, attachments) if attachments else _rendered(text)
    return plain(text)


def _render(text: str, attachments: Mapping[str, Any]) -> str:
    return CLEANER.clean(MarkdownWithMath(_Renderer(attachments)).render(text))


# Most cells of a class are those of the release: each is rendered once. Pictures would fill memory.
_rendered = lru_cache(4096)(partial(_render, attachments={}))


def plain(text: str) -> str:
    """Return a text cell as it was written."""
    return str(Markup("<pre>{}</pre>").format(printed(text)))


def printed(text: Any) -> str:
    """Return what a cell printed, as a terminal shows it in the end: not escaped, not endless."""
    lines = strip_ansi(str(text)).split("\n")
    seen = "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines)  # as progress bars do
    seen = re.sub(r"[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]", "", seen).rstrip()
    more = len(seen) - LONGEST
    return f"{seen[:LONGEST]}\n… {more:,} more characters are not shown" if more > 0 else seen


def picture(data: Mapping[str, Any]) -> str:
    """Return the PNG or JPEG in an output's or attachment's data as an address; "" if none."""
    for kind in ("image/png", "image/jpeg"):
        address = f"data:{kind};base64,{''.join(str(data.get(kind, '')).split())}"
        if PICTURE.fullmatch(address):
            return address
    return ""


def sanitize(
    notebook: NotebookNode, resources: dict[str, Any]
) -> tuple[NotebookNode, dict[str, Any]]:
    """Return a harmless notebook; nbgrader's last step, by `autograde_preprocessors`.

    Text cells become clean HTML, outputs text and pictures. What takes too long or is too long
    becomes plain text.
    """
    end = time.monotonic() + SECONDS
    made = v4.new_notebook(metadata=copy.deepcopy(METADATA))
    for cell in notebook.cells:
        is_code = cell.cell_type == "code"
        made.cells.append(_code(cell) if is_code else _text(cell, time.monotonic() < end))
    return made, resources


def _cell(kind: str, source: str, cell: NotebookNode, **more: Any) -> NotebookNode:
    """Return a cell; nbformat's own functions would validate each, and nbgrader validates all."""
    metadata = {name: cell.metadata[name] for name in ("nbgrader", "tags") if name in cell.metadata}
    made = {"cell_type": kind, "source": source, "id": cell.id, "metadata": metadata}
    return cast(NotebookNode, from_dict(made | more))


def _text(cell: NotebookNode, in_time: bool) -> NotebookNode:
    """Return HTML in place of Markdown, also for a raw cell, which formgrader takes for HTML."""
    if in_time and cell.cell_type == "markdown":
        text = markdown(cell.source, cell.get("attachments"))
    else:
        text = plain(cell.source)
    return _cell("markdown", BOX.format(text.replace("\n", "&#10;")), cell)


def _code(cell: NotebookNode) -> NotebookNode:
    shown = [] if UNCHANGED in cell.metadata else cell.outputs  # the lesson's: no answer's
    outputs = [made for each in shown if (made := _output(each, is_grade(cell)))]
    source = printed(BLANK.sub("\n", cell.source.replace("\r", "\n")))
    clean = _cell("code", source, cell, outputs=outputs, execution_count=None)
    return ClearHiddenTests().preprocess_cell(clean, {}, 0)[0] if is_grade(clean) else clean


def _output(output: NotebookNode, of_check: bool) -> NotebookNode | None:
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
            clean = _data(data, of_check)
            return v4.new_output(kind, data=clean, metadata=_alt(output)) if clean else None
    return None


def _data(data: Mapping[Any, Any], of_check: bool) -> dict[str, Any]:
    """Return text, pictures that are what they say, and what a check has found."""
    kept: dict[str, Any] = {}
    if "text/plain" in data:
        kept["text/plain"] = printed(data["text/plain"])
    if address := picture(data):
        kind, content = address.removeprefix("data:").split(";base64,")
        kept[kind] = content
    if of_check and FINDINGS in data:
        kept[FINDINGS] = data[FINDINGS]
        kept["text/html"] = BOX.format(CLEANER.clean(str(data.get("text/html", ""))))
    return kept


def _alt(output: NotebookNode) -> dict[str, Any]:
    """Return the metadata that say in words what a picture shows, where its author did."""
    match output.get("metadata"):
        case {"image/png": {"alt": str(text)}}:
            return {"image/png": {"alt": printed(text)}}
    return {}
