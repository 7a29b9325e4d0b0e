"""What a learner wrote, drew or printed, as HTML in which nothing can run.

What Markdown and TeX become goes through nh3, which keeps what `SAFE` lists and drops the rest.
So that no text is dropped with it, a tag that is not among `WRITTEN`, as the `<mask>` of an answer
about BERT, and a formula that would lose something are shown as they were written. Of images there
are PNG and JPEG that the notebook itself holds.
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

import nh3
from latex2mathml.converter import convert_to_element
from markupsafe import Markup
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from helpers.course.grading.similarity import BLANK

WRITTEN = {"details", "summary", "b", "i", "em", "strong", "sub", "sup", "kbd", "br"}  # by learners
MARKDOWN = {
    "p", "h3", "h4", "h5", "h6", "a", "pre", "code", "blockquote", "ul", "ol", "li", "hr",
    "del", "img", "table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd",
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
LINK = re.compile(r"(?:https?://|mailto:|#)", re.IGNORECASE)
PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]+")


def _allowed(tag: str, name: str, value: str) -> str | None:
    """The value of an attribute, where it leads or draws nothing but what it may."""
    form = {"href": LINK.match, "src": PICTURE.fullmatch}.get(name)
    return value if form is None or form(value) else None


SAFE = nh3.Cleaner(
    tags=WRITTEN | MARKDOWN | FORMULA,
    clean_content_tags=set(),  # the text of a script is shown, too
    attributes=dict.fromkeys(FORMULA, FORMULA_KEYS)
    | {"a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}},
    attribute_filter=_allowed,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel="noreferrer",
)
SHOWN = nh3.Cleaner(  # HTML that code shows: tables, as a rule
    tags=WRITTEN | MARKDOWN | {"div", "span", "caption", "tfoot"},
    clean_content_tags={"script", "style"},
    attributes={"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}},
    attribute_filter=_allowed,
    link_rel="noreferrer",
)
TAG = re.compile(rf"&lt;(/?(?:{'|'.join(sorted(WRITTEN))}))\s*/?&gt;")
IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}  # how each begins
PATIENCE = 5.0  # seconds; some texts are made to take hours, and others wait for their pages
LONGEST = 20_000  # characters of one cell or output
MOST = 2 * LONGEST  # of clean HTML: tags that stay open are opened again in each paragraph
UNDRAWN = re.compile(r"<Figure size|<IPython\.|<matplotlib\.")  # no description of a picture
BELOW = 2  # levels of headings that the page has above those of the notebook


@dataclass(frozen=True)
class Shown:
    """An output: text, or a picture with the text that stands for it."""

    text: str = ""
    image: str = ""
    failed: bool = False


class _Renderer(IPythonRenderer):
    """Markdown to HTML; what is safe in it `SAFE` decides."""

    def __init__(self, pictures: Mapping[str, str]) -> None:
        super().__init__(escape=True, allow_harmful_protocols=True, exclude_anchor_links=True)
        self.pictures = pictures

    def block_html(self, html: str) -> str:
        return _tags(html) + "\n"

    def inline_html(self, html: str) -> str:
        return _tags(html)

    def heading(self, text: str, level: int, **_attrs: Any) -> str:
        level = min(level + BELOW, 6)
        return f"<h{level}>{text}</h{level}>\n"

    def link(self, text: str, url: str, title: str | None = None) -> str:
        begin = f'<a href="{html.escape(url)}" rel="noreferrer">'
        return f"{begin}{text}</a>" if _kept(f"{begin}</a>") else text

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if address := self.pictures.get(url.removeprefix("attachment:")):
            return f'<img src="{address}" alt="{html.escape(text)}">'
        return f"[picture: {text or 'without a description'}]"

    def block_code(self, code: str, info: str | None = None) -> str:
        return f"<pre><code>{html.escape(code)}</code></pre>\n"

    def inline_math(self, body: str) -> str:
        return formula(body, "inline")

    def block_math(self, body: str) -> str:
        return formula(body, "block")

    def task_list_item(self, text: str, checked: bool = False) -> str:
        return f"<li>{'☑' if checked else '☐'} {text}</li>\n"

    def latex_environment(self, name: str, body: str) -> str:
        return formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


def _tags(text: str) -> str:
    """Tags without attributes that a learner may write; all others become text."""
    return TAG.sub(r"<\1>", html.escape(text, quote=False))


def _kept(markup: str) -> bool:
    """Whether `SAFE` takes nothing away; how a character is written does not count."""
    return html.unescape(SAFE.clean(markup)) == html.unescape(markup)


def formula(tex: str, display: str) -> str:
    """TeX as MathML, which browsers draw and screen readers say; as TeX where that fails."""
    as_tex = f"<code>{html.escape(tex)}</code>"
    try:
        root = convert_to_element(tex, display=display, xmlns="")
    except Exception:  # whatever is wrong with somebody's TeX
        return as_tex
    root.attrib.pop("xmlns", None)
    if display == "block":
        root.set("tabindex", "0")  # a wide one is moved by the keyboard, too
    for each in root.iter():
        each.text = html.unescape(each.text or "")
    drawn = ElementTree.tostring(root, "unicode", short_empty_elements=False)
    return drawn if _kept(drawn) else as_tex  # \href, \style and the like


def markdown(text: str, pictures: Mapping[str, str] | None = None) -> Markup:
    """A text cell; one that is too long or too strange, as it was written.

    Args:
        pictures: data addresses of those that are attached to it, by name.
    """
    return rendered(text, pictures) if pictures else _without_pictures(text)


# Most cells of a class are those of the release: each is rendered once. Pictures would fill memory.
@lru_cache(4096)
def _without_pictures(text: str) -> Markup:
    return rendered(text, {})


def rendered(text: str, pictures: Mapping[str, str]) -> Markup:
    """The same, whether or not it has been rendered before."""
    try:
        if len(text) <= LONGEST:
            return Markup(SAFE.clean(MarkdownWithMath(_Renderer(pictures)).render(text)))
    except Exception:  # as of a thousand brackets within brackets; it should cost no page
        pass
    return plain(text)


def attached(cell: NotebookNode) -> dict[str, str]:
    """The pictures in a text cell, as `markdown` takes them."""
    drawn = {name: image(data) for name, data in cell.get("attachments", {}).items()}
    return {name: address for name, address in drawn.items() if address}


def table(text: str) -> str:
    """HTML that code showed, without what could run or be fetched; empty where that is all."""
    made = SHOWN.clean(text).strip() if len(text) <= LONGEST else ""
    return made if len(made) <= MOST else ""


@lru_cache(4096)
def code(text: str, lines: tuple[int, ...] = ()) -> Markup:
    """A code cell, its words marked by class, and so are some of its `lines`."""
    if not marked_soon(text):
        return Markup.escape(printed(text))
    form = HtmlFormatter(nowrap=True, hl_lines=lines)
    return Markup(highlight(text, PythonLexer(stripnl=False), form))


def marked_soon(code: str) -> bool:
    """Whether a lexer is done with it in no time: it reads each blank line to the last of them."""
    return len(code) <= LONGEST and not BLANK.search(code)


def without_blanks(code: str) -> str:
    """Code as a person may see it, which keeps no lexer busy."""
    return printed(BLANK.sub("\n", code)) if not marked_soon(code) else code


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
                told = description(output) or ("" if UNDRAWN.match(told) else told)
            return Shown(told, drawn) if told or drawn else None
    return None


def description(output: NotebookNode) -> str:
    """What the picture of an output shows, in words, where its author said so."""
    match output.get("metadata"):
        case {"image/png": {"alt": str(text)}}:
            return printed(text)
    return ""
