"""The last touch on what Sphinx wrote: what its theme leaves out, and what nobody asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COMMA = re.compile(r",(?![^(]*\))")  # between two selectors
THEME = '[data-theme="{}"]'
AUTO = THEME.format("auto")  # what a page has where no script has chosen
NO_HEADING = re.compile(r"<th\b[^>]*>(?:<p></p>)?</th>")


def finish(out: Path) -> None:
    """Touch up the site in `out`."""
    for path in [*out.rglob("*.map"), *out.rglob("webpack-*"), out / ".buildinfo"]:
        path.unlink(missing_ok=True)  # of the theme's and Sphinx's own workshop
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(NO_HEADING.sub("<td></td>", text), encoding="utf-8")
    static = out / "_static"
    names = ("styles/pydata-sphinx-theme.css", "pygments.css", "site.css")
    styles = [(static / name).read_text(encoding="utf-8") for name in names]
    with (static / "site.css").open("a", encoding="utf-8") as own:
        own.write(as_the_system_asks("\n".join(styles)))


def as_the_system_asks(css: str) -> str:
    """The rules of `css` for the light and the dark theme, for a page whose scripts are off."""
    css = COMMENT.sub("", css).replace("[data-theme=light]", THEME.format("light"))
    css = css.replace("[data-theme=dark]", THEME.format("dark"))
    return "".join(
        f"\n@media (prefers-color-scheme: {theme}) {{\n{''.join(_auto(css, theme))}}}\n"
        for theme in ("light", "dark")
    )


def _auto(css: str, theme: str) -> Iterator[str]:
    chosen = THEME.format(theme)
    for selectors, rules in RULE.findall(css):
        asked = [each.strip() for each in COMMA.split(selectors) if chosen in each]
        if asked:
            yield f"{', '.join(asked)} {{{rules}}}\n".replace(chosen, AUTO)
