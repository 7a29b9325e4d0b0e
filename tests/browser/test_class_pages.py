"""Pages about a graded class, in light and dark, wide and narrow: does axe find a fault?"""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from playwright.sync_api import Page

from helpers.course.sandbox.session import error
from tests.common import needs_browser, tiny_course
from tests.course.pages.entered import RIGHT, UNIT, WRONG, Classroom, code, display
from tests.course.pages.payloads import PNG
from tests.course.report.test_report import row, written
from tests.web.axe import COLOURS, refused

FEEDBACK = f"feedback/ada/{UNIT}/{UNIT}.html"
PAGES = ("report.html", "similar.html", FEEDBACK)
LONG = " + ".join(f"x[{n}] * {n}" for n in range(60))
COPIED = f"""\
def double(x: int) -> int:
    \"""Twice x, by a long way round.\"""
    text = "some words"  # a comment
    return [x * n for n in (1, 2) if n and text][-1] if x else {LONG}
"""
CELLS = [
    v4.new_markdown_cell(
        f"# Mine\n\n*a* **b** `c` [d](https://a.example) $x^2$ and $${LONG}$$\n\n"
        f"| a | b |\n| --- | --- |\n| 1 | {LONG} |\n\n- [x] item\n- [ ] item\n\n"
        f"```python\n{COPIED}```\n\n"
        "<details><summary>more</summary>\n\n> as somebody said\n\n</details>"
    ),
    code(
        COPIED,
        v4.new_output("stream", text=f"\x1b[31mred\x1b[0m {LONG}\n" * 50),
        display(text_html="<table><tr><td>1</td></tr></table>", text_plain="a table"),
        display(image_png=PNG, text_plain="a dot"),
        error("ValueError", "no such thing"),
    ),
]

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class with all that its pages can show: hints, an essay, flags, repairs, a pair alike."""
    root = tmp_path_factory.mktemp("class")
    room = Classroom(tiny_course(root), root / "out")
    for student in ("ada", "bob", "cyd"):
        room.enter(student, WRONG if student == "ada" else RIGHT, CELLS)
        path = room.out / "submitted" / student / UNIT / f"{UNIT}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.id == "double" and student != "cyd":
                cell.source = COPIED
        nbformat.write(notebook, path)
    first = {"flags": "the kernel was killed", "repairs": "double: put back", "late": "2 h"}
    last = row("eve", unit="", status="not graded: the file is empty")
    written(room.course, room.out, [row("ada", **first, penalty=1), row("bob"), row("cyd"), last])
    assert "ada and bob" in (room.out / "similar.html").read_text("utf-8")
    return room.out


def _open(page: Page, path: Path, scheme: str) -> None:
    """Go to a page, and unfold all that is folded."""
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")


@pytest.mark.parametrize("name", PAGES)
def test_nobody_is_shut_out(graded: Path, page: Page, name: str, tmp_path: Path) -> None:
    _open(page, graded / name, "light")
    for width in (1366, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert refused(page) == []
    page.emulate_media(color_scheme="dark")
    assert refused(page, rules=COLOURS) == []
    # The policy of a page lets axe look at it: it finds a pale word.
    text = (graded / name).read_text("utf-8")
    (tmp_path / "page.html").write_text(text.replace("--text: #e3e6ea", "--text: #2a2d31"))
    _open(page, tmp_path / "page.html", "dark")
    assert {rule for rule, _ in refused(page, rules=COLOURS)} == {"color-contrast"}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_printed_in_black_on_white_and_nothing_is_cut_off(
    graded: Path, page: Page, name: str
) -> None:
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 at 96 dots per inch, less margins
    _open(page, graded / name, "dark")
    page.emulate_media(media="print", color_scheme="dark")
    seen = "(each => [each.color, each.backgroundColor])(getComputedStyle(document.body))"
    assert page.evaluate(seen) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    boxes = "[...document.querySelectorAll('pre, .wide')]"
    cut = f"{boxes}.filter(each => each.scrollHeight > each.clientHeight + 1).length"
    assert page.evaluate(cut) == 0
    page.emulate_media(media="screen")
    assert page.evaluate(seen)[1] != "rgb(255, 255, 255)"
    if name == FEEDBACK:  # a long output is in a box of its own there, which moves
        assert page.evaluate(cut) > 0
