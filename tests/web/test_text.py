"""What becomes of formulas and of the repository's Markdown on the way to a page."""

import pytest

from web.encodings import equation
from web.markdown import relinked


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("ζ_n^((i − j)/512)", "ζ<sub>n</sub><sup>(i − j)/512</sup>"),
        ("base·s^(d/(d−2)) + 1", "base·s<sup>d/(d−2)</sup> + 1"),
        ("Σ_{m=j}^{i} f_h(x)", "Σ<sub>m=j</sub><sup>i</sup> f<sub>h</sub>(x)"),
        ("Skew(Q Eᵀ)_ij, depth_p", "Skew(Q Eᵀ)<sub>ij</sub>, depth<sub>p</sub>"),
        ("as shaw_keys, p / max_len", "as shaw_keys, p / max_len"),
        ("r1 log(1 + r2 |δ|)", "r<sub>1</sub> log(1 + r<sub>2</sub> |δ|)"),
    ],
)
def test_a_formula_is_lowered_and_raised_where_it_should(formula: str, shown: str) -> None:
    assert equation(formula) == shown


def test_a_line_that_begins_with_per_cent_is_no_comment() -> None:
    assert relinked("took 90\n% of it", lambda _: "") == "took 90\n\\% of it"


def test_an_alt_text_of_two_lines_keeps_its_words_apart() -> None:
    assert relinked("![stay above the\nlimit](a.png)", lambda _: "") == (
        "![stay above the limit](a.png)"
    )
