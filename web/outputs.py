"""What a cell of a worked notebook showed, as HTML; its pictures become files."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable
from pathlib import Path

from matplotlib.figure import Figure
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode

from helpers import plots
from helpers.course.authoring.build import FIGURE_HTML
from helpers.widgets import AGAIN, TYPE

# A notebook's outputs bring the style and the script of JupyterLab along.
AROUND = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)
PICTURE = re.compile(r'src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"')
IMAGE = re.compile(r'<img class="order-matters"[^>]*>')
ASIDE = " (You made no prediction.)"  # for those who sit at the notebook
PAPERS = {"#fff": "#fcfbf8", "#111": "#14181e"}  # exactly as the page, light and dark
PLACES = re.compile(r'(?<=\s[dxy]=")[^"]*')
SLIDER = '<p class="slider">In the notebook, sliders or a text box move this picture.</p>'


class Outputs:
    """Turns outputs into HTML, and writes their pictures into a folder.

    Args:
        folder: where the pictures go.
        address: that folder, from a page that shows them.
    """

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address
        folder.mkdir(parents=True, exist_ok=True)

    def shown(self, outputs: Iterable[NotebookNode]) -> str:
        """All outputs of a cell; empty where there is none."""
        parts = list(filter(None, map(self._one, outputs)))
        return f'<div class="output">{"".join(parts)}</div>' if parts else ""

    def picture(self, figure: Figure, alt: str) -> str:
        """A figure of ours, drawn now; closes it."""
        width, height = (round(96 * inches) for inches in figure.get_size_inches())
        image = f'<img class="order-matters" width="{width}" height="{height}"'
        image += f' alt="{html.escape(alt)}" src="{plots.svg(figure)}">'
        return f'<div class="picture">{self._markup(image)}</div>'

    def _one(self, output: NotebookNode) -> str:
        if output.output_type == "stream":
            return printed(output.text)
        if output.output_type == "error":
            return printed("\n".join(output.traceback))
        if shown := output.data.get(FIGURE_HTML) or output.data.get("text/html"):
            return self._markup(shown)
        text = output.data.get("text/plain", "")
        return SLIDER if text in (AGAIN, TYPE) else printed(text)

    def _markup(self, text: str) -> str:
        # Nothing changes while it is read, so nothing has to be announced.
        text = AROUND.sub("", text.replace(ASIDE, "")).replace(' role="status"', "").strip()
        text = PICTURE.sub(lambda found: self._kept(base64.b64decode(found[1])), text)
        return IMAGE.sub(r'<div class="drawn">\g<0></div>', text)

    def _kept(self, drawing: bytes) -> str:
        name = f"{hashlib.sha256(drawing).hexdigest()[:16]}.svg"
        drawn = small(drawing.decode())
        for plain, page in PAPERS.items():
            drawn = drawn.replace(f"--paper:{plain}", f"--paper:{page}")
        (self.folder / name).write_text(drawn, encoding="utf-8")
        return f'src="{self.address}/{name}" loading="lazy" decoding="async"'


def small(drawing: str) -> str:
    """An SVG of matplotlib's to a hundredth of a point, without blanks that say nothing."""

    def shorter(found: re.Match[str]) -> str:
        path = re.sub(r"-?\d+\.\d{3,}", lambda each: f"{round(float(each[0]), 2):.10g}", found[0])
        return re.sub(r"\s*([A-Zz])\s*", r"\1", path)

    drawing = re.sub(r"<!--.*?-->", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r' id="\w+_\d+"', "", drawing)  # numbers of parts, which nothing uses
    drawing = re.sub(r">\s+<", "><", PLACES.sub(shorter, drawing))
    return drawing.replace("; ", ";").replace(": ", ":")  # in styles


def printed(text: str) -> str:
    """What was printed, as a terminal shows it; a long line is reached by the keyboard too."""
    told = html.escape(strip_ansi(text).rstrip())
    return f'<pre class="printed" tabindex="0">{told}</pre>' if told else ""
