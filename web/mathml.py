"""Formulas as MathML, which browsers draw and screen readers say without a script."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes

from helpers.course.pages.sanitize import formula

# Around the name of a function, where no bracket stands: a thin space, as TeX has it.
NAME = re.compile(r"(?<=</mi>)(?=<mi>[a-z]{2,}</mi>)|(?<=[a-z]{2}</mi>)(?=<m[in]>)")


def drawn(text: str, display: str) -> str:
    """A formula in TeX as MathML."""
    return NAME.sub('<mspace width=".17em"/>', formula(text, display))


def inline(writer: Any, node: nodes.math) -> None:
    """A formula in a line."""
    writer.body.append(drawn(node.astext(), "inline"))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """A formula of its own; a wide one is reached by the keyboard."""
    markup = drawn(node.astext(), "block")
    writer.body.append(f'<div class="formula" tabindex="0">{markup}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make it known to Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
