"""What a learner wrote or printed, as HTML."""

import pytest
from nbformat import read

from helpers.course.pages import rendering
from tests.common import ROOT
from tests.course.pages.payloads import FETCHED, PAYLOADS, RUN, harm, text


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("**a** `<b>`", "<p><strong>a</strong> <code>&lt;b&gt;</code></p>\n"),
        ("# A", "<h3>A</h3>\n"),
        ("[a](https://x.example/?a=1&b)", 'href="https://x.example/?a=1&amp;b"'),
        ("[a](data:text/html,x)", "<p>a</p>\n"),
        ("<sub class=x>a</sub><sub>b</sub>", "&lt;sub class=x&gt;a<sub>b</sub>"),
        ("a <mask> and <b and c>", "a &lt;mask&gt; and &lt;b and c&gt;"),
        ("<details>\n\n<b>*a*", "<p><b><em>a</em></b></p><b>\n</b></details>"),
        ("- [x] a", "<li>☑ a</li>"),
        ("- [ ] a", "<li>☐ a</li>"),
        ("$$a$$", 'tabindex="0"'),
        ("[a](mailto:b@c.example)", 'href="mailto:b@c.example" rel="noreferrer"'),
        ("[a](#b) [c](../d)", '<a href="#b" rel="noreferrer">a</a> c'),
        ("![a<b](x.png)", "[picture: a&lt;b]"),
        ("$\\frac{a}{b}$", "<mfrac><mrow><mi>a</mi></mrow>"),
        ("$a < b$", "<mo>&lt;</mo>"),
        ("$\\text{<b>}$", "<mtext>&lt;b&gt;</mtext>"),
        ("$\\href{javascript:x}{y}$", "<code>\\href{javascript:x}{y}</code>"),
        ("$\\style{a}{y}$", "<code>\\style{a}{y}</code>"),
        ("$\\frac$", "<code>\\frac</code>"),
        ("$" + "\\sqrt{" * 3000 + "$", "<code>\\sqrt{"),
        ("[" * 30_000, "<pre>[[["),
    ],
)
def test_markdown(written: str, html: str) -> None:
    assert html in rendering.markdown(written)


class _Off:
    """A sanitiser that lets everything through."""

    @staticmethod
    def clean(page: str) -> str:
        return page


def _rendered(written: str) -> str:
    """Not the one that is kept from a call with another sanitiser."""
    return str(rendering.rendered(written, {}))


def test_a_text_is_rendered_once_but_its_pictures_are_not_kept() -> None:
    first, drawn = rendering.markdown("**once**"), {"a.png": "data:image/png;base64,AAAA"}
    assert rendering.markdown("**once**") is first
    text = "![a](attachment:a.png)"
    assert rendering.markdown(text, drawn) is not rendering.markdown(text, drawn)
    assert 'src="data:image/png;base64,AAAA"' in rendering.markdown(text, drawn)
    assert "[picture: a]" in rendering.markdown(text)


TAGS = "".join(f"<b {chr(97 + n % 26)}{n // 26}>" for n in range(1100))  # open in each paragraph


@pytest.mark.rotating
def test_what_grows_a_thousandfold_is_no_table() -> None:
    text = "<p>" + TAGS
    text += "<p>x" * ((rendering.LONGEST - len(text)) // 4)
    assert len(rendering.SHOWN.clean(text)) > 100 * rendering.MOST
    assert rendering.table(text) == ""
    assert rendering.table("<table><tr><td>1</td></tr></table>")


@pytest.mark.parametrize("code", ["x = 1" + " \n" * 9_000 + "y", "x = 1\n" * 4_000])
def test_code_that_keeps_the_lexer_busy_is_not_marked(code: str) -> None:
    assert "<span" in rendering.code("x = 1\n\n\ny = 2")
    assert "<span" not in rendering.code(code)
    kept = rendering.without_blanks(code)
    assert rendering.marked_soon(kept[: rendering.LONGEST]) and kept.startswith("x = 1\n")
    assert rendering.without_blanks("x = 1\n\n\ny = 2") == "x = 1\n\n\ny = 2"


@pytest.mark.parametrize("written", PAYLOADS)
def test_nothing_runs_and_nothing_is_fetched(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert harm(_rendered(written)) == []
    monkeypatch.setattr(rendering, "_tags", str)  # now all tags reach the sanitiser
    assert harm(_rendered(written)) == []
    monkeypatch.setattr(rendering, "SAFE", _Off)
    assert harm(_rendered(written)) != []


@pytest.mark.parametrize("written", [each for each in PAYLOADS if each[0] == "<"])
def test_what_a_tag_held_is_shown_as_text(written: str) -> None:
    seen = text(_rendered(written))
    assert [seen.count(each) for each in (RUN, FETCHED)] == [
        written.count(each) for each in (RUN, FETCHED)
    ]


def test_all_formulas_of_the_course_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw = rendering.formula

    def formula(tex: str, display: str) -> str:
        drawn.append(draw(tex, display))
        return drawn[-1]

    monkeypatch.setattr(rendering, "formula", formula)
    for path in ROOT.glob("solutions/*/*.ipynb"):
        for cell in read(path, 4).cells:
            if cell.cell_type == "markdown":
                _rendered(cell.source)
    assert len(drawn) > 500
    assert [each for each in drawn if not each.startswith("<math")] == []


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("10%\r50%\r100%\r\nend\n", "100%\nend"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x00\x08b\ud800c\tδ😀", "abc\tδ😀"),
        ("x" * 4_000_000, "x" * 20_000 + "\n… 3,980,000 more characters are not shown"),
    ],
)
def test_printed(written: str, seen: str) -> None:
    assert rendering.printed(written) == seen
