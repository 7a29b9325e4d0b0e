"""A learner's cells run in a kernel of the sandbox, and what they show has bounds."""

import time
from contextlib import closing

import pytest

from helpers.course.sandbox.process import Sandbox
from helpers.course.sandbox.session import Session
from tests.course.sandbox.shown import LIMITS, text_of


def test_cells_share_a_kernel_and_sessions_do_not(warm: Sandbox) -> None:
    session = Session(warm)
    text_of(session, "import torch; kept = torch.arange(3)")
    assert text_of(session, "kept.sum().item()") == "3"
    shown = text_of(session, "import sys; print('out'); print('err', file=sys.stderr)")
    assert sorted(shown.split()) == ["err", "out"]  # two streams, in no order
    assert "division" in text_of(session, "1 / 0")
    assert "image/png" in session.run("import matplotlib.pyplot as p; p.plot([1]);", 20)[-1].data
    ours = "from helpers import plots; plots.show(p.figure(), 'an empty frame')"
    assert session.run(ours, 20)[-1].data["text/plain"] == "an empty frame"
    session.close()
    session = Session(warm)
    assert "not defined" in text_of(session, "kept")
    session.close()


def test_a_cell_that_takes_too_long_is_stopped_and_the_next_one_runs(warm: Sandbox) -> None:
    session = Session(warm)
    assert "more than 1 s" in text_of(session, "while True: pass", 1)
    assert text_of(session, "1 + 1") == "2"
    session.close()


def test_after_its_time_no_statement_of_a_cell_runs(warm: Sandbox) -> None:
    with closing(Session(warm)) as session:
        text_of(session, "seen = 1\nwhile True: pass\nseen = 2", 1)
        assert text_of(session, "seen") == "1"


def test_half_a_character_holds_up_no_output(warm: Sandbox) -> None:
    session = Session(warm)
    code = r"print('\ud800'); display('\udcff'); print(len('\ud800')); raise ValueError('\udfff')"
    for _ in range(3):
        began = time.monotonic()
        outputs = session.run(code, 20)
        assert time.monotonic() - began < 5
        streams = [each.text for each in outputs if each.output_type == "stream"]
        assert "".join(streams).split() == ["?", "1"]
        assert outputs[-1].evalue == "?"
    assert text_of(session, "1 + 1") == "2"
    session.close()


def test_a_cell_that_heeds_only_the_second_interrupt_goes_no_further(warm: Sandbox) -> None:
    session = Session(warm)
    twice = "import time\ntry:\n    time.sleep(9)\nexcept KeyboardInterrupt:\n    time.sleep(9)"
    assert "more than 1 s" in text_of(session, twice, 1)
    assert text_of(session, "1 + 1") == "2"
    session.close()


@pytest.mark.parametrize(
    "line",
    [
        "1 / 0",
        "import nothing_of_this_name",
        "%load_ext nothing_of_this_name",
        "%no_magic",
        "raise KeyboardInterrupt",
        "raise BaseException('mine')",
        "import sys; sys.exit(1)",
        "exit()",
        "quit",
        "input('?')",
        "breakpoint()",
        "import pdb; pdb.set_trace()",
        "class Bad:\n    def __repr__(self): raise ValueError\nBad()",
        "!false",
        "%matplotlib widget",
    ],
)
def test_whatever_a_line_raises_the_next_one_runs(warm: Sandbox, line: str) -> None:
    session = Session(warm)
    session.run(f"before = 1\n{line}\nafter = 2", 20)
    assert text_of(session, "before + after") == "3"
    session.close()


@pytest.mark.parametrize("magic", ["%%not_installed", "%%time", "%%capture"])
def test_below_a_magic_the_next_line_runs_too(warm: Sandbox, magic: str) -> None:
    session = Session(warm)
    session.run(f"{magic}\nbefore = 1\n1 / 0\nafter = 2", 20)
    assert text_of(session, "before + after") == "3"
    session.close()


def test_what_is_drawn_again_and_again_is_shown_once(warm: Sandbox) -> None:
    session = Session(warm)
    loop = "from IPython.display import clear_output\nfor n in range(9):\n    {}\n    print(n)"
    for clear in ("clear_output(wait=True)", "clear_output()"):
        assert text_of(session, loop.format(clear)).split() == ["8"]
    shown = "held = display(1, display_id=True)\nprint('x')\nheld.update(2)"
    assert text_of(session, shown) == "2x\n"
    assert text_of(session, "held.update(3)") == "3"
    assert text_of(session, "print('x'); clear_output()") == ""
    session.close()


RESULT_MUTATED = """
import threading, time
def talk():
    while True: print("x"); time.sleep(0.001)
threading.Thread(target=talk, daemon=True).start()"""
CHANGED = """
from IPython.display import JSON
d = {"a": 1}; display(JSON(d)); d[(1, 2)] = 3"""
ALARM = """
import signal
def ring(*_): raise TimeoutError
_ = signal.signal(signal.SIGALRM, ring); signal.setitimer(signal.ITIMER_REAL, 0.3)"""


@pytest.mark.parametrize("code", [RESULT_MUTATED, CHANGED, ALARM, "import sys; sys.stdout.close()"])
def test_what_a_cell_leaves_behind_ends_no_kernel(warm: Sandbox, code: str) -> None:
    with closing(Session(warm)) as session:
        text_of(session, code)
        time.sleep(0.5)
        for _ in range(3):
            assert "2" in text_of(session, "import time; time.sleep(0.05); print(1 + 1)")
        shown = text_of(session, "time.sleep(0.05)")
        assert set(shown.split()) == ({"x"} if code == RESULT_MUTATED else set())


def test_an_error_is_shown_where_nothing_else_fits(warm: Sandbox) -> None:
    with closing(Session(warm)) as session:
        shown = text_of(session, "print('x' * 10**6)\nraise ValueError('y' * 10**6)")
        assert "ValueError: yyy" in shown
        assert len(shown) < LIMITS.output


def test_files_stand_beside_the_notebook(warm: Sandbox) -> None:
    session = Session(warm, {"mine.py": b"half = 0.5", "data/words.txt": b"a b"})
    code = "from mine import half\nprint(half, open('data/words.txt').read())"
    assert text_of(session, code) == "0.5 a b\n"
    session.close()
    session = Session(warm)
    assert "No module named 'mine'" in text_of(session, "import mine")
    session.close()


def test_what_is_shown_is_bounded(warm: Sandbox) -> None:
    session = Session(warm)
    assert len(text_of(session, "for _ in range(10**5): print('x' * 99)", 60)) < 3 * LIMITS.output
    assert len(text_of(session, "print('x' * 40_000_000)", 60)) < 3 * LIMITS.output
    assert len(session.run("for _ in range(1000): display(1)", 60)) < 50
    assert text_of(session, "1 + 1") == "2"
    session.close()


THREAD = """
from threading import Thread
thread = Thread(target=print, args=["by a thread"])
thread.start(); thread.join()"""
FORK = """
import os
if os.fork() == 0:
    print("by a fork")
else:
    _ = os.wait()"""


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ("by a program", "import os; os.system('echo by a program')"),
        ("by a program", "!echo by a program"),
        ("by a program", "import subprocess; subprocess.run(['echo', 'by a program'])"),
        ("by a thread", THREAD),
        ("by a fork", FORK),
        ("built-in function len", "help(len)"),
        ("number of items", "len?"),
    ],
)
def test_whatever_shows_something_is_heard(warm: Sandbox, shown: str, code: str) -> None:
    with closing(Session(warm)) as session:
        said = text_of(session, f"print('first')\n{code}\nprint('last')")
        assert said.index("first") < said.index(shown) < said.index("last")
