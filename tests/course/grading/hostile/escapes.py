"""Code that looks for what is not its own: files, processes, the network, the learner before."""

from tests.common import ROOT
from tests.course.grading.hostile.rows import look

LIBC = "libc = ctypes.CDLL(None, use_errno=True)\n"
WRITABLE = ["/", "/tmp", "/dev", "/dev/shm", "/dev/mqueue", "/run", "/run/kernel", "/var", "/etc"]
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
}
FINDS = (
    LIBC
    + f"""
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
running = [pathlib.Path("/proc", each, "cmdline") for each in os.listdir("/proc") if each.isdigit()]
found(*(each for each in running if b"sleep" in each.read_bytes()))
"""
)

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
        known = {"PATH", "PYTHONPATH", "HOME", "USER", "LANG", "MPLBACKEND", "TMPDIR", "PWD",
                 "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}
        grading = [name for name in os.environ if "GRAD" in name.upper() or "SECRET" in name]
        found(*grading, pathlib.Path("/proc/1/environ").read_text())
        """,
    ),
    look("calls-out", "found(socket.create_connection(('127.0.0.1', @PORT@), 1))"),
    look(
        "calls-out-by-name",
        "found(socket.getaddrinfo('example.org', 443), os.listdir('/sys/class/net') != ['lo'])",
    ),
    look(
        "calls-an-abstract-socket",
        """
        with socket.socket(socket.AF_UNIX) as way:
            way.connect("\\0order-matters-hostile")
            found("an abstract socket")
        """,
    ),
    look("reads-its-parents-memory", "found(open('/proc/1/mem', 'rb').read(1))"),
    look("reads-its-parents-files", "found(os.listdir('/proc/1/fd'), os.readlink('/proc/1/cwd'))"),
    look(
        "traces-its-parent",
        """
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long] * 2 + [ctypes.c_void_p] * 2
        found(libc.ptrace(16, 1, None, None) == 0 and "PTRACE_ATTACH")
        found(libc.ptrace(0x4206, 1, None, None) == 0 and "PTRACE_SEIZE")
        class Vec(ctypes.Structure):
            _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
        buffer = ctypes.create_string_buffer(8)
        mine, theirs = Vec(ctypes.addressof(buffer), 8), Vec(id(os), 8)
        found(libc.process_vm_readv(1, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0) > 0)
        found(libc.process_vm_writev(1, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0) > 0)
        """,
    ),
    look(
        "takes-its-parents-files",
        """
        libc = ctypes.CDLL(None, use_errno=True)
        handle = os.pidfd_open(1)
        found(*(libc.syscall(438, handle, n, 0) >= 0 and f"file {n}" for n in range(8)))
        """,
    ),
    look(
        "writes-to-the-grader",
        r"""
        for number in (0, 1, 2):
            os.write(number, b'{"clean": true, "exited": 0}\n')
        open("/proc/1/fd/1", "w").write("{}")
        found("its parent's output")
        """,
        told="",
    ),
    look(
        "limits-its-parent",
        """
        import resource
        for name in ("NOFILE", "FSIZE", "NPROC", "DATA", "STACK"):
            resource.prlimit(1, getattr(resource, f"RLIMIT_{name}"), (1, 1))
        os.setpriority(os.PRIO_PROCESS, 1, 19)
        """,
    ),
    look(
        "makes-its-parent-slow",
        """
        os.setpriority(os.PRIO_PROCESS, 1, 19)
        os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))
        """,
    ),
    look(
        "changes-the-library",
        """
        import helpers
        found(*(os.access(each, os.W_OK) and each for each in
                (helpers.__file__, os.path.dirname(helpers.__file__), sys.prefix, "/usr", "/bin")))
        pathlib.Path(helpers.__file__).write_text("")
        """,
    ),
    look(
        "becomes-root",
        """
        libc = ctypes.CDLL(None, use_errno=True)
        found(libc.unshare(0x10000000) == 0 and "a user namespace")
        found(libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0 and "a mount")
        found(libc.chroot(b"/") == 0 and "chroot", libc.setuid(0) == 0 and "root")
        """,
    ),
    look(
        "changes-the-machine",
        """
        for at, _, names in os.walk("/proc/sys"):
            for path in (os.path.join(at, name) for name in names):
                found(os.access(path, os.W_OK) and path)
        for path in ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/tty"):
            os.chmod(path, os.stat(path).st_mode & 0o7777)
            found(path)
        """,
    ),
    look(
        "takes-memory-that-is-nobodys",
        """
        import contextlib, mmap
        zeros = os.open("/dev/zero", os.O_RDWR)
        found(os.read(zeros, 3) != bytes(3) and "no zeros")
        for make in (
            lambda: mmap.mmap(-1, 4096),
            lambda: mmap.mmap(zeros, 4096),
            lambda: os.memfd_create("x"),
            lambda: ctypes.CDLL(None).shmget(0, 4096, 0o1600) + 1,
        ):
            with contextlib.suppress(OSError):
                found(make())
        """,
    ),
    look(
        "opens-other-sockets",
        """
        import contextlib
        for family in sorted(set(range(64)) - {1, 2, 10}):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, 5):
                with contextlib.suppress(OSError):
                    found(socket.socket(family, kind))
        """,
    ),
    look(
        "puts-a-link-for-a-socket",
        """
        for name in os.listdir("/run/kernel"):
            path = f"/run/kernel/{name}"
            os.rename(path, path + "-mine")
            os.symlink(path + "-mine", path)
        """,
    ),
    look("types-into-a-terminal", "open('/dev/tty', 'w').write('x'); found('/dev/tty')"),
    look(
        "bars-the-sockets",
        "os.chmod('/run/kernel', 0)\nimport time; time.sleep(1)",
    ),
    look(
        "hides-among-the-sockets",
        """
        pathlib.Path("/run/kernel/trace").write_text("of the learner before")
        os.symlink("/etc/passwd", "/run/kernel/link")
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
