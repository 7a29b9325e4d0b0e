"""What a learner wrote, drew or printed, as HTML in which nothing can run.

All text is escaped. Of HTML only the names in `TAGS` come through, without attributes; of links,
those to pages; of images, PNG and JPEG that the notebook itself holds.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert_to_element
from markupsafe import Markup
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

TAGS = re.compile(r"&lt;(/?(?:details|summary|b|i|em|strong|sub|sup|kbd|br))\s*/?&gt;")
LINKS = re.compile(r"https?://|mailto:|#", re.IGNORECASE)
FORMULA = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle", "mfrac", "msqrt", "mroot",
    "msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd",
}  # fmt: skip
FORMULA_KEYS = {
    "display", "stretchy", "fence", "form", "width", "mathvariant", "minsize", "maxsize",
    "columnalign", "displaystyle", "scriptlevel", "accent", "lspace", "rspace", "linethickness",
}  # fmt: skip
IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}  # how each begins
LONGEST = 20_000  # characters of one cell or output
UNDRAWN = re.compile(r"<Figure size|<IPython\.|<matplotlib\.")  # no description of a picture
BELOW = 2  # levels of headings that the page has above those of the notebook


@dataclass(frozen=True)
class Shown:
    """An output: text, or a picture with the text that stands for it."""

    text: str = ""
    image: str = ""
    failed: bool = False


class _Renderer(IPythonRenderer):
    """Markdown to HTML; see the module's first lines for what is left out."""

    def __init__(self) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)

    def block_html(self, html: str) -> str:
        return _tags(html) + "\n"

    def inline_html(self, html: str) -> str:
        return _tags(html)

    def heading(self, text: str, level: int, **_attrs: Any) -> str:
        level = min(level + BELOW, 6)
        return f"<h{level}>{text}</h{level}>\n"

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if not LINKS.match(url):
            return text
        return f'<a href="{html.escape(url)}" rel="noreferrer">{text}</a>'

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f"[picture: {text or 'without a description'}]"

    def block_code(self, code: str, info: str | None = None) -> str:
        return f"<pre><code>{html.escape(code)}</code></pre>\n"

    def inline_math(self, body: str) -> str:
        return formula(body, "inline")

    def block_math(self, body: str) -> str:
        return formula(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        return formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


def _tags(text: str) -> str:
    return TAGS.sub(r"<\1>", html.escape(text, quote=False))


def formula(tex: str, display: str) -> str:
    """TeX as MathML, which browsers draw and screen readers say; as TeX where that fails."""
    as_tex = f"<code>{html.escape(tex)}</code>"
    try:
        root = convert_to_element(tex, display=display, xmlns="")
    except Exception:  # whatever is wrong with somebody's TeX
        return as_tex
    root.attrib.pop("xmlns", None)
    for each in root.iter():
        if each.tag not in FORMULA or set(each.keys()) - FORMULA_KEYS:
            return as_tex  # \href, \style and the like
        each.text = html.unescape(each.text or "")
    return ElementTree.tostring(root, "unicode")


# Most cells of a class are those of the release: each is rendered once.
@lru_cache(4096)
def markdown(text: str) -> Markup:
    """A text cell; one that is too long or too strange, as it was written."""
    try:
        if len(text) <= LONGEST:
            return Markup(MarkdownWithMath(_Renderer()).render(text))
    except Exception:  # as of a thousand brackets within brackets; it should cost no page
        pass
    return plain(text)


@lru_cache(4096)
def code(text: str) -> Markup:
    """A code cell, its words marked by class."""
    if len(text) > LONGEST:
        return Markup.escape(printed(text))
    return Markup(highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)))


def plain(text: str) -> Markup:
    """A text cell as it was written."""
    return Markup("<pre>{}</pre>").format(printed(text))


def printed(text: Any) -> str:
    """What a cell printed, as a terminal shows it in the end; not escaped, and not without end."""
    lines = strip_ansi(str(text)).split("\n")
    seen = "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines)  # as progress bars do
    seen = re.sub(r"[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]", "", seen).rstrip()
    more = len(seen) - LONGEST
    return f"{seen[:LONGEST]}\n… {more:,} more characters are not shown" if more > 0 else seen


def image(data: Mapping[Any, Any]) -> str:
    """The picture in an output as a data address; empty if there is none."""
    for kind, beginning in IMAGES.items():
        try:
            content = base64.b64decode(str(data.get(kind, "")))
        except (binascii.Error, ValueError):
            continue
        if content.startswith(beginning):
            return f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return ""


def shown(output: NotebookNode) -> Shown | None:
    """An output as text or as a picture; None where it is neither, whatever it is instead."""
    match output:
        case {"output_type": "stream", "text": text}:
            told = printed(text)
            return Shown(told) if told else None
        case {"output_type": "error", "ename": "NotRun" | "TimeLimit", "evalue": reason}:
            told = printed(reason)
            return Shown(f"{told[:1].upper()}{told[1:]}.", failed=True)
        case {"output_type": "error", "traceback": [*lines]}:
            return Shown(printed("\n".join(map(str, lines))), failed=True)
        case {"data": {**data}}:
            told, drawn = printed(data.get("text/plain", "")), image(data)
            if drawn:
                told = _description(output) or ("" if UNDRAWN.match(told) else told)
            return Shown(told, drawn) if told or drawn else None
    return None


def _description(output: NotebookNode) -> str:
    match output.get("metadata"):
        case {"image/png": {"alt": str(text)}}:
            return printed(text)
    return ""
