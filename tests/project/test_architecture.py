"""docs/architecture.svg is what the imports say, and they run one way only."""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.common import ROOT
from tests.project import architecture, drawing
from tests.project.architecture import Graph

PAGE = ROOT / "docs" / "architecture.md"


def _graph(arrows: str) -> Graph:
    """A made-up graph: "a>b c" are rooms a, b and c, of which a imports b."""
    rooms: dict[str, set[str]] = {}
    for word in arrows.split():
        name, *to = word.split(">")
        rooms.setdefault(name, set()).update(to)
        for each in to:
            rooms.setdefault(each, set())
    return {name: frozenset(to) for name, to in rooms.items()}


def test_the_picture_is_what_the_imports_say() -> None:
    fresh = architecture.picture(architecture.graph())
    stale = "run: python -m tests.project.architecture"
    assert architecture.PATH.read_text(encoding="utf-8") == fresh, stale


def test_another_import_makes_another_picture() -> None:
    rooms = dict(architecture.graph())
    before = architecture.picture(rooms)
    rooms["widgets"] |= {"runtime"}
    assert architecture.picture(rooms) != before


def test_rooms_import_one_way_only() -> None:
    rooms = architecture.graph()
    assert architecture.circle(rooms) == []
    assert architecture.upward(rooms) == []


@pytest.mark.parametrize(
    ("arrows", "way"),
    [
        ("a>b b>c a>c", []),
        ("a>b b>a", ["a", "b", "a"]),
        ("a>b b>c c>d d>b", ["b", "c", "d", "b"]),
    ],
)
def test_a_circle_is_found(arrows: str, way: list[str]) -> None:
    assert architecture.circle(_graph(arrows)) == way
    if way:
        with pytest.raises(ValueError, match="a circle: "):
            architecture.floors(_graph(arrows))


@pytest.mark.parametrize(
    ("arrows", "words"),
    [
        ("b>a", ""),
        ("a>b", "a imports b, which stands above it"),
        ("b>a c", "c is not in the order"),
        ("a", "b is in the order, but not in helpers/"),
    ],
)
def test_an_arrow_against_the_order_is_found(arrows: str, words: str) -> None:
    assert "\n".join(architecture.upward(_graph(arrows), ("a", "b"))) == words


def test_floors_and_the_arrows_that_follow_from_others() -> None:
    rooms = _graph("d>c d>a c>b b>a e")
    assert architecture.floors(rooms) == {"a": 0, "b": 1, "c": 2, "d": 3, "e": 0}
    assert architecture.needed(rooms) == [("b", "a"), ("c", "b"), ("d", "c")]


def test_imports_of_every_form_are_read(tmp_path: Path) -> None:
    package = tmp_path / "helpers"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model" / "__init__.py").write_text("import helpers.plots\n")
    (package / "plots.py").write_text("def late():\n    from helpers import book, runtime\n")
    (package / "book.py").write_text("from helpers.runtime import seed\nimport math\n")
    (package / "runtime.py").touch()
    expected = _graph("model>plots plots>book plots>runtime book>runtime")
    assert architecture.graph(package) == expected
    (package / "book.py").write_text("from . import runtime\n")
    with pytest.raises(ValueError, match=r"book\.py:1: write the whole name"):
        architecture.graph(package)


def test_no_two_boxes_touch_and_no_arrow_runs_through_one() -> None:
    rooms = architecture.graph()
    boxes = [
        drawing.Box(name, floor, 0, "", "") for name, floor in architecture.floors(rooms).items()
    ]
    ways = drawing.routes(boxes, architecture.needed(rooms))
    rows = drawing.ordered(boxes, ways)
    places = drawing.placed(rows, ways)
    assert {node.name for row in rows for node in row if not node.passing} == set(rooms)
    for row in rows:
        for left, right in pairwise(row):
            assert places[right] - places[left] >= left.half + right.half + drawing.GAP - 1


def test_the_picture_says_in_words_what_it_shows() -> None:
    text = architecture.PATH.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    names = [each.tag.rpartition("}")[2] for each in root]
    assert names[:2] == ["title", "desc"] and root.get("role") == "img"
    rooms = architecture.graph()
    titles = {unescape(each) for each in re.findall(r"<g><title>(.*?)</title>", text)}
    assert titles == {architecture._imports(name, to) for name, to in rooms.items()}
    assert text.count('class="arrow"') == len(architecture.needed(rooms))
    assert "prefers-color-scheme: dark" in text


def test_the_page_names_what_there_is() -> None:
    """Files by their path, functions and classes by one that some file defines."""
    page = PAGE.read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in architecture.modules().values())
    found = re.findall(r"`([^`\n]+)`", page)
    paths = [each for each in found if re.fullmatch(r"[\w./-]+/[\w./-]*", each)]
    assert len(paths) >= 8
    assert [each for each in paths if not (ROOT / each).exists()] == []
    names = [
        part for each in found if re.fullmatch(r"[\w.]+\(\)", each) for part in each.split(".")
    ]
    assert len(names) >= 15
    defined = set(re.findall(r"(?:def|class) (\w+)|(\w+) = Exercise\(", code))
    known = {name for pair in defined for name in pair} | {path.stem for path in _files()}
    assert [each for each in names if each.removesuffix("()") not in known] == []


def _files() -> list[Path]:
    return list(architecture.modules().values())
