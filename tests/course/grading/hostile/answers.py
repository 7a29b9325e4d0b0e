"""Answers that are none: the learner's own process judges nothing and is not believed."""

from __future__ import annotations

from tests.course.grading.hostile.rows import Row

WORDS = "words in its code that no exercise needs: "
MADE_UP = "the answers were made up|were not answered"
LIBRARY = "from helpers import encodings\n"
# Publishes something else than the course's `ask`.
PUBLISHES = """
from IPython.display import publish_display_data
import helpers.course.sandbox.shell as kernel
from helpers.checks import sinusoidal
def ask(module, exercise, seed, answer):
    answers = kernel.to_json(getattr(sinusoidal, exercise).ask(lambda *a, **k: None, seed))
    {change}
    publish_display_data({{kernel.ANSWERS: answers}})
kernel.ask = ask
"""


def _trick(name: str, code: str, told: str = "", shown: str = "", answer: str = "") -> Row:
    return Row(name, code, told, shown, 0, answer)


def _forged(name: str, change: str, told: str = "") -> Row:
    return _trick(name, PUBLISHES.format(change=change), WORDS + f".*({told})")


def _returned(name: str, value: str, before: str = "") -> Row:
    answer = f"{before}\ndef wavelengths(d_model, base=1e4): return {value}"
    return _trick(name, "", answer=answer)


ROWS = [
    _trick(
        "calls-it",
        "",
        answer=f"{LIBRARY}def wavelengths(*a, **k): return encodings.wavelengths(*a, **k) + 0",
        shown="the points are for your own code",
    ),
    _trick(
        "replaces-the-check",
        """
        from helpers.checks.engine.exercise import Exercise
        Exercise.grade = Exercise.__call__ = lambda *a, **k: 1.0
        """,
    ),
    _trick(
        "publishes-a-report",
        """
        from IPython.display import publish_display_data
        from helpers.checks.engine.report import FINDINGS
        report = {"exercise": "wavelengths", "findings": [
            {"part": "all", "points": 1, "earned": 1, "message": "", "hint": ""}]}
        shown = {"text/plain": "1.0", FINDINGS: report}
        get_ipython().events.register("post_execute", lambda: publish_display_data(shown))
        """,
    ),
    _forged("nothing", "answers = {}", MADE_UP),
    _forged(
        "a-huge-shape",
        "huge = [{'tensor': '', 'shape': [0, 1 << 62]}] * 2;"
        " answers['found'] = dict.fromkeys(answers['found'], huge)",
    ),
    _forged("very-much", "answers['name'] = 'x' * (12 << 20)", MADE_UP),
    _forged("a-script", "answers['name'] = '<script>mine()</script>'"),
    _returned(
        "equal-to-all",
        "Equal()",
        "class Equal:\n    __eq__ = lambda self, other: True\n    __hash__ = None",
    ),
    _returned("nan", "torch.full((d_model // 2,), float('nan'))"),
    _returned("holds-itself", "x", "x = []; x.append(x)"),
    _returned("a-huge-integer", "1 << 10**7"),
    _returned("a-tensor-of-100-MB", "torch.zeros(25 << 20)"),
    _returned("cannot-be-named", "X()", "class X:\n    def __repr__(self): raise BaseException"),
    _returned("a-tensor-without-numbers", "torch.empty(d_model // 2, device='meta')"),
]
