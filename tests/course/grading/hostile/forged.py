"""Answers made up, or taken from the library where no process can tell; and who is told of it."""

from __future__ import annotations

from dataclasses import replace

from tests.course.grading.hostile.rows import REAL, Row, trick

WORDS = "words in its code that no exercise needs: "
REPLACED = "the notebook replaced "
MADE_UP = "the answers were made up|were not answered"


# Said in place of what the course's `ask` would say.
SAYS = """
import importlib
from IPython.display import publish_display_data
kernel = importlib.import_module(".".join(["helpers", "course", "sandbox", "kernel"]))
ANSWERS, to_json = kernel.ANSWERS, kernel.to_json
from helpers.checks.sinusoidal import wavelengths as exercise
said = to_json(exercise.ask(lambda *a, **k: None, 2101)) | {"replaced": []}
"""


def _forged(name: str, change: str, told: str) -> Row:
    """Answers in a form that the course's own code never gives."""
    code = SAYS + change + "\nkernel.ask = lambda *a: publish_display_data({ANSWERS: said})"
    return trick(name, code, told, unit=REAL)


def _watched(name: str, told: str, code: str = "", answer: str = "") -> Row:
    """The library's, which no process can tell from a learner's: its point waits for a person."""
    row = trick(name, code, f"has looked: 1; {WORDS}{told}", unit=REAL, wavelengths=answer)
    return replace(row, marks=1)


LIBRARYS = """
def librarys(seed):
    said = to_json(exercise.ask(exercise.reference, seed)) | {"replaced": []}
    return said | {"used": {part: [] for part in said["used"]}}
"""
OVER_THE_WIRE = (
    SAYS
    + LIBRARYS
    + """
import re
shell = get_ipython()
def say(kind, content):
    pub = shell.display_pub
    pub.session.send(pub.pub_socket, kind, content, parent=pub.parent_header, ident=kind.encode())
def first(info):
    if "'wavelengths'" in info.raw_cell:
        seed = int(re.search(r", (\\d+)\\)", info.raw_cell)[1])
        say("display_data", {"data": {ANSWERS: librarys(seed)}, "metadata": {}})
        canary = info.raw_cell.split("'")[-2]
        say("error", {"ename": "AssertionError", "evalue": canary, "traceback": []})
        say("status", {"execution_state": "idle"})
shell.events.register("pre_run_cell", first)
"""
)
WATCHED = [
    _watched(
        "in-a-thread-made-before",
        ".*concurrent",
        "from concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(1)\npool.submit(int).result()",
        "from helpers import encodings\ndef wavelengths(*given, **named):\n"
        "    return pool.submit(encodings.wavelengths, *given, **named).result()",
    ),
    _watched(
        "runs-its-source",
        ".*getsource",
        answer="import inspect\nimport helpers.encodings.sinusoidal as s\n"
        "exec(inspect.getsource(s).replace('from __future__', '#'))",
    ),
    _watched(
        "replaces-the-question",
        r".*\.reference",
        SAYS + LIBRARYS + "kernel.ask = lambda module, name, answer, seed: "
        "publish_display_data({ANSWERS: librarys(seed)})",
        "wavelengths = None",
    ),
    _watched("says-it-over-the-wire", r".*display_pub", OVER_THE_WIRE),
]
ROWS = [
    *WATCHED,
    trick(
        "says-it-without-the-canary",
        OVER_THE_WIRE.replace('say("error"', '("error"'),
        "checks were switched off",
        unit=REAL,
    ),
    replace(
        trick(
            "takes-what-a-mistake-is-made-of",
            "",
            f"has looked: 2; {WORDS}.*mistakes, __mro__",
            unit=REAL,
            module="SinusoidalEncoding = check.module.mistakes[0].answer.__mro__[1]",
        ),
        marks=2,
    ),
    trick(
        "takes-a-right-answer",
        "",
        WORDS + ".variants",
        "No module named 'tests'",
        unit=REAL,
        wavelengths="from tests . checks . variants . sinusoidal import VARIANTS\n"
        "wavelengths = VARIANTS['wavelengths'][0]",
    ),
    trick(
        "says-it-and-stops",
        SAYS + LIBRARYS,
        WORDS,
        "NoMarks",
        unit=REAL,
        wavelengths="def wavelengths(*given, **named):\n"
        "    publish_display_data({ANSWERS: librarys(7)})\n    raise SystemExit",
    ),
    trick(
        "says-openly-what-it-does",
        "import helpers.course.sandbox.kernel",
        "reaches into what grades it",
        unit=REAL,
        wavelengths="import math, torch\ndef wavelengths(d_model, base=1e4):\n"
        "    return 2 * math.pi * base ** (torch.arange(0, d_model, 2) / d_model)",
    ),
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
    _forged("says-that-a-number-was-replaced", "said['replaced'] = 7", REPLACED + "7"),
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
    _forged("says-very-much", "said['name'] = 'x' * (6 << 20)", MADE_UP),
    _forged("says-a-script", "said['name'] = '<script>mine()</script>'", ""),
]
