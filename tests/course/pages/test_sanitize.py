"""What nbgrader's formgrader and our page show of autograded/: nothing of a learner's runs."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode, v4
from nbgrader.server_extensions.formgrader import handlers
from playwright.sync_api import Browser, Request
from traitlets.config import Config

from helpers.checks.engine.report import FINDINGS
from helpers.course.authoring.notebook import METADATA
from helpers.course.pages import sanitize as module
from helpers.course.pages.feedback import Mark, render
from helpers.course.pages.sanitize import sanitize
from tests.common import needs_browser, tiny_course
from tests.course.pages.entered import UNIT, WRONG, Classroom, code, display
from tests.course.pages.payloads import FETCHED, PAYLOADS, PNG, RUN, harm, text

COVERS = "<div id='summary' style='position:fixed;inset:0;background:red'>over all</div>"
HTML = (*PAYLOADS, COVERS, "</section></main>", f"<a href='/files/javascript:{RUN}'>a</a>")
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'><script>{RUN}</script></svg>"
VIEW = "application/vnd.jupyter.widget-view+json"


def _output(kind: str, content: object, **metadata: object) -> NotebookNode:
    data = {kind: content, "text/plain": "in words"}
    return v4.new_output("display_data", data=data, metadata=metadata)


def _named(name: str) -> NotebookNode:
    stream = v4.new_output("stream", text=f"</pre><script>{RUN}</script>")
    stream.name = name
    return stream


OUTPUTS = (
    *(_output("text/html", each) for each in HTML),
    *(_output("text/markdown", each) for each in HTML),
    _output("text/html", f"<script>{RUN}</script>", **{"text/html": {"isolated": True}}),
    _output("application/javascript", RUN),
    _output("image/svg+xml", SVG),
    _output(VIEW, {"model_id": f"</script><script>{RUN}</script>"}),
    _output("text/latex", f"$\\href{{javascript:{RUN}}}{{x}}$"),
    _output("application/vnd.vega.v5+json", {"$schema": f"{FETCHED}/v5.json"}),
    _output("application/pdf", PNG),
    _output("image/gif", "R0lGODlhAQABAAAAACw="),
    _output("image/png", f"{PNG}' onerror='{RUN}"),
    _output("image/png", PNG, **{"image/png": {"width": f"1 onload={RUN}", "alt": f"'><b {RUN}"}}),
    _output("image/png", PNG, filenames={"image/png": f"{FETCHED}/p.png"}),
    _named(f"stdout'><script>{RUN}</script>"),
    v4.new_output("error", ename=SVG, evalue=SVG, traceback=[SVG]),
)
TEXTS = [make(each) for each in HTML for make in (v4.new_markdown_cell, v4.new_raw_cell)]
CELLS = [*TEXTS, *(code(f"'{SVG}'", each) for each in OUTPUTS)]
CUT = "here begins the next cell"


def _formgrader(notebook: NotebookNode) -> str:
    """The page that formgrader serves of a notebook."""
    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    about = {"base_url": "", "index": 0, "total": 1, "notebook_id": UNIT, "student": "eve"}
    page: str = HTMLExporter(config=config).from_notebook_node(notebook, resources=about)[0]
    return page


def _feedback(notebook: NotebookNode) -> str:
    return render(notebook, Mark(UNIT, "eve", {}))


def _of(*cells: NotebookNode) -> NotebookNode:
    return v4.new_notebook(cells=list(cells), metadata=METADATA)


def _harm(page: str) -> list[list[str]]:
    """What each cell could do in a page of `CELLS`."""
    return [harm(part) for part in page.split(CUT)[1:]]


BETWEEN = [each for cell in CELLS for each in (v4.new_markdown_cell(CUT), cell)]


@pytest.mark.parametrize("shown", [_formgrader, _feedback])
def test_nothing_of_a_cell_runs_or_is_fetched(shown: Callable[[NotebookNode], str]) -> None:
    found = _harm(shown(sanitize(_of(*BETWEEN), {})[0]))
    assert len(found) == len(CELLS)
    assert {str(cell): each for cell, each in zip(CELLS, found, strict=True) if each} == {}


def test_most_of_it_would_where_nothing_is_made_harmless() -> None:
    assert sum(map(bool, _harm(_formgrader(_of(*BETWEEN))))) > 0.6 * len(CELLS)


def test_what_a_tag_held_is_shown_as_text() -> None:
    tags = [each for each in PAYLOADS if each[0] == "<"]
    cells = sanitize(_of(*map(v4.new_markdown_cell, tags)), {})[0].cells
    for written, cell in zip(tags, cells, strict=True):
        assert text(cell.source).count(RUN) == written.count(RUN), written
        assert text(cell.source).count(FETCHED) == written.count(FETCHED), written


def test_what_is_beside_the_cells_is_left_out() -> None:
    cell = code("x", *OUTPUTS)
    cell.metadata |= {"tags": [], "scrolled": True, "nbgrader": {"grade_id": "x"}}
    cell.execution_count = 7
    notebook = _of(cell)
    notebook.metadata.widgets = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    notebook.metadata.language_info = {"name": f"'><script>{RUN}</script>"}
    made, _ = sanitize(notebook, {})
    assert made.metadata == METADATA and made.cells[0].execution_count is None
    assert set(made.cells[0].metadata) == {"tags", "nbgrader"}
    kinds = {kind for output in made.cells[0].outputs for kind in output.get("data", {})}
    assert kinds == {"text/plain", "image/png"}


def test_honest_work_is_shown() -> None:
    essay = v4.new_markdown_cell(
        "# Mine\n\n*Because* $x^2$ and `<mask>` cost $5\n\n![a dot](attachment:dot.png)\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\na = '*b*'\n\nc\n```"
    )
    essay.attachments = {"dot.png": {"image/png": PNG}}
    drawn = display(image_png=PNG, text_plain="<Figure size 1>")
    drawn.metadata = {"image/png": {"alt": "A dot.", "width": 3}}
    raw = v4.new_raw_cell("a `raw` one")
    made, _ = sanitize(_of(essay, raw, code("x", drawn)), {})
    for page in (_formgrader(made), _feedback(made)):
        for markup in ("<em>Because</em>", "<msup>", "&lt;mask&gt;", 'alt="a dot"', "<td>1</td>"):
            assert markup in page, markup
        assert 'alt="A dot."' in page and page.count(f"base64,{PNG}") == 2
        assert "cost $5" in text(page) and "a = '*b*' c" in text(page)
        assert "a `raw` one" in text(page)


def test_what_takes_long_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _of(v4.new_markdown_cell("*a* <b>"), code("x" + " \n" * 9_000 + "y"))
    in_time = sanitize(slow, {})[0].cells
    assert "<em>a</em>" in in_time[0].source and in_time[1].source == "x\ny"
    monkeypatch.setattr(module, "SECONDS", -1)
    assert "<pre>*a* &lt;b&gt;</pre>" in sanitize(slow, {})[0].cells[0].source


def test_autograded_is_harmless_and_holds_no_hidden_test(tmp_path: Path) -> None:
    room = Classroom(tiny_course(tmp_path), tmp_path / "out")
    room.enter("eve", WRONG, [*map(v4.new_markdown_cell, HTML), code("x", *OUTPUTS)])
    path = room.out / f"autograded/eve/{UNIT}/{UNIT}.ipynb"
    made = nbformat.read(path, as_version=4)
    assert harm(_feedback(made).split("<body>")[1]) == []
    test = next(cell for cell in made.cells if cell.id == "double-test")
    assert "double(2) == 4" in test.source and "21" not in test.source
    assert FINDINGS in test.outputs[0].data and "HIDDEN" not in path.read_text()


@needs_browser
@pytest.mark.parametrize("shown", [_formgrader, _feedback])
def test_in_a_browser_nothing_runs_and_nothing_is_fetched(
    browser: Browser, tmp_path: Path, shown: Callable[[NotebookNode], str]
) -> None:
    """Not even if the page had no policy that forbids it."""
    asked: list[set[str]] = []
    for cells in ([v4.new_markdown_cell("a")], [*TEXTS, code("x", *OUTPUTS)]):
        text = shown(sanitize(_of(*cells), {})[0])
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        (tmp_path / "page.html").write_text(text)
        page = browser.new_page()
        page.route(re.compile("^https?:"), lambda route: route.abort())
        seen: list[Request] = []
        page.on("request", partial(list.append, seen))
        page.goto(f"file://{tmp_path}/page.html")
        assert page.evaluate("window.ran") is None
        assert page.locator("[style*=fixed]").count() == 0
        assert page.locator("#summary").count() == (shown is _feedback)
        asked.append({each.url for each in seen if not each.url.startswith("data:")})
    assert asked[0] == asked[1]
