"""A learner's cells run in a kernel of the sandbox, and what they show has bounds."""

import time
from collections.abc import Iterator
from contextlib import closing

import nbformat
import psutil
import pytest
from nbformat import v4

from helpers.course.sandbox.outputs import EACH
from helpers.course.sandbox.process import Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from tests.common import needs_sandbox
from tests.course.sandbox.shown import LIMITS, text_of

SANDBOXED = pytest.param(True, marks=needs_sandbox)


@pytest.fixture(scope="module", params=[SANDBOXED, False], ids=["sandbox", "plain"])
def warm(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    made = Sandbox(LIMITS, request.param)
    yield made
    made.close()


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


def test_an_answer_that_waits_for_the_grader_is_not_late(
    warm: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(now: bool = False) -> None:
        time.sleep(0.6)
        check(now)

    check = warm.check_limits
    with closing(Session(warm)) as session:
        monkeypatch.setattr(warm, "check_limits", slow)
        for _ in range(3):
            assert text_of(session, "1 + 1", 0.5) == "2"


def test_the_kernel_has_an_interrupt_when_the_grader_goes_on(warm: Sandbox) -> None:
    with closing(Session(warm)) as session:
        for _ in range(20):
            warm.interrupt()
            assert text_of(session, "1 + 1") == "2"


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


LATER = """
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


@pytest.mark.parametrize("code", [LATER, CHANGED, ALARM, "import sys; sys.stdout.close()"])
def test_what_a_cell_leaves_behind_ends_no_kernel(warm: Sandbox, code: str) -> None:
    with closing(Session(warm)) as session:
        text_of(session, code)
        time.sleep(0.5)
        for _ in range(3):
            assert "2" in text_of(session, "import time; time.sleep(0.05); print(1 + 1)")
        shown = text_of(session, "time.sleep(0.05)")
        assert set(shown.split()) == ({"x"} if code == LATER else set())


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


def test_a_cell_that_does_not_heed_is_the_end_of_the_kernel(warm: Sandbox) -> None:
    session = Session(warm)
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    with pytest.raises(SandboxError, match="did not stop"):
        session.run(deaf, 1)
    session.close()
    session = Session(warm)
    assert text_of(session, "1 + 1") == "2"
    session.close()


@pytest.mark.parametrize(
    ("code", "reason"),
    [("import os; os._exit(3)", "status 3"), ("import ctypes; ctypes.string_at(0)", "SIGSEGV")],
)
def test_a_kernel_that_ends_says_how(warm: Sandbox, code: str, reason: str) -> None:
    session = Session(warm)
    with pytest.raises(SandboxError, match=reason):
        session.run(code, 10)
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


# What a kernel may send in place of an answer.
FORGED = {
    "no JSON": "no JSON",
    "no list": "3",
    "deep": "[" * 50_000,
    "another form": '[{"output_type": "stream", "name": "out", "text": "x"}]',
    "no text": '[{"output_type": "error", "ename": "E", "evalue": "", "traceback": [1]}]',
    "no data": '[{"output_type": "display_data", "data": [], "metadata": {}}]',
    "a long number": "[" + "1" * 5000 + "]",
}


@pytest.mark.parametrize("name", FORGED)
def test_an_answer_of_no_known_form_ends_the_kernel(warm: Sandbox, name: str) -> None:
    with closing(Session(warm)) as session, pytest.raises(SandboxError, match="no output"):
        session.run(f"import os; os.write(3, {FORGED[name]!r}.encode() + b'\\n')", 10)


def test_an_answer_that_is_too_long_is_read_no_further(warm: Sandbox) -> None:
    with closing(Session(warm)) as session, pytest.raises(SandboxError, match="more than it may"):
        session.run("import os\nwhile True: os.write(3, bytes(1 << 20))", 10)


def test_more_outputs_than_have_room_are_refused_unread(warm: Sandbox) -> None:
    one = '{"output_type": "stream", "name": "stdout", "text": ""}'
    code = f"import os; os.write(3, ('[' + ','.join([{one!r}] * 100) + ']\\n').encode())"
    with closing(Session(warm)) as session, pytest.raises(SandboxError, match="more than it may"):
        session.run(code, 10)


def test_each_output_counts_for_all_cells_together(warm: Sandbox) -> None:
    with closing(Session(warm)) as session:
        before = session.left
        assert len(session.run("for _ in range(20): display(1)", 10)) == 20
        assert session.left < before - 20 * EACH


@pytest.mark.parametrize("each", [r"\x1b", '"', r"\n", r"\0", "é", r"\udcff"])
def test_what_json_writes_longer_is_an_answer_still(warm: Sandbox, each: str) -> None:
    with closing(Session(warm)) as session:
        for write in (f"print('{each}' * 100)", f"import sys; sys.stderr.write('{each}' * 99);"):
            shown = session.run(f"for _ in range(1000):\n    {write}\n    1 / 0", 10)
            shown = session.run(f"for _ in range(1000): {write}", 10)
            assert "more was shown" in shown[-1].text
        shown = session.run(f"print('x' * 10**6)\nraise ValueError('{each}' * 10**6)", 10)
        assert shown[0].ename == "ValueError"


def test_an_end_with_a_long_number_is_told_in_short(warm: Sandbox) -> None:
    sent = '{"exited": 1' + "0" * 300 + "}"
    with closing(Session(warm)) as session, pytest.raises(SandboxError) as raised:
        session.run(f"import os; os.write(3, b'{sent}\\n')", 10)
    assert len(str(raised.value)) <= 200


def test_an_error_has_no_more_than_its_parts(warm: Sandbox) -> None:
    sent = '[{"output_type": "error", "ename": "E", "evalue": "", "traceback": [], "more": 1}]'
    with closing(Session(warm)) as session:
        [output] = session.run(f"import os, time; os.write(3, b'{sent}\\n'); time.sleep(1)", 10)
        assert "more" not in output


def test_half_a_letter_in_an_answer_is_written_as_a_question_mark(warm: Sandbox) -> None:
    sent = r'[{"output_type": "stream", "name": "stdout", "text": "a\ud800\\ud800"}]'
    with closing(Session(warm)) as session:
        code = f"import os, time; os.write(3, {sent!r}.encode() + b'\\n'); time.sleep(1)"
        [output] = session.run(code, 10)
        assert output.text == r"a?\ud800"


def test_only_json_may_be_no_text(warm: Sandbox) -> None:
    data = {"text/plain": "x", "application/json": [3], "application/a+json": {"b": 3}}
    code = f"display({data | {'text/html': 3, 'text/x-json': {'a': 3}}}, raw=True)"
    with closing(Session(warm)) as session:
        [output] = session.run(code, 10)
        assert output.data == data
        nbformat.validate(v4.new_notebook(cells=[v4.new_code_cell(outputs=[output])]))


def test_a_kernel_ends_with_its_sandbox(warm: Sandbox) -> None:
    own = Sandbox(LIMITS, warm.isolated)
    session = Session(own)
    session.run("import subprocess; subprocess.Popen(['sleep', '1000'])", 10)
    kernels = psutil.Process(own.process.pid).children(recursive=True)
    own.close()
    assert not session.close()
    assert kernels
    assert psutil.wait_procs(kernels, timeout=10)[1] == []
