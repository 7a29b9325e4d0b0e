"""Code that takes more than it may, ends what runs it, or looks for the marks.

Each ends by itself after a while, should nothing else end it.
"""

from tests.course.grading.hostile.rows import BEFORE, Row

DEAF = (
    "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nend = time.monotonic() + 30"
)

ROWS = [
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
