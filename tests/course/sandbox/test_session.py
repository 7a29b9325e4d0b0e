"""A learner's cells run in a kernel of the sandbox, and what they show has bounds."""

import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

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


def test_a_cell_that_has_stopped_may_have_shown_more_than_is_looked_at_in_time(
    monkeypatch: pytest.MonkeyPatch, warm: Sandbox
) -> None:
    session = Session(warm)
    following = session._next

    def slowly(seconds: float) -> dict[str, Any]:
        time.sleep(0.02)  # as where the machine has much else to do
        return following(seconds)

    monkeypatch.setattr(session, "_next", slowly)
    shown = text_of(session, "while True: display('x')", 1)
    assert "more was shown" in shown and "more than 1 s" in shown
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
    session.close()


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
    [("import os; os._exit(3)", "status 3"), ("import os; os.kill(os.getpid(), 9)", "SIGKILL")],
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


def test_a_kernel_ends_with_its_sandbox(warm: Sandbox) -> None:
    own = Sandbox(LIMITS, warm.isolated)
    session = Session(own)
    session.client.execute("import signal; signal.signal(2, signal.SIG_IGN)\nwhile True: pass")
    kernels = psutil.Process(own.process.pid).children(recursive=True)
    own.close()
    assert not session.close()
    assert kernels
    assert psutil.wait_procs(kernels, timeout=10)[1] == []
