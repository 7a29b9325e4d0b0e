"""What nbgrader's formgrader makes of autograded/: nothing of a learner's runs or is fetched."""

import re
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
from helpers.course.pages.harmless import harmless, written
from tests.common import needs_browser, tiny_course
from tests.course.pages.entered import UNIT, WRONG, Classroom, code, display
from tests.course.pages.payloads import FETCHED, PAYLOADS, RUN, harm, text
from tests.course.pages.test_feedback import PNG

COVERS = "<div style='position:fixed;inset:0;background:red'>over all</div>"
HTML = (*PAYLOADS, COVERS, f"<a href='/files/javascript:{RUN}'>a</a>")
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'><script>{RUN}</script></svg>"
VIEW = "application/vnd.jupyter.widget-view+json"


def _output(kind: str, content: object, **metadata: object) -> NotebookNode:
    data = {kind: content, "text/plain": "in words"}
    return v4.new_output("display_data", data=data, metadata=metadata)


def _named(name: str) -> NotebookNode:
    stream = v4.new_output("stream", text="a")
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
    _output("image/png", PNG, **{"image/png": {"width": f"1 onload={RUN}"}}),
    _output("image/png", PNG, filenames={"image/png": f"{FETCHED}/p.png"}),
    _named(f"stdout'><script>{RUN}</script>"),
)


def _formgrader(notebook: NotebookNode) -> str:
    """The page that formgrader serves of a notebook."""
    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    about = {"base_url": "", "index": 0, "total": 1, "notebook_id": UNIT, "student": "eve"}
    page: str = HTMLExporter(config=config).from_notebook_node(notebook, resources=about)[0]
    return page


def _of(*cells: NotebookNode) -> NotebookNode:
    return v4.new_notebook(cells=list(cells), metadata=METADATA)


def _raw(source: str) -> NotebookNode:
    return v4.new_raw_cell(source)


CUT = "here begins the next cell"
TEXTS = [make(each) for each in HTML for make in (v4.new_markdown_cell, _raw)]
CELLS = [*TEXTS, *(code("x", each) for each in OUTPUTS)]


def _harm(notebook: NotebookNode) -> list[list[str]]:
    """What each cell could do in formgrader's page."""
    between = [each for cell in notebook.cells for each in (v4.new_markdown_cell(CUT), cell)]
    return [harm(part) for part in _formgrader(_of(*between)).split(CUT)[1:]]


def test_nothing_of_a_cell_runs_or_is_fetched() -> None:
    made, _ = harmless(_of(*CELLS), {})
    done = dict(enumerate(_harm(made)))
    assert {str(CELLS[n]): found for n, found in done.items() if found} == {}
    for before, after in zip(CELLS, made.cells, strict=True):
        if before.cell_type == "code":
            kinds = {*after.outputs[0].get("data", {})}
            assert kinds <= {"text/plain", "text/html", "image/png"}
        else:
            assert before.source in written(after)


def test_most_of_it_would_where_nothing_is_made_harmless() -> None:
    assert sum(map(bool, _harm(_of(*CELLS)))) > 0.6 * len(CELLS)


def test_what_is_beside_the_cells_is_left_out() -> None:
    cell = code("x")
    cell.metadata |= {"tags": [], "scrolled": True, "nbgrader": {"grade_id": "x"}}
    cell.execution_count = 7
    notebook = _of(cell)
    notebook.metadata.widgets = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    notebook.metadata.language_info = {"name": f"'><script>{RUN}</script>"}
    made, _ = harmless(notebook, {})
    assert made.metadata == METADATA and made.cells[0].execution_count is None
    assert set(made.cells[0].metadata) == {"tags", "nbgrader"}


def test_honest_work_is_shown() -> None:
    essay = v4.new_markdown_cell(
        "# Mine\n\n*Because* $x^2$ and `<mask>` cost $5\n\n![a dot](attachment:dot.png)\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\na = '*b*'\n\nc\n```"
    )
    essay.attachments = {"dot.png": {"image/png": PNG}}
    table = "<style>td {color: red}</style><table><tr><td colspan='2'>7</td></tr></table>"
    drawn = display(image_png=PNG, text_plain="<Figure size 1>")
    drawn.metadata = {"image/png": {"alt": "A dot.", "width": 3}}
    made, _ = harmless(
        _of(essay, _raw("a `raw` one"), code("x", display(text_html=table), drawn)), {}
    )
    page = _formgrader(made)
    for markup in ("<em>Because</em>", "<msup>", "&lt;mask&gt;", 'alt="a dot"', "<td>1</td>"):
        assert markup in page, markup
    assert '<td colspan="2">7</td>' in page and 'alt="A dot."' in page
    assert "color: red}" not in page and page.count(f"base64,{PNG}") == 2
    assert "cost $5" in text(page) and "a = '*b*' c" in text(page) and "a `raw` one" in text(page)


def test_who_takes_long_is_shown_without_html(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [code("x" + " \n" * 9_000 + "y", _output("text/html", "<b>bold</b>"))]
    [in_time] = harmless(_of(*cells), {})[0].cells
    assert "<b>bold</b>" in str(in_time.outputs) and in_time.source == "x\ny"
    monkeypatch.setattr("helpers.course.pages.harmless.PATIENCE", -1)
    [late] = harmless(_of(*cells), {})[0].cells
    assert "bold" not in str(late.outputs)


def test_autograded_is_harmless_and_holds_no_hidden_test(tmp_path: Path) -> None:
    room = Classroom(tiny_course(tmp_path), tmp_path / "out")
    room.enter("ada", WRONG)
    room.enter("eve", WRONG, [*map(v4.new_markdown_cell, HTML), code("x", *OUTPUTS)])
    honest, path = (room.out / f"autograded/{who}/{UNIT}/{UNIT}.ipynb" for who in ("ada", "eve"))
    made = nbformat.read(path, as_version=4)
    of_formgrader = harm(_formgrader(nbformat.read(honest, as_version=4)))  # a form of its own
    assert harm(_formgrader(made)) == of_formgrader
    test = next(cell for cell in made.cells if cell.id == "double-test")
    assert "double(2) == 4" in test.source and "21" not in test.source
    assert FINDINGS in test.outputs[0].data and "HIDDEN" not in path.read_text()


def _note(seen: list[str], request: Request) -> None:
    seen.append(request.url)


@needs_browser
def test_in_a_browser_formgrader_runs_nothing_of_a_learners(
    browser: Browser, tmp_path: Path
) -> None:
    hostile = _of(*map(v4.new_markdown_cell, HTML), *map(_raw, HTML), code("x", *OUTPUTS))
    pages = {"benign": _of(v4.new_markdown_cell("a")), "hostile": harmless(hostile, {})[0]}
    asked: dict[str, list[str]] = {}
    for name, notebook in pages.items():
        (tmp_path / f"{name}.html").write_text(_formgrader(notebook))
        page = browser.new_page()
        page.route(re.compile("^https?:"), lambda route: route.abort())
        seen = asked.setdefault(name, [])
        page.on("request", partial(_note, seen))
        page.goto(f"file://{tmp_path}/{name}.html")
        assert page.evaluate("window.ran") is None
        assert page.locator("[style*=fixed]").count() == 0
    of_pages = [{url for url in urls if not url.startswith(("data:", f"file://{tmp_path}"))}
                for urls in asked.values()]  # fmt: skip
    assert of_pages[0] == of_pages[1]
