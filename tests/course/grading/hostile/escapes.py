"""Code that looks for what is not its own: files, processes, the network, the learner before."""

from tests.common import ROOT
from tests.course.grading.hostile.rows import look

WRITABLE = ["/", "/tmp", "/dev", "/dev/shm", "/run", "/var", "/etc"]
LEFT = {
    "files": f"""
        import contextlib
        for folder in {WRITABLE}:
            with contextlib.suppress(OSError):
                pathlib.Path(folder, "trace").write_text("of the learner before")
            with contextlib.suppress(OSError):
                pathlib.Path(folder, "trace-folder").mkdir(0)
        """,
    "system-v": """
        libc = ctypes.CDLL(None)
        libc.shmget(0x7ACE, 4096, 0o1666), libc.semget(0x7ACE, 1, 0o1666)
        libc.msgget(0x7ACE, 0o1666)
        """,
    "messages": "ctypes.CDLL(None).mq_open(b'/trace', os.O_CREAT | os.O_RDWR, 0o666, None)",
    "keys": """
        for ring in (-3, -4, -5):  # of the session, the user and the user's session
            print(ctypes.CDLL(None).syscall(248, b"user", b"trace", b"x", 1, ring))  # add_key
        """,
    "modules": """
        import helpers.encodings, math, torch
        helpers.encodings.trace = math.trace = torch.trace_left = os.environ["TRACE"] = "x"
        """,
    "processes": """
        if os.fork() == 0:
            os.setsid()
            os.execvp("sleep", ["sleep", "31416"])
        """,
    "sockets": """
        if os.fork() == 0:
            server = socket.create_server(("127.0.0.1", 31416))
            signal.pause()
        """,
}
FINDS = f"""
libc = ctypes.CDLL(None, use_errno=True)
for folder in map(pathlib.Path, {WRITABLE}):
    found(*(each for each in (folder / "trace", folder / "trace-folder") if each.exists()))
found(libc.shmget(0x7ACE, 4096, 0) >= 0 and "System V memory")
found(libc.semget(0x7ACE, 1, 0) >= 0 and "System V semaphores")
found(libc.msgget(0x7ACE, 0) >= 0 and "System V messages")
found(libc.mq_open(b"/trace", os.O_RDWR) >= 0 and "POSIX messages")
found(libc.syscall(249, b"user", b"trace", None, 0) >= 0 and "a key")  # request_key
import helpers.encodings, math, torch
found(hasattr(helpers.encodings, "trace"), hasattr(math, "trace"), hasattr(torch, "trace_left"))
found(os.environ.get("TRACE"))
found(*(each for each in os.listdir("/proc") if each.isdigit() and int(each) != os.getpid()))
found(socket.create_connection(("127.0.0.1", 31416), 1))
"""

ROWS = [
    *(
        row
        for kind, code in LEFT.items()
        for row in (look(f"leaves-{kind}", code), look(f"finds-{kind}", FINDS))
    ),
    look(
        "reads-the-course",
        f"""
        for folder in ("source", "solutions", "build", "notebooks", "tests", ".git"):
            found(*pathlib.Path({str(ROOT)!r}, folder).glob("*"))
        known = ("/proc", "/usr", "/sys", sys.prefix, sys.base_prefix)
        for folder, inside, files in os.walk("/"):
            inside[:] = [] if folder in known else inside
            found(*(each for each in files if each.endswith((".ipynb", ".db"))))
        """,
    ),
    look(
        "reads-secrets",
        """
        for place in ("/etc/shadow", "/etc/passwd", "/root", "/home", "/var", "/mnt", "/sys/class"):
            path = pathlib.Path(place)
            found(*(path.glob("*") if path.is_dir() else [path.read_text()]))
        """,
    ),
    look(
        "looks-at-the-environment",
        """
        before = pathlib.Path("/proc/1/environ").read_text()
        names = [*os.environ, before]
        found(*(each for each in names if "GRAD" in each.upper() or "SECRET" in each))
        """,
    ),
    look("calls-out", "found(socket.create_connection(('127.0.0.1', @PORT@), 1))"),
    look(
        "calls-an-abstract-socket",
        """
        with socket.socket(socket.AF_UNIX) as way:
            way.connect("\\0order-matters-hostile")
            found("an abstract socket")
        """,
    ),
    look(
        "opens-the-gradebook",
        """
        import sqlite3
        with sqlite3.connect(f"file:@OUT@/gradebook.db?mode=rw", uri=True) as book:
            book.execute("update grade set auto_score = 100")
        found("the gradebook")
        """,
    ),
    look(
        "writes-into-the-results",
        "pathlib.Path('@OUT@', 'grades.csv').write_text('mine')\nfound('the table')",
    ),
]
