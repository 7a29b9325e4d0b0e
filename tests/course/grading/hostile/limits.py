"""Code that takes more than it may, or ends what runs it.

Each ends by itself after a while, should nothing else end it.
"""

from tests.course.grading.hostile.rows import harm

ROWS = [
    harm("exits", "import os; os._exit(0)", r"ended itself \(status 0\)"),
    harm("exits-politely", "import sys; sys.exit(1)", shown="SystemExit"),
    harm("kills-itself", "import os; os.kill(os.getpid(), 9)", "SIGKILL"),
    harm("kills-its-parent", "import os; os.kill(os.getppid(), 9)"),
    harm("kills-everyone", "import os; os.kill(-1, 9)"),
    harm("interrupts-its-parent", "import os; os.kill(os.getppid(), 2)"),
    harm(
        "signals-its-parent",
        """
        import contextlib, os, signal
        for number in signal.valid_signals():
            with contextlib.suppress(OSError):
                os.kill(os.getppid(), number)
        """,
    ),
    harm("segfaults", "import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    harm("recursion", "def triple(x): return triple(x)\ntriple(1)", shown="RecursionError"),
    harm("sleeps", "import time; time.sleep(60)", shown="took more than 2 s"),
    harm("loops", "while True: pass", shown="took more than 2 s"),
    harm(
        "ignores-the-interrupt",
        """
        import signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end = time.monotonic() + 40
        while time.monotonic() < end: pass
        """,
        "did not stop",
    ),
    harm("loops-in-c", "sum(range(10**11))", "did not stop|took more"),
    harm("allocates-8-GB", "x = bytearray(8 << 30)", shown="MemoryError"),
    harm(
        "allocates-bit-by-bit",
        """
        kept = []
        for _ in range(400):
            kept.append(bytes(20 << 20))  # not written to: it is to run out of memory, not of time
        """,
        shown="MemoryError",
    ),
    harm(
        "allocates-in-many-processes",
        """
        import os, signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _ in range(8):
            if os.fork() == 0:
                x = b"x" * (300 << 20)
                time.sleep(20)
                os._exit(0)
        time.sleep(4)
        """,
        r"more than 1\.0 GiB of memory",
        marks=2,
    ),
    harm(
        "opens-sockets-that-nobody-has",
        """
        import signal, socket, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for number in range(2):
            kept = socket.socket(socket.AF_UNIX)
            kept.bind(f"\\0{number}")
            kept.listen(4096)
            globals()[f"kept{number}"] = kept
            for _ in range(1500):
                with socket.socket(socket.AF_UNIX) as caller:
                    caller.connect(f"\\0{number}")
        time.sleep(3)
        """,
        "it opened [0-9]+ sockets",
        marks=2,
    ),
    harm(
        "fills-its-sockets",
        """
        import contextlib, signal, socket, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        kept = [each for _ in range(80) for each in socket.socketpair()]
        for each in kept:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
            each.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while each.send(bytes(1 << 16)): pass
        time.sleep(3)
        """,
        r"more than 1\.0 GiB of memory",
        marks=2,
    ),
    harm(
        "shows-a-message-of-many-frames",
        """
        kernel = get_ipython().kernel
        kernel.session.send(kernel.iopub_socket, "stream", {"name": "stdout", "text": "x"},
                            parent=kernel.get_parent(), ident=b"stream", buffers=[b""] * 200)
        """,
        shown="more was shown",
    ),
    harm("returns-very-much", "def triple(x): return [x] * 10**8\ntriple(1)", marks=3),
    harm("shows-very-much", "[0] * 10**7", marks=3),
    harm("prints-60-MB-on-a-line", "print('x' * (60 << 20))", shown="more was shown"),
    harm("prints-without-end", "while True: print('x' * 1000)", shown="took more than 2 s"),
    harm("displays-without-end", "while True: display('x')", shown="took more than 2 s"),
    harm("an-error-of-8-MB", "raise ValueError('x' * (8 << 20))", marks=3),
    harm("a-file-of-10-GB", "open('big', 'wb').truncate(10 << 30)", shown="File too large"),
    harm(
        "writes-until-it-is-full",
        """
        for number in range(100):
            with open(f"/tmp/{number}", "wb") as file:
                file.write(b"x" * (30 << 20))
        """,
        shown="No space left",
    ),
    harm(
        "fills-all-its-folders",
        """
        kept = 0
        for folder in ("/tmp", "/dev/shm", "/run/kernel"):
            try:
                for number in range(20):
                    with open(f"{folder}/{number}", "wb", buffering=0) as file:
                        for _ in range(30):
                            kept += file.write(b"x" * (1 << 20))
            except OSError:
                pass
        print("no more than all may have" if 100 << 20 < kept <= 256 << 20 else kept)
        """,
        shown="no more than all may have",
    ),
    harm(
        "many-files",
        """
        import signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end = time.monotonic() + 20
        number = 0
        while time.monotonic() < end:
            open(f"/tmp/{number}", "w").close()
            number += 1
        """,
        "it made [0-9]+ files",
        marks=2,
    ),
    harm(
        "fork-bomb",
        """
        import os, time
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                os.fork()
            except OSError:
                pass
        """,
        "processes|memory|killed|did not stop",
        marks=2,
    ),
    harm(
        "many-busy-processes",
        """
        import os, signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end = time.monotonic() + 20
        for _ in range(30):
            if os.fork() == 0:
                try:
                    os.sched_setaffinity(0, range(os.cpu_count()))
                except OSError:
                    pass
                while time.monotonic() < end: pass
                os._exit(0)
        while time.monotonic() < end: pass
        """,
        "did not stop",
    ),
    harm(
        "many-threads",
        """
        import threading, time
        for _ in range(10_000):
            threading.Thread(target=time.sleep, args=(10,), daemon=True).start()
        """,
        marks=3,
    ),
    harm(
        "leaves-a-daemon",
        """
        import os, subprocess, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "31415"])
            os._exit(0)
        """,
    ),
    harm(
        "leaves-threads",
        """
        import threading, time
        def work():
            while True: time.sleep(0.001)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        """,
    ),
    harm(
        "closes-its-files",
        "import os; os.closerange(0, 1024)",
        "does not answer|took|killed",
    ),
    harm("stops-the-loop", "get_ipython().kernel.io_loop.stop()", "ended|answer|took"),
    harm("stops-itself", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "took"),
    harm("prints-escapes", r"print('\x1b[2J\x1b[8m\x1b]0;gone\x07' * 10_000)"),
    harm("cannot-be-shown", "class X:\n    def __repr__(self): raise SystemExit\nX()", marks=3),
    harm(
        "shows-itself-for-ever",
        "class X:\n    def __repr__(self):\n        while True: pass\nX()",
        shown="took more than 2 s",
    ),
]
