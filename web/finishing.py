"""The last touch on what Sphinx wrote: what its theme leaves out, and what nobody asks for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator
from pathlib import Path

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COMMA = re.compile(r",(?![^(]*\))")  # between two selectors
THEME = '[data-theme="{}"]'
AUTO = THEME.format("auto")  # what a page has where no script has chosen
CLASS = re.compile(r"\.(-?[a-zA-Z_][\w-]*)")
GUEST = re.compile(r"--sd-[\w-]+:[^;}]*;?")  # sphinx-design's colours
WITHIN = re.compile(r"\([^()]*\)")  # of :not(…) and the like
SEARCH = ("searchtools", "language_data", "searchindex", "sphinx_highlight")
# What is left out of a page, and what stands for it.
LEFT_OUT = {
    re.compile(r"<th\b[^>]*>(?:<p></p>)?</th>"): "<td></td>",  # the heading of nothing
    # Names, brackets and blanks in code have the colour of all text.
    re.compile(r'<span class="[npw]">([^<]*)</span>'): r"\1",
    # A comma or a full stop stays on the line of its formula.
    re.compile(r'(<math display="inline"(?:(?!</math>).)*</math>)([.,;:!?)]+)', re.DOTALL): (
        r'<span class="whole">\1\2</span>'
    ),
    re.compile(r"©\s*Copyright\s+"): "",
    # It draws icons that a site adds; all of this one's are letters of a font.
    re.compile(r"<(?:link|script)\b[^>]*\bfontawesome\.js[^>]*>(?:</script>)?"): "",
    # They serve Sphinx's search, in whose place there is one of ours.
    re.compile(rf'<script src="[^"]*(?:{"|".join(SEARCH)})\.js[^"]*"></script>'): "",
}


def finish(out: Path) -> None:
    """Touch up the site in `out`, which a page's readers fetch with less then."""
    workshop = ("*.map", "webpack-*", ".buildinfo", "fontawesome.js*", *(f"{x}.js" for x in SEARCH))
    for path in itertools.chain(*map(out.rglob, workshop)):
        path.unlink(missing_ok=True)  # what no page asks for
    words = set[str]()
    for path in [*out.rglob("*.html"), *out.rglob("*.js")]:
        text = path.read_text(encoding="utf-8")
        words.update(re.findall(r"[\w-]+", text))
        if path.suffix == ".html":
            path.write_text(lighter(text), encoding="utf-8")
    theme, code, own = (
        out / "_static" / name
        for name in ("styles/pydata-sphinx-theme.css", "pygments.css", "site.css")
    )
    theme.write_text(used(theme.read_text(encoding="utf-8"), words), encoding="utf-8")
    styles = "".join(each.read_text(encoding="utf-8") for each in (theme, code, own))
    with own.open("a", encoding="utf-8") as file:
        file.write(as_the_system_asks(styles))


def lighter(page: str) -> str:
    """The HTML of a page without what says nothing."""
    for found, instead in LEFT_OUT.items():
        page = found.sub(instead, page)
    return page


def used(css: str, words: Container[str]) -> str:
    """The rules of `css` but for those on classes that are named nowhere, or for a guest."""

    def kept(rule: re.Match[str]) -> str:
        before, semicolon, chosen = rule[1].rpartition(";")  # such as @charset
        found = [
            each
            for each in COMMA.split(chosen)
            if all(name in words for name in CLASS.findall(WITHIN.sub("", each)))
        ]
        rest = f"{','.join(found)}{{{rule[2]}}}" if found else ""
        return f"{before}{semicolon}{rest}"

    return RULE.sub(kept, GUEST.sub("", COMMENT.sub("", css)))


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
