"""What a learner wrote or printed, as HTML."""

import pytest

from helpers.course.pages import rendering


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** `<b>`", "<p><strong>a</strong> <code>&lt;b&gt;</code></p>\n"),
        ("# A", "<h3>A</h3>\n"),
        ("[a](https://x.example/?a=1&b)", 'href="https://x.example/?a=1&amp;b"'),
        ("[a](data:text/html,x)", "<p>a</p>\n"),
        ("<sub class=x>a</sub><sub>b</sub>", "&lt;sub class=x&gt;a</sub><sub>b</sub>"),
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
def test_markdown(text: str, html: str) -> None:
    assert html in rendering.markdown(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("10%\r50%\r100%\r\nend\n", "100%\nend"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x00\x08b\ud800c\tδ😀", "abc\tδ😀"),
        ("x" * 4_000_000, "x" * 20_000 + "\n… 3,980,000 more characters are not shown"),
    ],
)
def test_printed(text: str, seen: str) -> None:
    assert rendering.printed(text) == seen
