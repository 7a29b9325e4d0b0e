"""How the pages write what they are given."""

import pytest

from helpers.course.pages.page import spans


@pytest.mark.parametrize(
    ("lines", "told"),
    [((), ""), ((3,), "3"), ((1, 2, 3, 5), "1–3, 5"), ((1, 3, 4, 9, 10), "1, 3–4, 9–10")],
)
def test_lines_are_written_as_spans(lines: tuple[int, ...], told: str) -> None:
    assert spans(lines) == told
