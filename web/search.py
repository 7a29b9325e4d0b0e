"""The search: every section of the site, which a script in the reader's browser ranks.

Sphinx's own knows pages, not sections, and finds only those that have all words of a question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

PAGE = "search"
UNREAD = {"more/changes"}  # it mentions everything
MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)
TEX = re.compile(r"\\(?:mathrm|text|mathbf|mathsf|frac|left|right|begin|end)\b|[\\{}$&]")


def sections(page: str, tree: nodes.document) -> Iterator[tuple[str, str, str, str]]:
    """Address, title of the page, heading and text of each section of a page."""
    title = next(tree.findall(nodes.title)).astext()
    for section in tree.findall(nodes.section):
        heading, *rest = section.children
        parts = (_text(each) for each in rest if not isinstance(each, nodes.section))
        text = " ".join(" ".join(parts).split())
        anchor = f"#{section['ids'][0]}" if isinstance(section.parent, nodes.section) else ""
        yield f"{page}.html{anchor}", title, heading.astext(), text


def _text(node: nodes.Node) -> str:
    """What is read of a node: formulas without marks, HTML without tags."""
    parts = []
    for each in node.findall(nodes.Text):
        is_markup, is_formula = (
            isinstance(each.parent, kind) for kind in (nodes.raw, (nodes.math, nodes.math_block))
        )
        text = each.astext()
        parts.append(
            MARKUP.sub(" ", text) if is_markup else TEX.sub(" ", text) if is_formula else text
        )
    return "".join(parts)


def _write(app: Sphinx, error: Exception | None) -> None:
    """Write the sections as a script, since a page that was opened as a file fetches nothing."""
    if error:
        return
    found = [
        each
        for page in sorted(app.env.found_docs - UNREAD - {PAGE})
        for each in sections(page, app.env.get_doctree(page))
    ]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    (Path(app.outdir) / "_static" / "sections.js").write_text(
        f"const SECTIONS = {text};\n", "utf-8"
    )


def _switch_off(app: Sphinx) -> None:
    """Let Sphinx write no index of its own."""
    app.builder.search = False


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known to Sphinx."""
    app.connect("builder-inited", _switch_off)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
