"""Code that looks for what is not its own: files, processes, the network, the learner before."""

from tests.common import ROOT
from tests.course.grading.hostile.rows import look

# What one learner leaves, and what the next one looks for; tests/course/sandbox has more of it.
LEAVES = """
pathlib.Path("/tmp/trace").write_text("of the learner before")
pathlib.Path("/dev/shm/trace").mkdir(0)
import helpers.encodings, torch
helpers.encodings.trace = torch.trace_left = os.environ["TRACE"] = "x"
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        server = socket.create_server(("127.0.0.1", 31416))
    os.execvp("sleep", ["sleep", "31416"])
libc = ctypes.CDLL(None)
libc.shmget(0x7ACE, 4096, 0o1666)
libc.mq_open(b"/trace", os.O_CREAT | os.O_RDWR, 0o666, None)
for ring in (-3, -4, -5):  # of the session, the user and the user's session
    libc.syscall(248, b"user", b"trace", b"x", 1, ring)  # add_key
"""
FINDS = """
libc = ctypes.CDLL(None)
found(*(f for f in ("/tmp/trace", "/dev/shm/trace") if os.path.exists(f)))
import helpers.encodings, torch
found(hasattr(helpers.encodings, "trace"), hasattr(torch, "trace_left"), os.environ.get("TRACE"))
found(*(each for each in os.listdir("/proc") if each.isdigit() and int(each) != os.getpid()))
found(libc.shmget(0x7ACE, 4096, 0) >= 0 and "System V memory")
found(libc.mq_open(b"/trace", os.O_RDWR) >= 0 and "POSIX messages")
found(libc.syscall(249, b"user", b"trace", None, 0) >= 0 and "a key")  # request_key
found(socket.create_connection(("127.0.0.1", 31416), 1))
"""

ROWS = [
    look("leaves-traces", LEAVES),
    look("finds-traces", FINDS),
    look("finds-traces-too", FINDS),
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
]
