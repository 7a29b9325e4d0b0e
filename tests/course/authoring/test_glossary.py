"""The glossary: each term is explained in the unit named, and every link leads somewhere."""

import dataclasses
import re

import pytest

from helpers.course.authoring import notebook, published, source
from helpers.course.settings import Course
from tests.common import ROOT, UNITS

PAGE = ROOT / published.GLOSSARY
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| **")]


def _prose(unit: str) -> str:
    cells = source.read(ROOT / "source" / unit / f"{unit}.py")
    return " ".join(" ".join(c.text for c in cells if c.type == "markdown").split()).casefold()


PROSE = {unit: _prose(unit) for unit in UNITS}


@pytest.mark.parametrize("row", ROWS)
def test_the_unit_named_is_the_one_that_explains_the_term(row: str) -> None:
    found = re.fullmatch(r"\| \*\*(.+)\*\* \| .+ \| \[(\d\d)\]\((.+)\) \|", row)
    assert found, row
    terms, number, link = found.groups()
    [unit] = [each for each in UNITS if each.startswith(number)]
    assert link == f"../notebooks/{unit}/{unit}.ipynb"
    for term in map(str.casefold, terms.split(", ")):
        word = re.compile(rf"(?<![\w-]){re.escape(term)}(s|es)?(?![\w-])")
        assert word.search(PROSE[unit].replace("*", "")), f"{unit} does not use {term!r}"
        before = [each for each in UNITS if each < unit and f"**{term}" in PROSE[each]]
        assert not before, f"{term!r} is introduced in {before[0]}"


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
