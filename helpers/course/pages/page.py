"""The pages that people read: templates filled with escaped text, in which no script can run."""

from __future__ import annotations

import base64
import hashlib
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
_style = resources.files("helpers.course.pages").joinpath("templates/style.css").read_text("utf-8")
_digest = base64.b64encode(hashlib.sha256(_style.encode()).digest()).decode()
# Nothing is fetched and nothing runs; the one style is ours.
_policy = (
    f"default-src 'none'; img-src data:; style-src 'sha256-{_digest}'; "
    "base-uri 'none'; form-action 'none'"
)


def number(value: float) -> str:
    """Points as people write them: 2, not 2.0, and no more than two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


_templates.filters["number"] = number


def page(template: str, **values: Any) -> str:
    """The page that `template` makes of `values`."""
    filled = _templates.get_template(template)
    text = filled.render(**values, style=Markup(_style), policy=_policy)
    return text.encode("utf-8", "replace").decode()  # halves of characters cannot be written
