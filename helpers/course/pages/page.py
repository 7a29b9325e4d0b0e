"""The pages that people read: templates filled with escaped text, and no script but ours."""

from __future__ import annotations

import base64
import hashlib
import math
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from helpers.course.pages.sanitize import BLANK, LONGEST, printed


def number(value: float) -> str:
    """Return points as people write them: 2, not 2.0, no more than two decimals, and – for nan."""
    if math.isnan(value):
        return "–"
    return f"{round(value, 2) + 0:.2f}".rstrip("0").rstrip(".")


def duration(seconds: float) -> str:
    """Return seconds as people say them; a minute that has begun counts, and 0 is ""."""
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


@lru_cache(4096)
def code(text: str, lines: tuple[int, ...] = ()) -> Markup:
    """Return Python as HTML, its words marked by class, and so are some of its `lines`."""
    if len(text) > LONGEST or BLANK.search(text):  # would keep the lexer busy
        return Markup.escape(printed(text))
    form = HtmlFormatter(nowrap=True, hl_lines=lines)
    return Markup(highlight(text, PythonLexer(stripnl=False), form))


_templates = Environment(
    loader=PackageLoader("helpers.course.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {"number": number, "duration": duration, "code": code}


def _part(name: str) -> tuple[Markup, str]:
    """Return a file of ours that stands in the page, and what a policy calls it."""
    text = resources.files("helpers.course.pages").joinpath(f"templates/{name}").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(text), f"'sha256-{digest}'"


_style, _styled = _part("style.css")
_script, _scripted = _part("sort.js")


def page(template: str, *, sortable: bool = False, **values: Any) -> str:
    """Return what `template` makes of `values`; nothing of it is fetched, and the style is ours.

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
