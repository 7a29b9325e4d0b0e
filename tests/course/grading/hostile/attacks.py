"""Code that takes more than it may or ends what runs it, and answers that are none.

The former ends by itself after a while, should nothing else end it. Of the latter the learner's own
process judges nothing, and is not believed.
"""

from __future__ import annotations

from tests.course.grading.hostile.rows import BEFORE, Row

DEAF = (
    "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nend = time.monotonic() + 30"
)

TAKING = [
    Row(
        "opens-the-gradebook",
        """
        import glob, sqlite3
        print("there is", glob.glob("@OUT@/../**"))
        with sqlite3.connect("file:@OUT@/gradebook.db?mode=rw", uri=True) as book:
            book.execute("update grade set auto_score = 100")
        """,
        shown=r"(?s)unable to open.*there is \[\]|there is \[\].*unable to open",
    ),
    Row("kills-everyone", "import os; os.kill(-1, 9)"),
    Row(
        "signals-all-it-can",
        """
        import contextlib, os, signal
        for pid in (os.getppid(), 0, 1):
            for number in signal.valid_signals() - {signal.SIGSEGV, signal.SIGINT}:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
        """,
    ),
    Row("loops", "while True: pass", shown="took more than 3 s"),
    Row("ignores-the-interrupt", f"{DEAF}\nwhile time.monotonic() < end: pass", "did not stop"),
    Row("loops-in-c", "sum(range(10**11))", "did not stop|took more"),
    Row("allocates-8-GB", "x = bytearray(8 << 30)", shown="MemoryError"),
    Row(
        "allocates-in-many-processes",
        f"""{DEAF}
import os
for _ in range(8):
    if os.fork() == 0:
        x = b"x" * (300 << 20)
        time.sleep(20)
        os._exit(0)
time.sleep(4)""",
        r"more than 1\.0 GiB of memory",
        marks=BEFORE,
    ),
    Row("prints-60-MB-on-a-line", "print('x' * (60 << 20))", shown="more was shown"),
    Row("displays-without-end", "while True: display('x')", shown="took more than 3 s"),
    Row("a-file-of-10-GB", "open('big', 'wb').truncate(10 << 30)", shown="File too large"),
    Row(
        "fills-all-its-folders",
        """
        kept = 0
        for folder in ("/tmp", "/dev/shm"):
            try:
                for number in range(20):
                    with open(f"{folder}/{number}", "wb", buffering=0) as file:
                        for _ in range(30):
                            kept += file.write(b"x" * (1 << 20))
            except OSError as error:
                print(error)
        print("no more than all may have" if 100 << 20 < kept <= 256 << 20 else kept)
        """,
        shown="(?s)No space left.*no more than all may have",
    ),
    Row(
        "fork-bomb",
        f"""{DEAF}
import os
while time.monotonic() < end:
    try:
        os.fork()
    except OSError:
        pass""",
        "processes|memory",
        marks=BEFORE,
    ),
    Row(
        "many-threads",
        """
        import threading
        over = threading.Event()
        try:
            for _ in range(10_000):
                threading.Thread(target=over.wait, daemon=True).start()
        finally:
            over.set()  # their stacks are memory that the answers need
        """,
    ),
    Row(
        "leaves-a-daemon",
        """
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "31415"])
            os._exit(0)
        """,
    ),
    Row("prints-escapes", r"print('\x1b[2J\x1b[8m\x1b]0;gone\x07' * 10_000)"),
    Row(
        "script",
        "display({'text/html': '<script>mine()</script><img src=x onerror=alert(1)>',"
        " 'application/javascript': 'mine()'}, raw=True)",
    ),
]

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


FORGING = [
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
