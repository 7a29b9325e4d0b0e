"""A learner's cells run in a kernel of the sandbox, and what they show has bounds."""

import time
from contextlib import closing

import pytest

from helpers.course.sandbox.process import Sandbox
from helpers.course.sandbox.session import Session
from tests.course.sandbox.conftest import LIMITS, text_of


def test_cells_share_a_kernel_and_sessions_do_not(warm: Sandbox) -> None:
    files = {"mine.py": b"half = 0.5", "data/words.txt": b"a b"}  # beside the notebook
    files |= dict.fromkeys(["ж" * 127 + ".csv", "mine.py/x", "line\nend"], b"")  # some cannot be
    with closing(Session(warm, files)) as session:
        text_of(session, "import torch; kept = torch.arange(3)")
        assert text_of(session, "kept.sum().item()") == "3"
        shown = text_of(session, "import sys; print('out'); print('err', file=sys.stderr)")
        assert sorted(shown.split()) == ["err", "out"]  # two streams, in no order
        drawn = session.run("import matplotlib.pyplot as p; p.plot([1]);", 20)
        assert "image/png" in drawn[-1].data
        ours = "from helpers import plots; plots.show(p.figure(), 'an empty frame')"
        assert session.run(ours, 20)[-1].data["text/plain"] == "an empty frame"
        code = "from mine import half\nprint(half, open('data/words.txt').read())"
        assert text_of(session, code) == "0.5 a b\n"
    with closing(Session(warm)) as session:
        assert "not defined" in text_of(session, "kept")
        assert "No module named 'mine'" in text_of(session, "import mine")


@pytest.mark.parametrize(
    "line",
    [
        "while True: pass",
        "import time\ntry:\n    time.sleep(9)\nexcept KeyboardInterrupt:\n    time.sleep(9)",
    ],
    ids=["at once", "at the second interrupt"],
)
def test_a_cell_that_takes_too_long_is_stopped_and_the_next_one_runs(
    kernel: Session, line: str
) -> None:
    assert "more than 1 s" in text_of(kernel, f"seen = 1\n{line}\nseen = 2", 1)
    assert text_of(kernel, "seen") == "1"


def test_half_a_character_holds_up_no_output(kernel: Session) -> None:
    code = r"print('\ud800'); display('\udcff'); print(len('\ud800')); raise ValueError('\udfff')"
    began = time.monotonic()
    outputs = kernel.run(code, 20)
    assert time.monotonic() - began < 5
    streams = [each.text for each in outputs if each.output_type == "stream"]
    assert "".join(streams).split() == ["?", "1"]
    assert outputs[-1].evalue == "?"
    assert text_of(kernel, "1 + 1") == "2"


LINES = (
    "1 / 0",
    "%load_ext nothing_of_this_name",
    "raise KeyboardInterrupt",
    "raise BaseException('mine')",
    "import sys; sys.exit(1)",
    "exit()",
    "input('?')",
    "breakpoint()",
    "class Bad:\n    def __repr__(self): raise ValueError\nBad()",
    "!false",
    "%matplotlib widget",
)
MAGICS = ("%%not_installed\n", "%%time\n", "%%capture\n")


@pytest.mark.parametrize("code", [*LINES, *(f"{each}1 / 0" for each in MAGICS)])
def test_whatever_a_line_raises_the_next_one_runs(kernel: Session, code: str) -> None:
    kernel.run(f"{code}\nafter = 2", 20)
    assert text_of(kernel, "after") == "2"


def test_what_is_drawn_again_and_again_is_shown_once(kernel: Session) -> None:
    loop = "from IPython.display import clear_output\nfor n in range(9):\n    {}\n    print(n)"
    for clear in ("clear_output(wait=True)", "clear_output()"):
        assert text_of(kernel, loop.format(clear)).split() == ["8"]
    waits = "print('last'); clear_output(wait=True)"
    assert text_of(kernel, f"{waits}; {waits}") == "last\n"
    shown = "held = display(1, display_id=True)\nprint('x')\nheld.update(2)"
    assert text_of(kernel, shown) == "2x\n"


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
_ = signal.signal(signal.SIGALRM, ring); signal.setitimer(signal.ITIMER_REAL, 0.3)
import threading, time  # a thread may have the signal
threading.Thread(target=time.sleep, args=[2], daemon=True).start()"""


@pytest.mark.parametrize("code", [RESULT_MUTATED, CHANGED, ALARM, "import sys; sys.stdout.close()"])
def test_what_a_cell_leaves_behind_ends_no_kernel(kernel: Session, code: str) -> None:
    text_of(kernel, code)
    time.sleep(0.5)
    for _ in range(3):
        assert "2" in text_of(kernel, "import time; time.sleep(0.05); print(1 + 1)")
    shown = text_of(kernel, "time.sleep(0.05)")
    assert set(shown.split()) == ({"x"} if code == RESULT_MUTATED else set())


def test_what_is_shown_is_bounded_and_an_error_is_shown_all_the_same(kernel: Session) -> None:
    assert len(text_of(kernel, "for _ in range(10**5): print('x' * 99)", 60)) < 3 * LIMITS.output
    assert len(kernel.run("for _ in range(1000): display(1)", 60)) < 50
    for each in ("'x' * 10**6", "1); print(2, file=sys.stderr"):
        shown = text_of(kernel, f"import sys\nwhile True: print({each})", 3)
        assert "more was shown" in shown and "more than 3 s" in shown
    shown = text_of(kernel, "print('x' * 40_000_000)\nraise ValueError('y' * 10**6)", 60)
    assert "ValueError: yyy" in shown and len(shown) < LIMITS.output
    assert text_of(kernel, "1 + 1") == "2"


THREAD = """
from threading import Thread
thread = Thread(target=print, args=["by a thread"])
thread.start(); thread.join()"""


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ("by a program", "!echo by a program"),
        ("by a thread", THREAD),
        ("number of items", "len?"),
    ],
)
def test_whatever_shows_something_is_heard(kernel: Session, shown: str, code: str) -> None:
    said = text_of(kernel, f"print('first')\n{code}\nprint('last')")
    assert said.index("first") < said.index(shown) < said.index("last")
