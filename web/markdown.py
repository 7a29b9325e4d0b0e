"""Pieces of the Markdown that Sphinx reads, and links that lead where the site has the page."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")

ALT = re.compile(r"!\[[^\]]*\]")
PAPER = re.compile(r"\((\d\d(?:0[1-9]|1[0-2])\.\d{4,5})(?=[),;])")
CITED: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "papers.toml").read_text(encoding="utf-8")
)
CITATION = re.compile("|".join(map(re.escape, CITED)))
DOCS = re.compile(r"(?<!\[)`(docs/[\w-]+\.md)`")
PERCENT = re.compile(r"^%(?= )", re.MULTILINE)  # MyST takes such a line for a comment


def raw(markup: str) -> str:
    """HTML that goes into the page as it is."""
    return f"``````{{raw}} html\n{markup}\n``````\n" if markup else ""


def prose(text: str) -> str:
    """Return words of ours as HTML, with the apostrophes of print, as Sphinx writes them."""
    return html.escape(text).replace("&#x27;", "’")


def code(text: str) -> str:
    """Python, coloured."""
    return f"``````{{code-block}} python\n{text}\n``````\n"


def folded(title: str, text: str) -> str:
    """Python that opens where one clicks on `title`."""
    opened = raw(f'<details class="code"><summary>{title}</summary>')
    return f"{opened}\n{code(text)}\n{raw('</details>')}"


def fold(title: str, markup: str, kind: str = "") -> str:
    """HTML that opens where one clicks on `title`."""
    of_kind = f' class="{kind}"' if kind else ""
    return f"<details{of_kind}><summary>{title}</summary>{markup}</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; `|` may stand in a cell."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(c.replace("|", r"\|") for c in each) + " |" for each in lines
    )


def rows(page: str) -> list[list[str]]:
    """The cells of the table in a page, below its head."""
    lines = [line for line in page.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def papers(text: str) -> str:
    """The text with each number of arXiv in brackets as a link."""
    return PAPER.sub(r"([\1](https://arxiv.org/abs/\1)", text)


def cited(text: str) -> str:
    """The text with each paper that it cites as a link, also those without a number of arXiv."""
    return CITATION.sub(lambda found: f"[{found[0]}]({CITED[found[0]]})", papers(text))


def relinked(text: str, lead: Callable[[str], str]) -> str:
    """The text with each link to where `lead` sends it; the bare words where that is nowhere.

    Names of pages under docs/ and numbers of arXiv become links as well.
    """

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        to = target if re.match(r"https?:|#|mailto:", target) else lead(target)
        return f"[{words}]({to})" if to else words

    text = ALT.sub(lambda alt: " ".join(alt[0].split()), text)  # Sphinx would join its lines
    text = DOCS.sub(r"[`\1`](/\1)", PERCENT.sub(r"\\%", text))
    return papers(LINK.sub(link, text))
