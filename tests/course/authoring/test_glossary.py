"""The glossary: each term is explained in the unit named, and every link leads somewhere."""

import dataclasses
import re
from pathlib import Path

import pytest

from helpers.course.authoring import notebook, published, source
from helpers.course.settings import Course
from tests.common import ROOT, UNITS

PAGE = ROOT / published.GLOSSARY
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| **")]


def _prose(unit: str) -> str:
    """What a unit tells, its lines joined; terms in bold keep their stars."""
    cells = source.read(ROOT / "source" / unit / f"{unit}.py")
    return " ".join(" ".join(c.text for c in cells if c.type == "markdown").split()).casefold()


PROSE = {unit: _prose(unit) for unit in UNITS}


@pytest.mark.parametrize("row", ROWS)
def test_the_unit_named_is_the_one_that_explains_the_term(row: str) -> None:
    found = re.fullmatch(r"\| \*\*(.+)\*\* \| (.+) \| \[(\d\d)\]\((.+)\) \|", row)
    assert found, row
    terms, told, number, link = found.groups()
    [unit] = [each for each in UNITS if each.startswith(number)]
    assert link == f"../notebooks/{unit}/{unit}.ipynb" and len(told.split()) >= 4
    for term in map(str.casefold, terms.split(", ")):
        word = re.compile(rf"(?<![\w-]){re.escape(term)}(s|es)?(?![\w-])")
        assert word.search(PROSE[unit].replace("*", "")), f"{unit} does not use {term!r}"
        before = [each for each in UNITS if each < unit and f"**{term}" in PROSE[each]]
        assert not before, f"{term!r} is introduced in {before[0]}"


def test_terms_stand_in_order() -> None:
    terms = [row.split("**")[1].casefold() for row in ROWS]
    assert len(terms) > 40 and terms == sorted(set(terms))


def test_the_link_leads_to_the_page_or_to_the_release(course: Course) -> None:
    unpublished = dataclasses.replace(course, wheel="")
    cells = source.read(course.text(UNITS[1]))
    opening = notebook.instructor(cells, UNITS[1], unpublished).cells[0].source
    [link] = re.findall(r"\[glossary\]\(([^)]+)\)", opening)
    for folder in ("notebooks", "solutions", "work"):
        assert (course.root / folder / UNITS[1] / link).resolve() == PAGE
    named = {"owner": "someone", "repository": "order", "release": "v1", "wheel": "a-1-none.whl"}
    link = published.glossary(dataclasses.replace(course, **named))  # type: ignore[arg-type]
    assert link == "https://github.com/someone/order/blob/v1/docs/glossary.md"


def test_the_copy_leads_to_the_units_beside_it(course: Course, tmp_path: Path) -> None:
    published.copy_glossary(course, tmp_path)
    page = tmp_path / published.GLOSSARY
    links = set(re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")))
    known = {tmp_path / unit / f"{unit}.ipynb" for unit in UNITS}
    assert links and {(page.parent / link).resolve() for link in links} <= known
