"""Draw README's moving picture, the front page's figure: `python -m tests.web.moving`.

What the figure shows is read in a browser, in both orders of the words and both themes, and written
as a picture that moves without scripts, as a repository's page needs it.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from tests.common import ROOT
from tests.web.figures import browsing, hosting, opened
from web import explore, front

PATH = ROOT / "docs" / "swap.svg"
STEP, CELL, COLUMNS = 92, 17, 4  # units: from word to word, of a number; numbers beside one another
TOPS = (84, 192)  # of the numbers without positions, and with them
SECONDS = 9  # of one round: as it was, swapped, and back
# Each word: its text, its place, and the colours of its numbers, 16 of each row.
READ = """() => [...document.querySelectorAll(".swap .column")].map((column) => [
    column.querySelector("text").textContent,
    Math.round(column.getBoundingClientRect().left),
    [...column.querySelectorAll("rect")].map((each) => "#" + each.getAttribute("fill")
        .match(/\\d+/g).map((part) => Number(part).toString(16).padStart(2, "0")).join("")),
])"""
STYLE = f"""\
text {{ font: 15px system-ui, sans-serif; fill: var(--soft); }}
.word {{ font-weight: 700; font-size: 20px; fill: var(--ink); text-anchor: middle; }}
svg {{ --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #ddd8cc; }}
.paper {{ fill: var(--paper); stroke: var(--line); }}
.numbers rect {{ --from: var(--a); --to: var(--b); fill: var(--to); }}
.told {{ font-weight: 700; fill: var(--ink); }}
.column {{ transform: translateX(var(--there)); }}
@media (prefers-color-scheme: dark) {{
  svg {{ --ink: #e6e9ed; --soft: #aab4bf; --paper: #15191f; --line: #333b45; }}
  .numbers rect {{ --from: var(--c); --to: var(--d); }}
}}
@media (prefers-reduced-motion: no-preference) {{
  .numbers rect {{ animation: numbers {SECONDS}s ease-in-out infinite; }}
  .told {{ animation: told {SECONDS}s infinite; }}
  .column {{ animation: places {SECONDS}s ease-in-out infinite; }}
}}
@keyframes numbers {{
  0%, 20%, 95%, 100% {{ fill: var(--from); }}
  32%, 83% {{ fill: var(--to); }}
}}
@keyframes told {{ 0%, 32%, 84%, 100% {{ fill-opacity: 0; }} 38%, 78% {{ fill-opacity: 1; }} }}
@keyframes places {{
  0%, 20%, 95%, 100% {{ transform: translateX(var(--here)); }}
  32%, 83% {{ transform: translateX(var(--there)); }}
}}"""


@dataclass(frozen=True)
class Word:
    """A word, its places before and after the swap, and the colours of its 2 × 16 numbers."""

    text: str
    places: tuple[int, int]
    colours: list[tuple[str, ...]]  # light before and after, dark before and after


def read(browser: Browser) -> list[Word]:
    """Return the words of the figure, with all that the swap and the theme change of them."""
    context = browser.new_context(reduced_motion="reduce")
    with tempfile.TemporaryDirectory() as name, hosting(Path(name)) as address:
        explore.write(Path(name) / "figures")
        (Path(name) / "index.html").write_text(f"<!doctype html>{front.FIGURE}", "utf-8")
        page = opened(context.new_page(), f"{address}/index.html")
        found = []
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            for _ in range(2):
                found.append(page.evaluate(READ))
                page.get_by_role("button").click()
    context.close()
    lefts = sorted(left for _, left, _ in found[0])
    return [
        Word(
            states[0][0],
            (lefts.index(states[0][1]), lefts.index(states[1][1])),
            list(zip(*(colours for _, _, colours in states), strict=True)),
        )
        for states in zip(*found, strict=True)
    ]


def svg(words: list[Word]) -> str:
    """Return the picture; where nothing may move, it shows the words swapped."""
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="423" viewBox="0 0 480 282" '
        'role="img">',
        "<title>Two words change places: without positions each keeps its numbers, with positions "
        "all of them change</title>",
        f"<style>{STYLE}</style>",
        '<rect class="paper" x=".5" y=".5" width="479" height="281" rx="10"/>',
    ]
    rows = (
        ("Without positions", "every word keeps its numbers"),
        ("With positions", "all of them change"),
    )
    for top, (name, told) in zip(TOPS, rows, strict=True):
        lines.append(
            f'<text x="22" y="{top - 10}">{name}<tspan class="told">: {told}</tspan></text>'
        )
    # Those that move are drawn last, over the others.
    for word in sorted(words, key=lambda each: each.places[0] != each.places[1]):
        lines += _column(word)
    return "\n".join([*lines, "</svg>", ""])


def _column(word: Word) -> Iterator[str]:
    here, there = (f"{56 + STEP * place}px" for place in word.places)
    yield f'<g class="column numbers" style="--here:{here};--there:{there}">'
    yield f'<text class="word" y="38">{word.text}</text>'
    for n, colours in enumerate(word.colours):
        row, cell = divmod(n, len(word.colours) // 2)
        x = CELL * (cell % COLUMNS) - CELL * COLUMNS // 2
        y = TOPS[row] + CELL * (cell // COLUMNS)
        style = ";".join(f"--{name}:{each}" for name, each in zip("abcd", colours, strict=True))
        yield f'<rect x="{x}" y="{y}" width="16" height="16" rx="2" style="{style}"/>'
    yield "</g>"


if __name__ == "__main__":
    with browsing() as browser:
        PATH.write_text(svg(read(browser)), encoding="utf-8")
    print(f"{PATH}: {PATH.stat().st_size // 1024} kB")
