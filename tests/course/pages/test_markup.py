"""What a learner wrote or printed, as HTML."""

import re

import pytest
from nbformat import read

from helpers.course.pages import page, sanitize
from tests.common import ROOT


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("**a** `<b>`", "<p><strong>a</strong> <code>&lt;b&gt;</code></p>\n"),
        ("[a](https://x.example/?a=1&b)", 'href="https://x.example/?a=1&amp;b" rel="noreferrer"'),
        ("[a](data:text/html,x) [c](../d)", '<a rel="noreferrer">a</a> <a rel="noreferrer">c</a>'),
        ("<sub class=x>a</sub><sub>b</sub>", "&lt;sub class=x&gt;a<sub>b</sub>"),
        ("<details>\n\n<b>*a*", "<p><b><em>a</em></b></p><b>\n</b></details>"),
        ("- [x] a\n- [ ] b", "<li>☑ a</li>\n<li>☐ b</li>"),
        ("![a<b](x.png)", "[picture: a&lt;b]"),
        ("*b* ![](attachment:gone.png)", "<em>b</em> [picture: without a description]"),
        ("$$a < b$$", '<math display="block" tabindex="0"><mrow><mi>a</mi><mo>&lt;</mo>'),
        ("$\\text{<b>}$", "<mtext>&lt;b&gt;</mtext>"),
        ("$\\frac$ $1\\phantom{0}$", "<code>\\frac</code> <code>1\\phantom{0}</code>"),
        ("$" + "\\sqrt{" * 3000 + "$", "<code>\\sqrt{"),
        ("[" * 30_000, "<pre>[[["),
    ],
)
def test_markdown(written: str, html: str) -> None:
    assert html in sanitize.markdown(written)


@pytest.mark.parametrize(
    ("tex", "drawn"),
    [
        (r"2\sin a \cos(b)", "2 _ sin _ a _ cos ( b )"),
        (r"\sin(a)\log_2 x", "sin ( a ) _ log 2 _ x"),
        (r"-\log p + a\,\ln x", "− log _ p + a _ ln _ x"),
        (r"\operatorname{softmax}(\max(a, b))", "softmax ( max ( a , b ) )"),
        (r"\max_i x", "max i _ x"),
    ],
)
def test_the_name_of_a_function_stands_apart_but_not_from_a_bracket(tex: str, drawn: str) -> None:
    made = sanitize.formula(tex, "inline").replace('<mspace width="0.167em">', "_")
    assert " ".join(re.sub("<[^>]*>", " ", made).split()) == drawn
    assert not re.search("<mo>[a-z]", made)  # a browser would set it apart from a bracket, too


def test_a_bar_is_as_high_as_a_letter_and_a_slash_stands_close() -> None:
    made = sanitize.formula(r"\lVert x\rVert/2", "inline")
    assert made.count('<mo lspace="0" rspace="0" stretchy="false">‖</mo>') == 2
    assert '<mo lspace="0" rspace="0">/</mo>' in made
    assert '<mo lspace="0" rspace="0">…</mo>' in sanitize.formula(r"1, \dots, n", "inline")
    assert 'stretchy="true"' in sanitize.formula(r"\left|\frac{a}{b}\right|", "inline")


@pytest.mark.parametrize(
    "tex", ["(-a)", "x = -a", "a, -b", "a - b", "(a) - b", "|a| - b", "a^T - b"]
)
def test_a_sign_stands_close_to_its_number_and_a_minus_between_two_does_not(tex: str) -> None:
    made = sanitize.formula(tex, "inline")
    assert ('<mo form="prefix">−</mo>' in made) == (" - " not in tex)


def test_a_prime_stands_beside_its_letter() -> None:
    assert "<mrow><mi>D</mi><mi>′</mi></mrow>" in sanitize.formula("D'", "inline")


def test_all_formulas_of_the_course_are_drawn() -> None:
    cells = [cell for path in ROOT.glob("solutions/*/*.ipynb") for cell in read(path, 4).cells]
    made = "".join(sanitize.markdown(c.source) for c in cells if c.cell_type == "markdown")
    assert made.count("<math") > 500
    assert "<code>\\" not in made and "$" not in made.replace("$5", "")


def test_code_that_keeps_the_lexer_busy_is_not_marked() -> None:
    assert "<span" in page.code("x = 1\n\n\ny = 2")
    assert "<span" not in page.code("x = 1" + " \n" * 9_000 + "y")


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
    assert sanitize.printed(written) == seen


@pytest.mark.parametrize(("seconds", "words"), [(0, ""), (1, "1 min"), (90_061, "1 d 1 h 2 min")])
def test_a_duration_is_said_in_words(seconds: float, words: str) -> None:
    assert page.duration(seconds) == words
