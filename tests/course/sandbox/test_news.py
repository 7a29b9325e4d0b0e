"""The end of a cell is known, whatever becomes of what the cell shows."""

import pytest

from helpers.course.sandbox import session
from helpers.course.sandbox.process import Limits, Sandbox
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED


def test_a_cell_ends_though_the_news_of_it_were_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "RECONNECT", 400)  # ms, in which the kernel speaks to nobody
    warm = Sandbox(Limits(memory=1 << 30), ISOLATED)
    try:
        within = Session(warm)
        (shown,) = within.run("raise ValueError('x' * (8 << 20))", 5)
        assert "more was shown" in shown.text
        (result,) = within.run("1 + 1", 5)
        assert result.data["text/plain"] == "2"
        within.close()
    finally:
        warm.close()
