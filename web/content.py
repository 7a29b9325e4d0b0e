"""All pages of the site, as Sphinx reads them, and the files that lie beside them."""

from __future__ import annotations

import shutil
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import torch

from helpers.course.settings import Course
from web import encodings, explore, findings, front, links, markdown, measured, race_board
from web.markdown import cited, relinked
from web.outputs import Outputs
from web.units import Unit

HERE = Path(__file__).parent


def write(course: Course, pages: Path, out: Path) -> None:
    """Write the pages into `pages`, and what they show into `out`."""
    shutil.copytree(HERE / "text", pages)
    found = explore.figures()
    outputs = Outputs(out / "pictures", "../pictures")
    units = [Unit(course, name, outputs, found) for name in course.units()]
    _docs(course, pages, outputs)
    # What is computed is small, and threads would wait for one another.
    with ProcessPoolExecutor(initializer=torch.set_num_threads, initargs=(1,)) as pool:
        lessons = pool.map(partial(_unit, course, outputs, found), course.units())
        methods = pool.map(partial(_encoding, outputs, found), *_compared(pages))
        _units(course, pages, out, units)
        first = Outputs(out / "pictures", "pictures")
        _put(pages, "index", front.page(_got(pages, "index"), course, units, first))
        _figures(pages, out, found)
        for name, text in (*lessons, *methods):
            _put(pages, name, text)


def _unit(
    course: Course, outputs: Outputs, figures: list[explore.Figure], name: str
) -> tuple[str, str]:
    """The page of a unit, with its name."""
    return f"units/{name}", Unit(course, name, outputs, figures).page()


def _encoding(
    outputs: Outputs, figures: list[explore.Figure], name: str, compared: str
) -> tuple[str, str]:
    """The page of an encoding, with its name."""
    return f"encodings/{name}", encodings.page(name, outputs, figures, compared)


def _put(pages: Path, name: str, text: str) -> None:
    path = pages / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _got(pages: Path, name: str) -> str:
    return (pages / f"{name}.md").read_text(encoding="utf-8")


def _units(course: Course, pages: Path, out: Path, units: list[Unit]) -> None:
    """The notebooks to download, and the page that lists them."""
    for unit in units:
        copy = out / "notebooks" / unit.name
        copy.mkdir(parents=True)
        shutil.copy(course.notebooks / unit.name / f"{unit.name}.ipynb", copy)
    _put(pages, "units/index", front.index(_got(pages, "units/index"), units))


def _docs(course: Course, pages: Path, outputs: Outputs) -> None:
    """The pages of docs/, with their pictures."""
    for path, page in links.pages(course).items():
        if path.endswith(".md"):
            text = (course.root / path).read_text(encoding="utf-8")
            text = cited(relinked(text, links.leader(course, page, path)))
            _put(pages, page, measured.findings_first(text) if page.startswith("more/") else text)
    for picture in [*course.root.glob("docs/*.png"), *course.root.glob("docs/*.svg")]:
        shutil.copy(picture, pages / "more")
    _put(pages, "claims", measured.claims(_got(pages, "claims")))
    _put(pages, "more/benchmarks", measured.benchmarks())
    _put(pages, "more/race-board", race_board.page(outputs))
    for name in (*findings.FIRST, "more/questions"):
        _put(pages, name, findings.begin(name, _got(pages, name), outputs))


def _figures(pages: Path, out: Path, figures: list[explore.Figure]) -> None:
    """A page for each, and what draws them."""
    _put(pages, "explore/index", explore.index(figures))
    for each in figures:
        _put(pages, f"explore/{each.name}", each.page())
    explore.write(out / "figures")


def _compared(pages: Path) -> tuple[list[str], list[str]]:
    """Each encoding with its rows of docs/encodings.md, of which the overview is made."""
    overview = _got(pages, "encodings/index")
    _put(pages, "encodings/index", encodings.index(overview))
    owner, rows = "", defaultdict(list)
    for first, *cells in markdown.rows(overview):
        owner = first.strip("`") or owner
        rows[owner].append(cells[-2:])
    tables = [markdown.table(["compared with", "off by"], found) for found in rows.values()]
    return list(rows), tables
