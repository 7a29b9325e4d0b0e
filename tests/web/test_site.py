"""The site as files: what its pages hold, what they must not hold, and where their links lead."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from benchmarks.lag_study import ENCODINGS
from helpers import checks, results
from helpers.course.authoring import source
from helpers.course.settings import Course
from helpers.encodings import REGISTRY, hooks_of
from tests.common import ROOT, UNITS
from tests.web.conftest import Site
from web import explore

pytestmark = pytest.mark.rotating("site")

FORMULA = re.compile(r"\$\$.+?\$\$|\$(?!\s)[^$]+?\$", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
MARKED = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", re.DOTALL)


class Parts(HTMLParser):
    """The text of a page, and its tags that lead somewhere or to which one can be led."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text, self.tags = list[str](), list[tuple[str, dict[str, str]]]()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        if found.keys() & {"id", "href", "src"}:
            self.tags.append((tag, found))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


parts = cache(Parts)  # a hundred times as fast as Beautiful Soup, where all pages are read


@cache
def soup(path: Path) -> Any:  # Beautiful Soup's types know nothing of what a selector finds
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def words(text: str) -> str:
    """Text without the spaces in it, which a page may change."""
    return "".join(text.split())


def released(unit: str) -> str:
    """All that a unit's released notebook says."""
    text = (ROOT / "notebooks" / unit / f"{unit}.ipynb").read_text(encoding="utf-8")
    return words("\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]))


def secrets(unit: str) -> set[str]:
    """The lines of a unit's solutions and hidden tests that its released notebook does not have."""
    text, given = (ROOT / "source" / unit / f"{unit}.py").read_text("utf-8"), released(unit)
    lines = {words(line) for found in MARKED.finditer(text) for line in found[2].splitlines()}
    return {line for line in lines if len(line) > 8 and line not in given}


def page_of(site: Site, unit: str) -> Any:
    return soup(site.folder / "units" / f"{unit}.html")


def test_no_page_shows_a_line_of_a_solution_or_a_hidden_test(site: Site) -> None:
    # Every learner has the library, whose pages show its code. What is an answer in one unit may be
    # among the given lines of another.
    library = words("".join(path.read_text() for path in ROOT.glob("helpers/encodings/**/*.py")))
    given = "".join(map(released, UNITS))
    hidden = {unit: secrets(unit) for unit in UNITS}
    assert all(len(lines) >= 2 for lines in hidden.values())
    for path in site.pages:
        shown = {words(line) for line in "".join(parts(path).text).splitlines()}
        assert not shown & hidden.get(path.stem, set()), path
        known = given + (library if path.parent.name == "encodings" else "")
        for lines in hidden.values():
            assert not [line for line in lines & shown if line not in known], path


def test_notebooks_to_download_are_the_released_ones(site: Site) -> None:
    for unit in UNITS:
        file = f"notebooks/{unit}/{unit}.ipynb"
        assert (site.folder / file).read_bytes() == (ROOT / file).read_bytes()
        assert page_of(site, unit).find("a", href=f"../{file}", download=True)
    assert len(list(site.folder.rglob("*.ipynb"))) == len(UNITS)


def test_every_link_leads_somewhere_on_the_site(site: Site) -> None:
    dead, outside = [], set()
    for path in site.pages:
        for tag, given in parts(path).tags:
            address = urlsplit(given.get("href") or given.get("src") or "#main-content")
            if address.scheme or address.netloc:
                outside.add((tag, address.scheme))
                continue
            to = (path.parent / unquote(address.path)).resolve() if address.path else path
            to = to / "index.html" if to.is_dir() else to
            anchor = unquote(address.fragment)
            if not to.is_file() or (anchor and anchor != "main-content" and not _has(to, anchor)):
                dead.append((path.name, address.geturl()))
    assert not dead
    assert outside <= {("a", "https"), ("a", "http"), ("a", "mailto")}  # read, never loaded


def _has(path: Path, anchor: str) -> bool:
    return path.suffix == ".html" and any(each.get("id") == anchor for _, each in parts(path).tags)


@pytest.mark.parametrize("unit", UNITS)
def test_every_formula_is_mathml(site: Site, unit: str) -> None:
    cells = json.loads((ROOT / "notebooks" / unit / f"{unit}.ipynb").read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    formulas = [found for text in texts for found in FORMULA.findall(CODE.sub("", text))]
    page = page_of(site, unit)
    drawn = page.select("article math")
    assert len(drawn) == len(formulas)
    assert all(each.get_text(strip=True) for each in drawn)
    rest = BeautifulSoup(str(page.article), "html.parser")
    for each in rest.select("pre, code, math, .output"):
        each.extract()
    assert not re.search(r"\$|\\\w", rest.get_text())


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_has_all_that_the_lesson_showed(site: Site, unit: str, course: Course) -> None:
    page = page_of(site, unit)
    pictures = page.select("article .output img")
    worked = (ROOT / "solutions" / unit / f"{unit}.ipynb").read_text(encoding="utf-8")
    assert len(pictures) == worked.count("data:image/svg+xml")
    assert all(len(each["alt"]) > 10 and each["loading"] == "lazy" for each in pictures)
    figures = [each["data-module"] for each in page.select("figure.explorable")]
    assert sorted(figures) == sorted(each.name for each in explore.figures() if unit in each.units)
    assert len(page.select("details.code")) == worked.count('"source_hidden": true')
    asked = page.select("fieldset.prediction")
    assert len(asked) == worked.count("<b>Your prediction.</b>")
    for each in asked:  # the answer is among the choices, and folded
        measured = page.select_one(f"details#measured-{each['data-name']}:not([open])")
        choices = [button.get_text() for button in each("button")]
        assert each.input or measured["data-measured"] in choices
    cells = source.read(course.text(unit))
    told = page.get_text()
    exercises = [cell for cell in cells if cell.kind == "exercise"]
    assert len(page.select(".exercise")) == len(exercises)
    for cell in exercises:
        assert cell.keys["title"] in told and f"about {cell.keys['minutes']:g} minute" in told
    for name, exercise in checks.exercises(unit).items():
        hints = {each.hint for each in exercise.mistakes}
        assert any(
            hints == {item.get_text() for item in each.select("li")}
            for each in page.select(".hints")
        ), name
    said = page.select(".said")
    assert len(said) == len(checks.exercises(unit))
    assert all("Hint:" in each.get_text() for each in said)
    assert "You made no prediction" not in told


def test_pages_before_and_after_a_unit(site: Site) -> None:
    for before, after in pairwise(UNITS):
        assert page_of(site, before).select_one("a.right-next")["href"] == f"{after}.html"
        assert page_of(site, after).select_one("a.left-prev")["href"] == f"{before}.html"


def test_every_encoding_has_its_page(site: Site) -> None:
    for name, entry in REGISTRY.items():
        page = soup(site.folder / "encodings" / f"{name}.html")
        told = page.get_text()
        told_as = re.sub(r"[_^{}()]", "", entry.formula)
        assert re.sub(r"[_^{}()\n]", "", page.select_one(".equation").get_text()) == told_as
        paper = next(each for each in page.select("p") if each.get_text().startswith("Paper: "))
        assert entry.paper in paper.get_text().replace("’", "'")
        assert paper.select_one('a[href^="https://"]'), name
        assert f"class {entry.kind.__name__}" in told
        assert all(f"{hook}: " in told for hook in hooks_of(entry.kind))
        assert len(page.select(".picture img[alt]")) >= 2


@pytest.mark.parametrize("name", REGISTRY)
def test_numbers_on_an_encodings_page_are_the_stored_ones(site: Site, name: str) -> None:
    table = results.load("lag3").table
    found = table[[ENCODINGS.get(each, "?")[0] == name for each in table["encoding"]]]
    losses = found.groupby(["encoding", "length"])["loss"].agg(["mean", "std"])
    stored = {
        label: [f"{mean:.2f} ± {std:.2f}" for mean, std in rows.to_numpy()]
        for label, rows in losses.groupby("encoding")
    }
    if stored:
        stored["limit"] = [f"{x:.2f}" for x in found.groupby("length")["limit"].mean()]
    told = soup(site.folder / "encodings" / f"{name}.html").find(id="on-longer-texts")
    listed = {row.td.text: [each.text for each in row("td")[1:]] for row in told.select("tbody tr")}
    assert listed == stored
