"""Formulas as MathML, which browsers draw and screen readers say without a script."""

from __future__ import annotations

from typing import Any

from docutils import nodes

from helpers.course.pages.sanitize import formula


def inline(writer: Any, node: nodes.math) -> None:
    """A formula in a line."""
    writer.body.append(formula(node.astext(), "inline"))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """A formula of its own; a wide one is reached by the keyboard."""
    markup = formula(node.astext(), "block")
    writer.body.append(f'<div class="formula" tabindex="0">{markup}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make it known to Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
