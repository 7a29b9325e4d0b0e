"""The pages that people read: templates filled with escaped text, and no script but ours."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_templates = Environment(
    loader=PackageLoader("helpers.course.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _part(name: str) -> tuple[Markup, str]:
    """A file of ours that stands in the page, and what a policy calls it."""
    text = resources.files("helpers.course.pages").joinpath(f"templates/{name}").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(text), f"'sha256-{digest}'"


_style, _styled = _part("style.css")
_script, _scripted = _part("sort.js")


def number(value: float) -> str:
    """Points as people write them: 2, not 2.0, and no more than two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def spans(lines: Sequence[int]) -> str:
    """Lines in order as people write them: 1–3, 5."""
    begins = [line for line in lines if line - 1 not in lines]
    ends = [line for line in lines if line + 1 not in lines]
    pairs = zip(begins, ends, strict=True)
    return ", ".join(f"{begin}–{end}" if end > begin else f"{begin}" for begin, end in pairs)


_templates.filters |= {"number": number, "spans": spans}


def page(template: str, *, sortable: bool = False, **values: Any) -> str:
    """The page that `template` makes of `values`; nothing of it is fetched, and the style is ours.

    Args:
        sortable: our one script runs, which sorts tables; else none does.
    """
    policy = f"default-src 'none'; img-src data:; style-src {_styled}; "
    policy += f"script-src {_scripted}; " if sortable else ""
    policy += "base-uri 'none'; form-action 'none'"
    script = _script if sortable else ""
    filled = _templates.get_template(template)
    text = filled.render(**values, style=_style, script=script, policy=policy)
    return text.encode("utf-8", "replace").decode()  # halves of characters cannot be written
