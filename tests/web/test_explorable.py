"""A figure as a notebook's output, or a page opened as a file, holds it: all that it needs."""

import json
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import pytest
from playwright.sync_api import Browser, Frame, Page

from helpers import explorable, plots
from helpers.course.authoring.build import FIGURE_HTML
from helpers.explorable import data
from tests.common import ROOT, needs_browser
from tests.tiers import sample
from tests.web.figures import FIGURES, NAMES, PHONE, complaints, opened, serving

HANDLES = ":is(input[type=range], [role=slider], .chip)"
# Stand-ins for front ends that cannot be started here, as far as a script can tell them apart.
# VS Code (extensions/notebook-renderers): the output is set as innerHTML, of which no browser runs
# a script; each is written anew with these attributes, put in and taken out at once. Its page lets
# inline scripts run and reads nothing from elsewhere.
VS_CODE = """
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'
  'unsafe-eval'; style-src 'unsafe-inline'; img-src data:">
<body style="background: #1f1f1f; color: #cccccc"><div id="output"></div><script>
const output = document.createElement("div");
output.innerHTML = OUTPUT;
document.getElementById("output").append(output);
for (const found of [...output.getElementsByTagName("script")]) {
  const script = document.createElement("script");
  script.text = found.innerText;
  for (const name of ["type", "src", "nonce", "nomodule", "async"])
    if (found.getAttribute(name)) script.setAttribute(name, found.getAttribute(name));
  output.append(script);
  script.remove();
}
</script>"""
# JupyterLab and others: here as a notebook in two views.
TWO_VIEWS = """
<body style="background: #1f1f1f; color: #cccccc"><script>
for (const _ of [1, 2])
  document.body.append(document.createRange().createContextualFragment(OUTPUT));
</script>"""
# Colab: each output has a frame of another origin, which may run scripts and little else. Here it
# is of no origin at all, so that storage, cookies and the notebook around it are out of reach.
COLAB = """
<body><iframe sandbox="allow-scripts" style="width: 100%; height: 4000px"></iframe><script>
document.querySelector("iframe").srcdoc =
  `<!doctype html><body style="background: #1f1f1f; color: #cccccc">${OUTPUT}`;
</script>"""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What the notebook displays."""
    outputs: list[dict[str, str]] = []
    monkeypatch.setattr(plots, "display", lambda data, **_: outputs.append(data))
    return outputs


def _show(name: str) -> None:
    explorable.show(name, plt.subplots()[0], "a <dial>")


def test_the_output_holds_picture_caption_and_script(shown: list[dict[str, str]]) -> None:
    _show("clock")
    [output] = shown
    page = output["text/html"]
    figure = page[page.index("<figure") : page.index("</figure>")]
    assert 'data-module="clock"' in figure and "Move the slider" in figure
    assert '<div class="fallback"><img' in figure and 'alt="a &lt;dial&gt;"' in figure
    assert "figure.explorable {" in page[page.index("</figure>") :]
    assert page.count("</script>") == 1 and page.endswith("</script>")
    assert output["text/plain"] == "a <dial>" and "image/png" in output
    _show("clock")
    assert shown[1] == output  # the same each time


def test_the_solutions_hold_the_figures_as_they_are_now() -> None:
    """Where one has been changed, `make build` renews them."""
    folder, found = explorable.PLACES[0], set()
    for path in sorted((ROOT / "solutions").glob("*/*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                page = output.get("data", {}).get(FIGURE_HTML, "")
                if told := re.search(r'data-module="([\w-]+)"', page):
                    assert page.endswith(f"{explorable.script(folder, told[1])}</script>"), path
                    assert (folder / "figures.css").read_text(encoding="utf-8") in page, path
                    found.add(told[1])
    assert {"clock", "skew", "turning"} <= found


def test_where_the_modules_are_not_there_is_the_picture(
    shown: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(explorable, "PLACES", (tmp_path / "none",))
    _show("clock")
    [output] = shown
    assert "<img" in output["text/html"] and "<script" not in output["text/html"]


@pytest.mark.parametrize("name", NAMES)
def test_a_script_needs_no_other_file(name: str) -> None:
    text = explorable.script(FIGURES, name)
    assert not re.search(r"^(import|export)\b|\bfetch\(|import\.meta", text, re.MULTILINE)
    assert text.count("class Explorable") == 1  # each module once
    last: Any = json.loads(text.splitlines()[-1].split(", ", 2)[2].removesuffix(");"))
    read = re.findall(r'options\.read\("(\w+)"\)', (FIGURES / f"{name}.js").read_text())
    assert last == {each: data.FILES[each]() for each in read}


def _move(frame: Frame, name: str) -> None:
    """Press a key on a handle of the first figure, and wait until it says something else."""
    before = frame.locator(".says").first.inner_text()
    handle = frame.locator("figure.ready").first.locator(HANDLES).first
    handle.press("Enter" if name == "loss-by-length" else "ArrowRight")
    frame.wait_for_function(
        "before => document.querySelector('.says').innerText !== before", arg=before
    )


@needs_browser
@pytest.mark.parametrize(
    "front_end", [TWO_VIEWS, VS_CODE, COLAB], ids=["two views", "vs-code", "colab"]
)
def test_a_figure_is_drawn_and_moves_wherever_it_is_shown(
    page: Page, shown: list[dict[str, str]], front_end: str
) -> None:
    wrong = complaints(page)
    page.on("request", lambda asked: wrong.append(asked.url) if "//" in asked.url[:9] else None)
    for name in sample(NAMES, len(NAMES)):
        shown.clear()
        _show(name)
        output = json.dumps(shown[0]["text/html"]).replace("</", "<\\/")
        page.goto("about:blank")
        wrong.clear()
        page.set_content(front_end.replace("OUTPUT", output))
        frame = page.frames[-1]
        drawn = frame.locator("figure.ready[data-theme=dark]")
        drawn.nth(1 if front_end == TWO_VIEWS else 0).wait_for()
        ids = frame.evaluate("[...document.querySelectorAll('input[id]')].map(each => each.id)")
        assert len(set(ids)) == len(ids), name
        other = frame.locator(".says").last.inner_text()
        _move(frame, name)
        if front_end == TWO_VIEWS:
            assert frame.locator(".says").last.inner_text() == other
        page.wait_for_timeout(300)  # an address would be written by now
        assert page.url == "about:blank" and wrong == [], name


@needs_browser
def test_figures_are_drawn_on_a_page_that_was_opened_as_a_file(
    browser: Browser, tmp_path: Path
) -> None:
    """The live model, whose weights are fetched, says how it can be asked."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    with serving(tmp_path):
        for name in sample(NAMES, 5):
            opened(page, (tmp_path / f"{name}.html").as_uri())
        page.goto((tmp_path / "live.html").as_uri())
        said = page.get_by_role("alert").text_content()
        assert said and "python -m http.server" in said and "http://localhost:8000" in said
    context.close()
