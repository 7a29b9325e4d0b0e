"""The site's explorable figures in a notebook: the same ES module, and a picture before it.

The output is HTML that holds all it needs: the picture, and a script that draws the figure in its
place. Where no script may run (GitHub, a notebook that is not trusted, a marked page), the picture
stays. Nothing of it asks the kernel, so a figure moves in a notebook that was only opened, too.

anywidget would show the same modules, and was tried (0.11, JupyterLab 4.6). What it had shown was
gone when the notebook was opened again (“model not found”), and where JupyterLab lacks its
extension, as when the kernel has an environment of its own, it showed an error. What it is for, a
state that Python and the page share, these figures do not have.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
from pathlib import Path

from matplotlib.figure import Figure

from helpers.explorable.data import FILES
from helpers.plots import LiveOutput

# In a checkout the modules stand where the site has them; an installed package carries a copy.
ROOT = Path(__file__).parent.parent
PLACES = (ROOT.parent / "web" / "figures", ROOT / "figures")
IMPORT = re.compile(r'^import (\{[^}]+\}) from "\./([\w-]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?:default )?((?:async )?(?:function|class|const) (\w+))", re.MULTILINE
)
READ = re.compile(r'\.read\("(\w+)"\)')
BEGIN = (
    '<figure class="explorable" data-module="{name}"><figcaption>{sentence}</figcaption>'
    '<div class="fallback">'
)
END = '</div></figure><style>\n{style}</style><script type="module">\n{script}</script>'


def show(name: str, picture: Figure, alt: str) -> None:
    """Show the figure `name` of the site, and the picture where no script may run.

    Args:
        name: of a module in web/figures.
        picture: what stands there until the figure is drawn; it is closed.
        alt: the text of the picture.

    Raises:
        KeyError: there is no such figure.
    """
    folder = next((each for each in PLACES if each.is_dir()), None)
    if folder is None:  # in a sandbox, which shows what nobody moves
        LiveOutput().show(picture, alt)
        return
    told = tomllib.loads((folder / "contents.toml").read_text(encoding="utf-8"))[name]
    begin = BEGIN.format(name=name, sentence=html.escape(told["sentence"]))
    style = (folder / "figures.css").read_text(encoding="utf-8")
    LiveOutput(begin, END.format(style=style, script=script(folder, name))).show(picture, alt)


def script(folder: Path, name: str, host: str = "notebook") -> str:
    """What draws the figure: its module, all that this imports, and the numbers that it reads.

    Args:
        folder: of the modules.
        name: of the figure's module.
        host: module that knows where it is drawn, "notebook", or "page" for one of the site.
    """
    parts: dict[str, str] = {}

    def add(module: str) -> None:
        text = (folder / f"{module}.js").read_text(encoding="utf-8")
        for _, needed in IMPORT.findall(text):
            if needed not in parts:
                add(needed)
        parts[module] = closed(module, text)

    add(host)
    add(name)
    code = "".join(parts.values())
    stored = {each: FILES[each]() for each in READ.findall(code)}
    numbers = json.dumps(stored, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f'{code}{host}.begin("{name}", {_word(name)}.draw, {numbers});\n'


def closed(module: str, text: str) -> str:
    """A module as an expression with names of its own; those that it exports are its value."""
    body = IMPORT.sub(lambda found: f"const {found[1]} = {_word(found[2])};", text)
    exported = ", ".join(name for _, name in EXPORT.findall(text))
    body = EXPORT.sub(r"\1", body)
    return f"const {_word(module)} = (() => {{\n{body}return {{{exported}}};\n}})();\n"


def _word(name: str) -> str:
    """The name of a module as JavaScript may have it."""
    return name.replace("-", "_")
