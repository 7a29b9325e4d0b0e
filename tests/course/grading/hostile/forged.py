"""Answers made up in a form that the course's own code never gives."""

from __future__ import annotations

from tests.course.grading.hostile.rows import REAL, Row, trick

WORDS = "words in its code that no exercise needs: "
MADE_UP = "the answers were made up|were not answered"


# Says something else than the course's `ask`.
SAYS = """
from IPython.display import publish_display_data
import helpers.course.sandbox.kernel as kernel
from helpers.checks import sinusoidal
def ask(module, exercise, seed, answer):
    said = kernel.to_json(getattr(sinusoidal, exercise).ask(lambda *a, **k: None, seed))
    {change}
    publish_display_data({{kernel.ANSWERS: said}})
kernel.ask = ask
"""


def _forged(name: str, change: str, told: str) -> Row:
    return trick(name, SAYS.format(change=change), WORDS + f".*({told})", unit=REAL)


ROWS = [
    trick(
        "says-a-report",
        """
        from IPython.display import publish_display_data
        from helpers.checks.engine.report import FINDINGS
        report = {"exercise": "wavelengths", "findings": [
            {"part": "all", "points": 1, "earned": 1, "message": "", "hint": ""}]}
        shown = {"text/plain": "1.0", FINDINGS: report}
        get_ipython().events.register("post_execute", lambda: publish_display_data(shown))
        """,
        "",
        unit=REAL,
    ),
    _forged("says-a-list", "said = [1, 2]", MADE_UP),
    _forged("says-nothing", "said = {}", MADE_UP),
    _forged("says-too-little", "said['found'] = {}", MADE_UP),
    _forged(
        "says-a-huge-shape",
        "said['found'] = {k: [{'tensor': '', 'shape': [0, 1 << 62]}] * 2 for k in said['found']}",
        "",
    ),
    _forged(
        "says-a-wrong-shape",
        "said['found'] = {k: [{'tensor': 'AAAA', 'shape': [-1]}] * 2 for k in said['found']}",
        MADE_UP,
    ),
    _forged(
        "says-no-number", "said['found'] = {k: [{'float': 'nan'}] * 2 for k in said['found']}", ""
    ),
    _forged(
        "says-half-a-letter", r"said['found'] = {k: ['\udcff'] * 2 for k in said['found']}", ""
    ),
    _forged("says-very-much", "said['name'] = 'x' * (12 << 20)", MADE_UP),
    _forged("says-a-script", "said['name'] = '<script>mine()</script>'", ""),
]
