"""Each wall around a right answer by itself: what a kernel has, what it is given, who judges."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import pytest
from nbformat import NotebookNode, v4

from helpers import checks
from helpers.course.grading.judge import Check, Judge
from helpers.course.grading.withheld import Withheld
from helpers.course.sandbox import kernel, lent, pool
from helpers.course.sandbox.process import Limits
from helpers.course.sandbox.session import Session
from tests.common import needs_sandbox

PACKAGE = checks.package("02-sinusoidal")
LIBRARY = "helpers.encodings.sinusoidal"
# Each shows a tensor where its wall is down.
REACHES = {
    "calls it": "encodings.wavelengths(8)",
    "loads it again": f"importlib.reload(sys.modules['{LIBRARY}']).wavelengths(8)",
    "imports it anew": f"""
gone = sys.modules.pop('{LIBRARY}')
importlib.import_module('{LIBRARY}').wavelengths(8)""",
    "takes its code where it was loaded": f"""
code = encodings.__spec__.loader.found['{LIBRARY}'][0]
[code] = [each for each in code.co_consts if getattr(each, 'co_name', '') == 'offset_profile']
types.FunctionType(code, vars(sys.modules['{LIBRARY}']))(torch.eye(3))""",
    "asks the check": "check.wavelengths.reference(8)",
    "imports the check": f"""
importlib.import_module('{PACKAGE}.wavelengths').wavelengths.reference(8)""",
    "asks another Python": """
code = 'from helpers import encodings; print(encodings.wavelengths(8))'
print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout)""",
    "reads its file": "open(encodings.__file__.replace('__init__', 'sinusoidal')); torch.ones(1)",
}
IMPORTS = "import importlib, subprocess, sys, types, torch\nfrom helpers import encodings\n"
IMPORTS += "from helpers.checks import sinusoidal as check"


def _in_order(*names: str) -> Withheld:
    every = checks.exercises("02-sinusoidal")
    return Withheld({name: every[name] for name in names})


@needs_sandbox
@pytest.mark.usefixtures("warm_sandboxes")
def test_no_way_leads_to_what_is_withheld_until_it_is_given() -> None:
    waiting = _in_order("wavelengths", "similarity")
    with pool.taken(Limits(), True) as sandbox:
        session = Session(sandbox, waiting.names)
        try:
            run = partial(session.run, seconds=60)
            assert run(IMPORTS) == []
            shown = {way: str(run(code)) for way, code in REACHES.items()}
            given = {name: lent.codes(name) for name in waiting.after("wavelengths")}
            call = f"__import__('{kernel.__name__}', fromlist=['']).give()"
            assert run(call, sent=pickle.dumps((given, {}))) == []
            afterwards = str(run("encodings.wavelengths(8)"))
        finally:
            session.close()
    assert [way for way, text in shown.items() if "tensor(" in text] == []
    assert "is what an exercise asks for" in shown["calls it"]
    assert "tensor(" in afterwards


def test_nothing_is_given_that_another_exercise_still_asks_for() -> None:
    waiting = _in_order("wavelengths", "table", "any_width")
    assert waiting.after("wavelengths") == [f"{LIBRARY}:wavelengths", f"{LIBRARY}:_frequencies"]
    assert waiting.after("table") == []
    assert f"{LIBRARY}:sinusoidal_table" in waiting.after("any_width")


@pytest.mark.parametrize(
    "said",
    [
        v4.new_output("execute_result", data={"text/plain": "1.0"}, execution_count=1),
        v4.new_output("display_data", data={kernel.ANSWERS: {"earned": 1.0}}),
        v4.new_output("display_data", data={kernel.ANSWERS: {"name": "", "found": {}, "used": {}}}),
    ],
    ids=["a mark", "no answers", "too few answers"],
)
def test_what_a_kernel_says_is_no_mark(said: NotebookNode) -> None:
    def run(code: str, sent: bytes = b"") -> list[Any]:
        return [said] if ".ask(" in code else []

    flags: list[str] = []
    [shown] = Judge(run, _in_order("wavelengths"), flags).shown(
        Check(PACKAGE, "wavelengths", "mine", 1)
    )
    assert shown.output_type == "error" and len(flags) == 1


@pytest.mark.parametrize("waiting", [["attention", "masked"], ["attention"]])
def test_the_courses_answer_goes_to_no_lesson_that_is_still_asked_for_it(
    waiting: list[str],
) -> None:
    given: list[Any] = []

    def run(code: str, sent: bytes = b"") -> list[Any]:
        if ".give(" in code:
            given.append(pickle.loads(sent)[1])
        return []

    every, package = checks.exercises("01-order-blind"), checks.package("01-order-blind")
    withheld = Withheld({name: every[name] for name in waiting})
    Judge(run, withheld, []).shown(Check(package, "attention", "mine", 1, True))
    assert [*given[0]] == ([] if "masked" in waiting else [(package, "attention")])
