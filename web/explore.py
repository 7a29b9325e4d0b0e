"""The explorable figures: a page for each, and their places in other pages.

web/figures/contents.toml says what there is: a figure is a module of JavaScript beside it. Pages
import none and fetch nothing, so that they work when they were opened as files.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from helpers import explorable
from web.markdown import prose, raw

FOLDERS = [Path(__file__).parent / name for name in ("figures", "live")]
CONTENTS = FOLDERS[0] / "contents.toml"


@dataclass(frozen=True)
class Figure:
    """One explorable figure.

    Args:
        name: of its module, without .js.
        sentence: the figure in a sentence, with its handle.
        fallback: what it shows, for those without scripts.
        card: a small drawing of it, the inside of an SVG of 120 by 60 units.
        units: those that show it, with words from the heading of the section that it closes.
        encodings: whose pages show it.
    """

    name: str
    title: str
    sentence: str
    fallback: str
    card: str
    units: Mapping[str, str] = field(default_factory=dict)
    encodings: Sequence[str] = ()

    @property
    def mark(self) -> str:
        """What names it in the element that it is drawn into."""
        return f'data-module="{self.name}"'

    def markup(self, root: str) -> str:
        """The element that the module draws into; `root` leads to the top of the site."""
        return (
            f'<figure class="explorable" {self.mark}>'
            f"<figcaption>{prose(self.sentence)}</figcaption>"
            f'<p class="fallback">{prose(self.fallback)}</p></figure>'
            f"{load(self.name, root)}"
        )

    def page(self) -> str:
        """Its own page, with a way to the units that show it."""
        units = ", ".join(f"[{each[:2]}](../units/{each}.md)" for each in self.units)
        return f"# {self.title}\n\n{raw(self.markup('../'))}\n\nExplained in unit {units}."


# What the live model needs where no state is asked for, fetched while its script is on the way.
PRELOAD = """<script>
if (!location.hash && location.protocol !== "file:")
  for (const each of ["weights.json", "rotary.bin"]) {
    const href = "ROOTfigures/weights/" + each;
    const link = {rel: "preload", as: "fetch", crossOrigin: "", href};
    document.head.append(Object.assign(document.createElement("link"), link));
  }
</script>"""


def load(name: str, root: str) -> str:
    """What draws a figure of a page; `root` leads to the top of the site."""
    files = [folder / f"{each}.css" for folder in FOLDERS for each in ("figures", name)]
    styles = [path.name for path in files if path.exists()]
    links = "".join(f'<link rel="stylesheet" href="{root}figures/{each}">' for each in styles)
    if name == "live":
        links += PRELOAD.replace("ROOT", root)
    return f'{links}<script defer src="{root}figures/{name}.js"></script>'


def write(out: Path) -> None:
    """Write into `out` what pages load: a script for each figure, styles, weights of models."""
    with TemporaryDirectory() as folder:
        modules = Path(folder)
        for each in FOLDERS:
            shutil.copytree(each, modules, dirs_exist_ok=True)
        shutil.copytree(modules / "weights", out / "weights")
        for path in modules.glob("*.css"):
            shutil.copy(path, out)
        for path in modules.glob("*.js"):
            if "export default" in path.read_text(encoding="utf-8"):
                script = explorable.script(modules, path.stem, "page")
                # In a block, since several figures of a page have modules in common.
                (out / path.name).write_text(f"{{\n{script}}}\n", encoding="utf-8")


def figures() -> list[Figure]:
    """All figures, in their order."""
    tables = tomllib.loads(CONTENTS.read_text(encoding="utf-8"))
    return [Figure(name, **each) for name, each in tables.items()]


def index(found: list[Figure]) -> str:
    """The page that lists them."""
    cards = "".join(
        f'<li><svg viewBox="0 0 120 60" aria-hidden="true">{each.card}</svg>'
        f'<a href="{each.name}.html">{prose(each.title)}</a>'
        f"<p>{prose(each.sentence)}</p></li>"
        for each in found
    )
    names = "\n".join(each.name for each in found)
    listed = raw(f'<ul class="cards">{cards}</ul>')
    toctree = f"```{{toctree}}\n:hidden:\n\n{names}\n```"
    return f"# Explore\n\nFigures that move, without Python.\n\n{listed}\n\n{toctree}\n"
