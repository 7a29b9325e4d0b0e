"""A figure of the site as a notebook's output holds it: picture, script, numbers."""

import json
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import pytest
from playwright.sync_api import Page

from helpers import explorable, plots
from helpers.explorable import data
from tests.common import ROOT, needs_browser
from tests.web.figures import FIGURES, NAMES

HANDLES = ":is(input[type=range], [role=slider], .chip)"


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
                page = output.get("data", {}).get("text/html", "")
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


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(KeyError, match="dial"):
        _show("dial")


@pytest.mark.parametrize("name", NAMES)
def test_a_script_needs_no_other_file(name: str) -> None:
    text = explorable.script(FIGURES, name)
    assert not re.search(r"^(import|export)\b|\bfetch\(|import\.meta", text, re.MULTILINE)
    assert text.count("class Explorable") == 1  # each module once
    last: Any = json.loads(text.splitlines()[-1].split(", ", 2)[2].removesuffix(");"))
    read = re.findall(r'options\.read\("(\w+)"\)', (FIGURES / f"{name}.js").read_text())
    assert last == {each: data.FILES[each]() for each in read}


@needs_browser
def test_every_figure_is_drawn_and_moves(page: Page, shown: list[dict[str, str]]) -> None:
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto("about:blank")
    for name in NAMES:
        shown.clear()
        _show(name)
        _show(name)  # as a notebook in two views
        page.set_content("".join(each["text/html"] for each in shown))
        figures = page.locator("figure.ready")
        figures.nth(1).wait_for()
        ids = page.evaluate("[...document.querySelectorAll('input[id]')].map(each => each.id)")
        assert len(set(ids)) == len(ids), name
        before = page.locator(".says").all_inner_texts()
        handle = figures.first.locator(HANDLES).first
        handle.press("Enter" if name == "loss-by-length" else "ArrowRight")
        page.wait_for_function(
            "before => document.querySelector('.says').innerText !== before", arg=before[0]
        )
        assert page.locator(".says").nth(1).inner_text() == before[1]
        page.wait_for_timeout(300)  # an address would be written by now
        assert page.url == "about:blank" and wrong == [], name
